/** get, list and watch. */
import type { KubernetesObject, ListMeta, ObjectKey, Stored } from '../../model/types.ts';
import type { GetOptions, ListOptions, ObjectList, WatchOptions, WatchStream } from '../client.ts';
import { isRecord, parseJson, readText } from '../decode/json.ts';
import { readList } from '../decode/list-items.ts';
import { type WatchDecoding, watchEvents } from '../decode/watch-events.ts';
import { DecodeError } from '../errors.ts';
import { isProtobuf } from '../protobuf/envelope.ts';
import { readProtobufList } from '../protobuf/list-items.ts';
import { ProtobufFraming } from '../protobuf/watch-frames.ts';
import { apiVersionOf, collectionPath, inJson, objectPath, type ResourceType } from '../resource.ts';
import type { TransportResponse } from '../transport.ts';
import { aboutCollection, aboutObject, acceptFor, acceptForMany, buildRequest, withQuery } from './build.ts';
import { exchange, type VerbContext } from './context.ts';

export function getObject<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  key: ObjectKey,
  options: GetOptions = {},
): Promise<Stored<T>> {
  const { subresource, resourceVersion } = options;
  const request = buildRequest('get', type, {
    path: withQuery(objectPath(type, key, subresource), { resourceVersion }),
    about: aboutObject(type, key, subresource),
    accept: acceptFor('object', options.metadataOnly),
    idempotent: true,
  });
  return exchange(context, request, options, (response) => readObject<T>(context, response, request.summary));
}

export async function listEach<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  onItem: (item: Stored<T>) => void,
  options: ListOptions = {},
): Promise<ListMeta> {
  const request = buildRequest('list', type, {
    path: withQuery(collectionPath(type, options.namespace), {
      ...selection(options),
      limit: options.limit,
      continue: options.continue,
    }),
    about: aboutCollection(type, options.namespace),
    accept: acceptForMany('list', type, options.metadataOnly),
    idempotent: true,
  });
  // Items of built-in kinds in lists lack apiVersion and kind; everything else carries them.
  const kind = options.metadataOnly ? undefined : { apiVersion: apiVersionOf(type), kind: type.kind };
  const decoding = { maxBytes: context.maxObjectBytes, clock: context.clock };
  const { protobuf } = type;
  return exchange(context, request, options, async ({ headers, body }) => {
    if (protobuf && isProtobuf(headers))
      return readProtobufList(body, protobuf, (item) => onItem(withKind<T>(item, kind)), decoding);
    const { metadata } = await readList(body, (item) => onItem(withKind<T>(item, kind)), decoding);
    return metadata;
  });
}

export async function listObjects<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  options: ListOptions = {},
): Promise<ObjectList<T>> {
  const items: Stored<T>[] = [];
  const metadata = await listEach(context, inJson(type), (item) => items.push(item), options);
  return { metadata, items };
}

export async function watchObjects<T extends KubernetesObject>(
  context: VerbContext,
  type: ResourceType<T>,
  options: WatchOptions = {},
): Promise<WatchStream<T>> {
  const { sendInitialEvents, signal } = options;
  const request = buildRequest('watch', type, {
    path: withQuery(collectionPath(type, options.namespace), {
      watch: true,
      ...selection(options),
      ...(sendInitialEvents && { resourceVersionMatch: options.resourceVersionMatch ?? 'NotOlderThan' }),
      sendInitialEvents,
      allowWatchBookmarks: options.allowWatchBookmarks,
      timeoutSeconds: options.timeoutSeconds,
    }),
    about: aboutCollection(type, options.namespace),
    accept: acceptForMany('object', type, options.metadataOnly),
    idempotent: true,
  });
  const response = await context.send(signal ? { ...request, signal } : request);
  const decoding: WatchDecoding = {
    maxBytes: context.maxObjectBytes,
    clock: context.clock,
    request: request.summary,
    onUnknownType: (unknown) =>
      context.logger?.error('Skipped a watch event of an unknown type', {
        request: request.summary,
        type: unknown,
      }),
  };
  const { protobuf } = type;
  return protobuf && isProtobuf(response.headers)
    ? watchEvents(response.body, decoding, new ProtobufFraming<T>(decoding, protobuf))
    : watchEvents<T>(response.body, decoding);
}

export async function readObject<T extends KubernetesObject>(
  context: VerbContext,
  response: TransportResponse,
  summary: string,
): Promise<Stored<T>> {
  const what = `The answer to ${summary}`;
  const object = parseJson(await readText(response.body, context.maxObjectBytes, what), what);
  if (!isRecord(object)) throw new DecodeError(`${what} is JSON but no object`);
  // The server answers a get or a write with the stored object, which has name, uid and version.
  return object as unknown as Stored<T>;
}

function selection(options: ListOptions | WatchOptions): Record<string, string | undefined> {
  const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
  return { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch };
}

function withKind<T extends KubernetesObject>(
  item: unknown,
  kind: { readonly apiVersion: string; readonly kind: string } | undefined,
): Stored<T> {
  const object = item as Stored<T>;
  if (kind) {
    object.apiVersion ??= kind.apiVersion;
    object.kind ??= kind.kind;
  }
  return object;
}
