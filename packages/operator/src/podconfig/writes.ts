/** The writes to generated ConfigMaps. Each can be repeated, and none touches what is not ours. */
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
} from '@reloader/runtime';
import { GENERATED_BY, type GeneratedFacts, POD_UID, type PodFacts, type Trouble } from './model.ts';
import { hashedName } from './names.ts';
import type { Wanted } from './plan.ts';

export type Written =
  | { readonly kind: 'done' }
  /** The caches are behind: look again. */
  | { readonly kind: 'again' }
  /** The namespace or the pod goes: nothing is to be done any more. */
  | { readonly kind: 'over' }
  | { readonly kind: 'trouble'; readonly trouble: Trouble };

const DONE: Written = { kind: 'done' };

function ownerOf({ metadata: { name, uid } }: PodFacts): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true };
}

/** A name that a user took is left alone; the hashed one is used instead. */
export async function create(
  client: Client,
  pod: PodFacts,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Written> {
  const hashed = hashedName(pod.metadata.name, wanted.config.metadata.name);
  try {
    await client.create(kinds.ConfigMap, manifest(pod, wanted), { signal });
    return DONE;
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) return explain(error, wanted);
  }
  if (await isOurs(client, pod, wanted, signal)) return { kind: 'again' };
  if (wanted.name !== hashed) return create(client, pod, { ...wanted, name: hashed }, signal);
  const message = `ConfigMap ${wanted.name} exists and was not made by this controller: delete or rename it`;
  return { kind: 'trouble', trouble: { reason: 'NameConflict', message } };
}

/** Our own of this very pair, which the cache does not show yet. */
async function isOurs(
  client: Client,
  pod: PodFacts,
  { name, label }: Wanted,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const key = { namespace: pod.metadata.namespace, name };
    const { metadata } = await client.get(kinds.ConfigMap, key, { metadataOnly: true, signal });
    const owner = metadata.ownerReferences?.find(({ controller }) => controller);
    return (
      metadata.labels?.[GENERATED_BY] === label && owner?.kind === 'Pod' && owner.name === pod.metadata.name
    );
  } catch (error) {
    if (error instanceof NotFoundError) return true;
    throw error;
  }
}

/** The whole data, our labels and the owner; other labels and binaryData stay as they are. */
export async function update(
  client: Client,
  pod: PodFacts,
  wanted: Wanted,
  { metadata }: GeneratedFacts,
  signal: AbortSignal,
): Promise<Written> {
  const pointer = (label: string): string =>
    `/metadata/labels/${label.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const operations: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'add', path: '/data', value: wanted.data },
    { op: 'add', path: pointer(GENERATED_BY), value: wanted.label },
    { op: 'add', path: pointer(POD_UID), value: pod.metadata.uid },
    { op: 'add', path: '/metadata/ownerReferences', value: [ownerOf(pod)] },
  ];
  try {
    await client.patch(kinds.ConfigMap, metadata, { type: 'json', operations }, { signal });
    return DONE;
  } catch (error) {
    if (error instanceof InvalidError || error instanceof NotFoundError) return { kind: 'again' };
    return explain(error, wanted);
  }
}

export async function remove(
  client: Client,
  { metadata }: GeneratedFacts,
  signal: AbortSignal,
): Promise<Written> {
  const { uid, resourceVersion } = metadata;
  try {
    // Only as we saw it: somebody may have made it theirs.
    await client.delete(kinds.ConfigMap, metadata, { preconditions: { uid, resourceVersion }, signal });
    return DONE;
  } catch (error) {
    if (error instanceof NotFoundError) return DONE;
    if (error instanceof ConflictError) return { kind: 'again' };
    throw error;
  }
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
  if (error instanceof ForbiddenError) {
    if (/being terminated/.test(error.message)) return { kind: 'over' };
    return {
      kind: 'trouble',
      trouble: { reason: 'Forbidden', message: `ConfigMap ${name}: ${error.message}` },
    };
  }
  // The namespace is gone already.
  if (error instanceof NotFoundError) return { kind: 'over' };
  if (error instanceof InvalidError) {
    return {
      kind: 'trouble',
      trouble: { reason: 'WriteFailed', message: `ConfigMap ${name}: ${error.message}` },
    };
  }
  throw error;
}
