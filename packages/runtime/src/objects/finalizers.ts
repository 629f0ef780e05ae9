/**
 * Finalizers by guarded JSON patch, and the flow around them.
 *
 * Guarantees: a patch tests the exact index and value that was read, so two controllers that add and remove their
 * finalizers concurrently never remove each other's. The finalizer is on the object before the first reconcile, and
 * is removed only after cleanup succeeded. Assumes that cleanup can be repeated: it runs again if the removal fails,
 * or if the process dies first.
 */
import type { Client, JsonPatchOperation } from '../client/client.ts';
import { ConflictError, InvalidError, NotFoundError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Result } from '../model/result.ts';
import { type KubernetesObject, keyOf, type ObjectKey, type Stored } from '../model/types.ts';
import { type ConflictRetryOptions, retryOnConflict } from './conflict.ts';
import { getIfExists } from './read.ts';

/** Whether an object carries a finalizer. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** Whether an object is being deleted and waits for its finalizers. */
export function isDeleting(object: KubernetesObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined;
}

/** The API server refuses a finalizer without a domain. */
export function expectDomain(finalizer: string): void {
  if (finalizer.includes('/')) return;
  throw new TypeError(
    `Finalizer "${finalizer}" must be qualified with a domain, as in "example.com/cleanup"`,
  );
}

/**
 * Returns the object with the finalizer. An object that is already being deleted is returned without it: the API
 * server accepts no new finalizers there.
 */
export async function addFinalizer<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  object: Stored<T>,
  finalizer: string,
  options: ConflictRetryOptions = {},
): Promise<Stored<T>> {
  expectDomain(finalizer);
  return await guardedPatch(client, type, object, options, (live) => {
    if (isDeleting(live) || hasFinalizer(live, finalizer)) return undefined;
    const current = live.metadata.finalizers;
    return current?.length
      ? [
          { op: 'test', path: '/metadata/finalizers', value: current },
          { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
        ]
      : [
          { op: 'test', path: '/metadata/finalizers', value: null },
          { op: 'add', path: '/metadata/finalizers', value: [finalizer] },
        ];
  });
}

/** Removes the finalizer if present. Undefined if the object no longer exists. */
export async function removeFinalizer<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  object: Stored<T>,
  finalizer: string,
  options: ConflictRetryOptions = {},
): Promise<Stored<T> | undefined> {
  try {
    return await guardedPatch(client, type, object, options, (live) => {
      const index = live.metadata.finalizers?.indexOf(finalizer) ?? -1;
      if (index < 0) return undefined;
      const path = `/metadata/finalizers/${index}`;
      return [
        { op: 'test', path, value: finalizer },
        { op: 'remove', path },
      ];
    });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Sends the patch that `decide` returns for the object as read, and decides again if the object has changed since. */
async function guardedPatch<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  object: Stored<T>,
  options: ConflictRetryOptions,
  decide: (live: Stored<T>) => readonly JsonPatchOperation[] | undefined,
): Promise<Stored<T>> {
  const request = options.signal ? { signal: options.signal } : {};
  const key = keyOf(object);
  return await retryOnConflict(async (tryNumber) => {
    const live = tryNumber === 1 ? object : await client.get(type, key, request);
    // Another object of the same name is not the one we were asked about.
    const operations = live.metadata.uid === object.metadata.uid ? decide(live) : undefined;
    if (!operations) return live;
    const uid: JsonPatchOperation = { op: 'test', path: '/metadata/uid', value: live.metadata.uid };
    try {
      return await client.patch(type, key, { type: 'json', operations: [uid, ...operations] }, request);
    } catch (error) {
      // A failed `test` is answered as 422, not as 409; a permanent refusal looks the same, hence the limit.
      throw error instanceof InvalidError ? asConflict(error) : error;
    }
  }, options).catch((error: unknown) => {
    throw error instanceof ConflictError && error.cause instanceof InvalidError ? error.cause : error;
  });
}

function asConflict(error: InvalidError): ConflictError {
  const conflict = new ConflictError({ ...error.status, code: 409, reason: 'Conflict' });
  conflict.cause = error;
  return conflict;
}

/** Reconcile for a live object, cleanup for one that is being deleted. */
export interface FinalizerFlow<T extends KubernetesObject, R = Result> extends ConflictRetryOptions {
  readonly client: Client;
  readonly type: ResourceType<T>;
  /** Qualified with a domain: `example.com/cleanup`. */
  readonly finalizer: string;
  /** Reads the object; undefined if it does not exist. Default: a live read. */
  readonly fetch?: (key: ObjectKey) => Stored<T> | undefined | Promise<Stored<T> | undefined>;
  /** Undoes what `reconcile` did outside the object. A returned value means "not finished yet". */
  // biome-ignore lint/suspicious/noConfusingVoidType: a cleanup that returns nothing has succeeded
  readonly cleanup: (object: Stored<T>) => Promise<R | void>;
  // biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that returns nothing has succeeded
  readonly reconcile: (object: Stored<T>) => Promise<R | undefined | void>;
}

/**
 * One pass over one object: fetch; if it is being deleted, clean up and let it go; else make sure that it
 * carries the finalizer, and reconcile. Returns undefined when there is nothing (more) to do.
 *
 * @example
 * ```ts
 * const reconcile: Reconciler = (key, { signal }) =>
 *   withFinalizer(key, {
 *     client,
 *     type: Buckets,
 *     finalizer: 'example.com/bucket',
 *     signal,
 *     // Returns nothing, or a `Result`; one type argument is enough where TypeScript asks for any.
 *     reconcile: (bucket) => ensureBucket(bucket.spec.name),
 *     // To return a value means "not finished": so that `delete` may return one, its result is dropped here.
 *     cleanup: async (bucket) => void (await deleteBucket(bucket.spec.name)),
 *   });
 * ```
 */
export async function withFinalizer<T extends KubernetesObject, R = Result>(
  key: ObjectKey,
  flow: FinalizerFlow<T, R>,
): Promise<R | undefined> {
  const { client, type, finalizer } = flow;
  const object = flow.fetch ? await flow.fetch(key) : await getIfExists(client, type, key, flow.signal);
  if (!object) return undefined;
  if (!isDeleting(object)) {
    const guarded = await addFinalizer(client, type, object, finalizer, flow);
    // It may have been deleted or replaced in between; the next pass handles that.
    return hasFinalizer(guarded, finalizer) ? ((await flow.reconcile(guarded)) ?? undefined) : undefined;
  }
  if (!hasFinalizer(object, finalizer)) return undefined;
  const unfinished = await flow.cleanup(object);
  if (unfinished !== undefined) return unfinished as R;
  await removeFinalizer(client, type, object, finalizer, flow);
  return undefined;
}
