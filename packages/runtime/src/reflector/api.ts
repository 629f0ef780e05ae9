/** The three requests that a reflector makes, for whole objects or for their metadata alone. */
import type { Client, ListOptions, WatchStream } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, ListMeta, Stored } from '../model/types.ts';
import type { PageRequest } from './state.ts';

export interface WatchRequest {
  /** Empty for "from now on" (after the initial events, if requested). */
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
}

export interface ReflectorApi<T extends KubernetesObject> {
  /** Streams one page; resolves with the list's metadata. */
  listPage(request: PageRequest, onItem: (item: Stored<T>) => void, signal: AbortSignal): Promise<ListMeta>;
  /** The current state as ADDED events, a bookmark that ends them, then changes. */
  watchList(request: WatchRequest, signal: AbortSignal): Promise<WatchStream<T>>;
  watch(request: WatchRequest, signal: AbortSignal): Promise<WatchStream<T>>;
  /** Why a received value is not an object of this kind; `undefined` if it is one. */
  reject(object: unknown): string | undefined;
}

/** Which part of a collection is read. */
export interface Scope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

type ClientPart = Pick<Client, 'listEach' | 'watch'>;

/** Whole objects. */
export function objectApi<T extends KubernetesObject>(
  client: ClientPart,
  type: ResourceType<T>,
  scope: Scope = {},
): ReflectorApi<T> {
  return requests(client, type, scope, [type.kind]);
}

/** PartialObjectMetadata: the same objects without anything but their metadata. */
export function metadataApi(
  client: ClientPart,
  type: ResourceType,
  scope: Scope = {},
): ReflectorApi<KubernetesObject> {
  return requests(client, type, { ...scope, metadataOnly: true }, ['PartialObjectMetadata', type.kind]);
}

function requests<T extends KubernetesObject>(
  client: ClientPart,
  type: ResourceType<T>,
  scope: Pick<ListOptions, keyof Scope | 'metadataOnly'>,
  kinds: readonly string[],
): ReflectorApi<T> {
  const watch = (request: WatchRequest, signal: AbortSignal, initial: boolean): Promise<WatchStream<T>> =>
    client.watch(type, {
      ...scope,
      ...(request.resourceVersion === '' ? {} : { resourceVersion: request.resourceVersion }),
      ...(initial ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
      allowWatchBookmarks: true,
      timeoutSeconds: request.timeoutSeconds,
      signal,
    });
  return {
    // A long list may take its time: the reflector limits idle time, not total time.
    listPage: (request, onItem, signal) =>
      client.listEach(type, onItem, { ...scope, ...request, signal, timeoutMs: Number.POSITIVE_INFINITY }),
    watchList: (request, signal) => watch(request, signal, true),
    watch: (request, signal) => watch(request, signal, false),
    reject: (object) => rejectUnless(object, kinds),
  };
}

function rejectUnless(object: unknown, kinds: readonly string[]): string | undefined {
  if (typeof object !== 'object' || object === null)
    return `it is ${object === null ? 'null' : typeof object}`;
  const { kind, metadata } = object as KubernetesObject;
  if (kind !== undefined && !kinds.includes(kind)) return `its kind is ${kind}, not ${kinds.at(-1)}`;
  if (!metadata?.name) return 'it has no name';
  if (!metadata.resourceVersion) return 'it has no resourceVersion';
  return undefined;
}
