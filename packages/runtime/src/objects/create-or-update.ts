/**
 * Creates or updates one owned object.
 *
 * In: a key and `mutate`, which edits a draft (a copy of the live object, or an empty one). Out: what was done.
 * Guarantees: no request is sent if the live object already matches the draft (see `intent.ts`), so that assigning a
 * whole spec does not fight the API server's defaults; if they differ only in how the server stores them (an empty
 * value that it leaves out, `stringData` of a Secret), one request is sent, and none again until one of the two changes;
 * after a conflict, or if a cache was behind, the object is read again and `mutate` runs again. `mutate` must not
 * rename or move the object.
 */
import type { Client } from '../client/client.ts';
import { AlreadyExistsError, ConflictError } from '../client/errors.ts';
import { apiVersionOf, objectPath, type ResourceType } from '../client/resource.ts';
import { type KubernetesObject, keyOf, keyString, type ObjectKey, type Stored } from '../model/types.ts';
import { answersOf, fingerprintOf, remember } from './answers.ts';
import { type ConflictRetryOptions, retryOnConflict } from './conflict.ts';
import { intentPatch } from './intent.ts';
import { getIfExists } from './read.ts';
import type { WithStatus } from './status.ts';

/** Options of `createOrUpdate`. */
export interface UpsertOptions<T extends KubernetesObject> extends ConflictRetryOptions {
  /** The object as cached, or null if it is not cached: saves the read. */
  readonly live?: Stored<T> | null | undefined;
  readonly fieldManager?: string | undefined;
}

/** The operation, and the object as it is now. `none` also for an update that changed nothing. */
export interface Upsert<T extends KubernetesObject> {
  readonly operation: 'none' | 'created' | 'updated';
  readonly object: Stored<T>;
}

/** Edits a draft. It may run more than once. */
export type Mutate<T> = (draft: T) => void | Promise<void>;

/**
 * Creates the object, or replaces it (PUT) when the draft asks for something that it does not hold.
 *
 * @example
 * ```ts
 * const { operation } = await createOrUpdate(client, kinds.ConfigMap, { namespace, name }, (draft) => {
 *   setControllerReference(draft, WebApps, app);
 *   draft.data = { colour: 'blue' };
 * });
 * // 'created' the first time, 'none' from then on, 'updated' after somebody changed the data
 * ```
 */
export async function createOrUpdate<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  key: ObjectKey,
  mutate: Mutate<T>,
  options: UpsertOptions<T> = {},
): Promise<Upsert<T>> {
  const request = requestOf(options);
  return await upsert(client, type, key, mutate, options, async (draft, live) => {
    if (!live) return { operation: 'created', object: await client.create(type, draft, request) };
    if (intentPatch(withoutStatus(draft), live) === undefined) return { operation: 'none', object: live };
    const answers = answersOf(client);
    const slot = `update ${objectPath(type, key)}`;
    const asked = fingerprintOf(lasting(draft), lasting(live));
    if (answers.get(slot) === asked) return { operation: 'none', object: live };
    const object = await client.update(type, draft, request);
    if (object.metadata.resourceVersion !== live.metadata.resourceVersion)
      return { operation: 'updated', object };
    remember(answers, slot, asked);
    return { operation: 'none', object };
  });
}

interface Request {
  readonly signal?: AbortSignal | undefined;
  readonly fieldManager?: string | undefined;
}

function requestOf({ signal, fieldManager }: Request): Request {
  return { ...(signal && { signal }), ...(fieldManager && { fieldManager }) };
}

async function upsert<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  key: ObjectKey,
  mutate: Mutate<T>,
  options: UpsertOptions<T>,
  write: (draft: T, live: Stored<T> | null | undefined) => Promise<Upsert<T>>,
): Promise<Upsert<T>> {
  return await retryOnConflict(async (tryNumber) => {
    const known = tryNumber === 1 ? options.live : undefined;
    const live = known === undefined ? await getIfExists(client, type, key, options.signal) : known;
    const draft = live ? structuredClone<T>(live) : emptyObject(type, key);
    await mutate(draft);
    checkIdentity(type, key, draft);
    try {
      return await write(draft, live);
    } catch (error) {
      // The cache was behind: read the object and decide again.
      throw error instanceof AlreadyExistsError && !live ? new ConflictError(error.status) : error;
    }
  }, options);
}

/** A draft starts with only its identity; `mutate` adds the rest of its type. */
function emptyObject<T extends KubernetesObject>(type: ResourceType<T>, key: ObjectKey): T {
  const draft: KubernetesObject = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { ...key } };
  return draft as T;
}

function withoutStatus<T extends KubernetesObject>(draft: T): Omit<T, 'status'> {
  const { status: _, ...rest } = draft as WithStatus & T;
  return rest;
}

/** Without what others write all the time, and what changes with every write. */
function lasting(object: KubernetesObject): object {
  const { managedFields: _m, resourceVersion: _r, ...metadata } = object.metadata ?? {};
  return { ...withoutStatus(object), metadata };
}

function checkIdentity(type: ResourceType, key: ObjectKey, draft: KubernetesObject): void {
  const now = keyString(keyOf(draft));
  if (now === keyString(key)) return;
  throw new TypeError(
    `The function that fills ${type.kind} "${keyString(key)}" renamed it to "${now}": it must not`,
  );
}
