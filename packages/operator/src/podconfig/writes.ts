/** The writes of generated ConfigMaps. Each is idempotent, and none touches a ConfigMap that is not ours. */
import {
  AlreadyExistsError,
  type Client,
  ConflictError,
  ForbiddenError,
  InvalidError,
  type JsonPatchOperation,
  kinds,
  NotFoundError,
  type OwnerReference,
  type Stored,
  TooLargeError,
} from '@reloader/runtime';
import { GENERATED_BY, type GeneratedFacts, POD_UID, type PodFacts, type Trouble } from './model.ts';
import { hashedName } from './names.ts';
import type { OwnWrites } from './own-writes.ts';
import { isFor, type Wanted, wantedDigest } from './plan.ts';
import { projectGenerated } from './project.ts';

/** The client for the writes, and the tracker of our own writes. */
export interface Writer {
  readonly client: Client;
  readonly own: OwnWrites;
}

export type Written =
  | { readonly kind: 'done' }
  /** The caches are behind: requeue. */
  | { readonly kind: 'again' }
  /** The namespace or the pod is being deleted: nothing is left to do. */
  | { readonly kind: 'over' }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

const DONE: Written = { kind: 'done' };
const AGAIN: Written = { kind: 'again' };

/** If a user's object has the name, that is left alone and the hashed name is used. */
export async function create(
  writer: Writer,
  pod: PodFacts,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Written> {
  const answered = writer.own.creating({ namespace: pod.metadata.namespace, name: wanted.name });
  try {
    writer.own.written(await writer.client.create(kinds.ConfigMap, manifest(pod, wanted), { signal }));
    return DONE;
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) return explain(error, wanted);
  } finally {
    answered();
  }
  const live = await read(writer, pod, wanted, signal);
  if (!live) return AGAIN;
  // Ours, but not in the cache: the cache is behind, or a user removed our label.
  const facts = projectGenerated(live);
  if (isFor(facts, pod, wanted.config)) {
    if (facts.deleting) return AGAIN;
    if (facts.digest === wantedDigest(pod, wanted)) return DONE;
    return update(writer, pod, wanted, facts, signal, live.metadata.labels ?? {});
  }
  const hashed = hashedName(pod.metadata.name, wanted.config.metadata.name);
  if (wanted.name !== hashed) return create(writer, pod, { ...wanted, name: hashed }, signal);
  const message = `ConfigMap ${wanted.name} exists and was not made by this controller: delete or rename it`;
  return { kind: 'trouble', trouble: { reason: 'NameConflict', message } };
}

async function read(
  { client }: Writer,
  { metadata: { namespace } }: PodFacts,
  { name }: Wanted,
  signal: AbortSignal,
): Promise<Stored<kinds.ConfigMapObject> | undefined> {
  try {
    return await client.get(kinds.ConfigMap, { namespace, name }, { signal });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/**
 * Replaces the data, our labels and the owner; other labels and binaryData stay. `labels`: the present ones, if ours
 * may be missing.
 */
export async function update(
  writer: Writer,
  pod: PodFacts,
  wanted: Wanted,
  { metadata, proven }: GeneratedFacts,
  signal: AbortSignal,
  labels?: Readonly<Record<string, string>>,
): Promise<Written> {
  const pointer = (label: string): string =>
    `/metadata/labels/${label.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const ours = { [GENERATED_BY]: wanted.label, [POD_UID]: pod.metadata.uid };
  const operations: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'add', path: '/data', value: wanted.data },
    ...(labels
      ? [
          { op: 'test' as const, path: '/metadata/resourceVersion', value: metadata.resourceVersion },
          { op: 'add' as const, path: '/metadata/labels', value: { ...labels, ...ours } },
        ]
      : Object.entries(ours).map(([label, value]) => ({ op: 'add' as const, path: pointer(label), value }))),
    { op: 'add', path: '/metadata/ownerReferences', value: [ownerOf(pod)] },
  ];
  try {
    const patch = { type: 'json', operations } as const;
    writer.own.written(await writer.client.patch(kinds.ConfigMap, metadata, patch, { signal }));
    return DONE;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof ConflictError) return AGAIN;
    if (!(error instanceof InvalidError)) return explain(error, wanted);
    const live = await read(writer, pod, wanted, signal);
    // A `test` operation of the patch failed: the object has changed.
    if (live?.metadata.uid !== metadata.uid) return AGAIN;
    if (live.immutable && proven) {
      const done = await remove(writer, projectGenerated(live), signal);
      return done.kind === 'done' ? AGAIN : done;
    }
    if (live.metadata.resourceVersion !== metadata.resourceVersion) return AGAIN;
    return explain(error, wanted);
  }
}

export async function remove(
  { client, own }: Writer,
  { metadata }: GeneratedFacts,
  signal: AbortSignal,
): Promise<Written> {
  const { uid, resourceVersion } = metadata;
  try {
    // Preconditions: a user may have taken the object over meanwhile.
    await client.delete(kinds.ConfigMap, metadata, { preconditions: { uid, resourceVersion }, signal });
    own.deleted(metadata);
    return DONE;
  } catch (error) {
    if (error instanceof NotFoundError) return DONE;
    if (error instanceof ConflictError) return AGAIN;
    throw error;
  }
}

function ownerOf({ metadata: { name, uid } }: PodFacts): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true };
}

function manifest(pod: PodFacts, { name, label, data }: Wanted): kinds.ConfigMapObject {
  return {
    metadata: {
      namespace: pod.metadata.namespace,
      name,
      labels: { [GENERATED_BY]: label, [POD_UID]: pod.metadata.uid },
      ownerReferences: [ownerOf(pod)],
    },
    data,
  };
}

function explain(error: unknown, { name }: Wanted): Written {
  // The namespace is deleted, or being deleted.
  if (error instanceof NotFoundError) return { kind: 'over' };
  if (error instanceof ForbiddenError && /being terminated/.test(error.message)) return { kind: 'over' };
  const reason = reasonOf(error);
  if (!reason) throw error;
  const { message } = error as Error;
  return { kind: 'trouble', trouble: { reason, message: `ConfigMap ${name}: ${message}` } };
}

/** The reason of an error that retries do not fix; undefined for a retryable one. */
function reasonOf(error: unknown): Trouble['reason'] | undefined {
  if (error instanceof ForbiddenError) return 'Forbidden';
  if (error instanceof TooLargeError) return 'DataTooLarge';
  return error instanceof InvalidError ? 'WriteFailed' : undefined;
}
