/**
 * The verbs of an API server, one method each. Implemented by `createClient`; simulations and decorators (write
 * fence, read-your-writes) implement or wrap it too.
 */
import type { KubernetesObject, ListMeta, ObjectKey, Stored } from '../model/types.ts';
import type { ResourceType } from './resource.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Options of every request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Ends the request with a `RequestTimeoutError`. Watches have none. */
  readonly timeoutMs?: number | undefined;
}

/** Options of a get. */
export interface GetOptions extends RequestOptions {
  readonly resourceVersion?: string | undefined;
  readonly subresource?: string | undefined;
  /** Ask only for metadata (PartialObjectMetadata). */
  readonly metadataOnly?: boolean | undefined;
}

/** How the server must match the given resourceVersion. */
export type ResourceVersionMatch = 'NotOlderThan' | 'Exact';

/** Which objects are listed, and how. */
export interface ListOptions extends RequestOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** A list as the server answers it. */
export interface ObjectList<T extends KubernetesObject> {
  readonly metadata: ListMeta;
  readonly items: Stored<T>[];
}

/** Which changes are watched, and from which version on. */
export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue' | 'timeoutMs'> {
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** One message of a watch. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

/**
 * Events in the order in which the server sent them. Iteration throws a typed `ApiError` for an ERROR event,
 * a `DecodeError` for a line that is not JSON or too long, a `ConnectionError` when the connection is lost,
 * and ends without a throw when the server closed the stream in order.
 *
 * `next` may be given a function that is called with each event, and that returns true for those it has dealt with:
 * they are not returned. A stream may ignore it and return every event. It saves the promises of each event while
 * thousands of objects arrive.
 */
export type WatchStream<T extends KubernetesObject> = AsyncIterable<
  WatchEvent<T>,
  undefined,
  TakesEvent<T> | undefined
>;

/** Returns true for an event that needs no further attention. It must not keep the event's object. */
export type TakesEvent<T extends KubernetesObject> = (event: WatchEvent<T>) => boolean;

/** One operation of a JSON Patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** A patch of one of the four types that Kubernetes knows. */
export type Patch =
  | { readonly type: 'json'; readonly operations: readonly JsonPatchOperation[] }
  | { readonly type: 'merge' | 'strategic' | 'apply'; readonly body: object };

/** How an object is written. */
export interface WriteOptions extends RequestOptions {
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  readonly dryRun?: boolean | undefined;
  readonly subresource?: string | undefined;
}

/** How a patch is sent. */
export interface PatchOptions extends WriteOptions {
  /** Force: take over fields of another field manager (server-side apply). */
  readonly force?: boolean | undefined;
}

/** How an object is deleted: preconditions, propagation, grace. */
export interface DeleteOptions extends RequestOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Which objects of a kind are deleted together. */
export interface DeleteCollectionOptions extends DeleteOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * The verbs of the API, typed by the kind they are called with. Failures are thrown as classes such as
 * `NotFoundError`.
 */
export interface Client {
  /** Reads one object; a `NotFoundError` if there is none (`getIfExists` returns undefined instead). */
  get<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<Stored<T>>;

  /** One page, decoded item by item. */
  list<T extends KubernetesObject>(type: ResourceType<T>, options?: ListOptions): Promise<ObjectList<T>>;

  /** Streams one page: each item is passed on and dropped, so a list is never in memory as a whole. */
  listEach<T extends KubernetesObject>(
    type: ResourceType<T>,
    onItem: (item: Stored<T>) => void,
    options?: ListOptions,
  ): Promise<ListMeta>;

  /** Resolves when the server has accepted the watch. */
  watch<T extends KubernetesObject>(type: ResourceType<T>, options?: WatchOptions): Promise<WatchStream<T>>;

  /** With `subresource` (and a named object) it posts to that subresource: eviction, token, binding. */
  create<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T>>;

  /** PUT. Fails with `ConflictError` when the object's resourceVersion is not the newest. */
  update<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T>>;

  /** Changes parts of an object: JSON patch, merge patch, strategic merge patch or server-side apply. */
  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<Stored<T>>;

  /** Server-side apply. `fieldManager` falls back to the client's. */
  apply<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    options?: PatchOptions,
  ): Promise<Stored<T>>;

  /** Deletes one object; with `preconditions`, only that very one. */
  delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void>;

  /** Deletes all objects that the selectors match. */
  deleteCollection(type: ResourceType, options?: DeleteCollectionOptions): Promise<void>;

  /** Any other request, with the client's credentials, retries and typed errors. */
  raw(request: TransportRequest): Promise<TransportResponse>;

  /** Closes its connections. A manager closes the clients that it was given. */
  close(): Promise<void>;
}
