/**
 * Writes status: only changed fields, nothing if nothing changed, recomputed after a conflict, and also if the work
 * failed.
 */
import type { Client } from '../client/client.ts';
import { NotFoundError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { ConfigurationError } from '../model/errors.ts';
import { type KubernetesObject, keyOf, type Stored } from '../model/types.ts';
import { type ConflictRetryOptions, retryOnConflict } from './conflict.ts';
import { mergeDiff, rebase } from './merge-patch.ts';
import { getIfExists } from './read.ts';

/** An object with a status. */
export interface WithStatus<S = unknown> extends KubernetesObject {
  status?: S;
}

/** The type of a kind's status. */
export type StatusOf<T extends WithStatus> = Exclude<T['status'], undefined>;

/** The outcome of a status write. */
export interface StatusWrite<T extends KubernetesObject> {
  /** `gone` if the object no longer exists, or was replaced by another of the same name. */
  readonly operation: 'none' | 'patched' | 'gone';
  readonly object: Stored<T>;
}

/**
 * Writes the status that `compute` returns. `compute` gets the object as it is on the server (first as given, after a
 * conflict as read again) and must not mutate it.
 */
export async function writeStatus<T extends WithStatus>(
  client: Client,
  type: ResourceType<T>,
  object: Stored<T>,
  compute: (live: Stored<T>) => T['status'],
  options: ConflictRetryOptions = {},
): Promise<StatusWrite<T>> {
  const { signal } = options;
  const request = { subresource: 'status', ...(signal && { signal }) };
  let live = object;
  try {
    return await retryOnConflict(async (tryNumber) => {
      if (tryNumber > 1) live = await client.get(type, keyOf(object), signal ? { signal } : {});
      if (live.metadata.uid !== object.metadata.uid) return { operation: 'gone', object: live };
      const status = mergeDiff(live.status ?? {}, compute(live) ?? {});
      if (status === undefined) return { operation: 'none', object: live };
      const { uid, resourceVersion } = live.metadata;
      const body = { metadata: { uid, resourceVersion }, status };
      return {
        operation: 'patched',
        object: await client.patch(type, keyOf(live), { type: 'merge', body }, request),
      };
    }, options);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    await expectSubresource(client, type, object, options);
    return { operation: 'gone', object: live };
  }
}

/** The API server answers a missing object and a kind without a status subresource alike. */
async function expectSubresource<T extends WithStatus>(
  client: Client,
  type: ResourceType<T>,
  object: Stored<T>,
  { signal }: ConflictRetryOptions,
): Promise<void> {
  const live = await getIfExists(client, type, keyOf(object), signal);
  if (live?.metadata.uid !== object.metadata.uid) return;
  throw new ConfigurationError(
    `${type.kind} "${object.metadata.name}" has no status subresource: add \`subresources: { status: {} }\` to its CustomResourceDefinition, or write no status`,
    { reason: 'NoStatusSubresource' },
  );
}

/**
 * Runs `work` with a draft of the status and writes the draft afterwards, whether `work` succeeded or
 * threw. Concurrent changes by others are kept: only our own changes are applied on top.
 *
 * @example
 * ```ts
 * await withStatus(client, WebApps, app, async (status) => {
 *   try {
 *     await ensureDeployment(app);
 *     status.conditions = markReady(status.conditions, { reason: 'Deployed' }, clock.now());
 *   } catch (error) {
 *     const text = { reason: 'DeploymentFailed', message: String(error) };
 *     status.conditions = markStalled(status.conditions, text, clock.now());
 *     throw error; // the condition is written all the same
 *   }
 * });
 * ```
 */
export async function withStatus<T extends WithStatus, R>(
  client: Client,
  type: ResourceType<T>,
  object: Stored<T>,
  work: (draft: Partial<StatusOf<T>>) => Promise<R>,
  options: ConflictRetryOptions = {},
): Promise<R> {
  const base: unknown = object.status ?? {};
  const draft = structuredClone(base) as Partial<StatusOf<T>>;
  const save = async (): Promise<void> => {
    await writeStatus(
      client,
      type,
      object,
      (live) => rebase(base, draft, live.status ?? {}) as T['status'],
      options,
    );
  };
  let result: R;
  try {
    result = await work(draft);
  } catch (error) {
    await save().catch((failure: unknown) => {
      const { name } = object.metadata;
      const message = `${type.kind} "${name}": the work failed, and so did writing its status`;
      throw new AggregateError([error, failure], message, { cause: error });
    });
    throw error;
  }
  await save();
  return result;
}
