/** Creating, adopting and naming the objects that a workload controls. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, OwnerReference } from '../model/object.ts';
import type { PodTemplate } from './types.ts';

/** Without vowels and look-alikes, so that no words appear in names. */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

function safeString(bytes: Uint8Array, length: number): string {
  return Array.from(bytes.subarray(0, length), (byte) => SAFE[byte % SAFE.length]).join('');
}

/** The hash in the name of a ReplicaSet or revision. `collisions` changes it if a name is taken. */
export function templateHash(template: unknown, collisions: number): string {
  const input = JSON.stringify([template, collisions]);
  return safeString(createHash('sha256').update(input).digest(), 10);
}

export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A pod from a template, with its owner and additional labels. */
export function podFromTemplate(
  template: PodTemplate,
  owner: KubeObject,
  identity: { name?: string; generateName?: string; labels?: Record<string, string> },
): Record<string, unknown> {
  const { labels, annotations } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(identity.name ? { name: identity.name } : { generateName: identity.generateName }),
      namespace: owner.metadata.namespace,
      labels: { ...labels, ...identity.labels },
      ...(annotations && { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template.spec),
  };
}

/** Equal except for the labels that controllers add. */
export function sameTemplate(a: PodTemplate, b: PodTemplate, ignoredLabel: string): boolean {
  const bare = ({ metadata = {}, spec }: PodTemplate): unknown => {
    const { labels = {}, ...rest } = metadata;
    const { [ignoredLabel]: _, ...kept } = labels;
    return { metadata: { ...rest, creationTimestamp: null, labels: kept }, spec };
  };
  return isDeepStrictEqual(bare(a), bare(b));
}
