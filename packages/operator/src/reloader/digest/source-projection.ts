/**
 * Projects a Secret or ConfigMap to its facts. The values are decoded, hashed and dropped: the result does not refer to
 * them.
 */

import type { ConfigMapBytes, KubernetesObject, SecretBytes, SourceBytes, Stored } from '@reloader/runtime';
import { GENERATED_BY } from '../../podconfig/model.ts';
import type { AnnotationNames } from '../model/annotations.ts';
import type { SourceKind } from '../model/source.ts';
import { packKeyDigests, type SourceFacts } from '../model/source-facts.ts';
import {
  type DigestKey,
  type FramedDigests,
  framedDigests,
  type SourceValue,
  sortedByKey,
} from './framed.ts';
import { legacyHashOf } from './legacy-hash.ts';
import { stakaterConfigMapHash, stakaterSecretHash } from './stakater.ts';
import { allTexts, ourAnnotations } from './texts.ts';
import { lastWrite, ownsField, secondsOf } from './written-at.ts';

export interface SourceProjectionOptions {
  readonly names: AnnotationNames;
  /** For Secrets; without a key their digests are plain. */
  readonly key: DigestKey | undefined;
  /** The key before the last rotation. */
  readonly previousKey?: DigestKey | undefined;
  /** Compute the earlier operator's hash, too. */
  readonly legacyHash?: boolean;
}

const DATA_FIELDS = ['f:data', 'f:binaryData', 'f:stringData'];

export function secretFacts(
  secret: Stored<SecretBytes>,
  { names, key, previousKey, legacyHash }: SourceProjectionOptions,
): SourceFacts {
  // Sorted once for all hashes below.
  const values = sortedByKey(decoded(secret.data));
  const sha1 = stakaterSecretHash(values);
  const identity = identityOf(secret, 'Secret');
  const digests = framedDigests(identity, values, key);
  const facts = factsOf(secret, 'Secret', names, digests, sha1, key ? digests.slot : sha1);
  if (!legacyHash && !previousKey) return facts;
  const before = previousKey && framedDigests(identity, values, previousKey);
  return {
    ...facts,
    ...(legacyHash && { legacyHash: legacyHashOf(values) }),
    ...(before && { previous: { digest: before.digest, keyDigests: packKeyDigests(before.keys) } }),
  };
}

export function configMapFacts(
  map: Stored<ConfigMapBytes>,
  { names, legacyHash }: SourceProjectionOptions,
): SourceFacts {
  const texts = valuesOf(map.data, 'utf8');
  const binary = decoded(map.binaryData);
  const sha1 = stakaterConfigMapHash(texts, binary);
  const digests = framedDigests(identityOf(map, 'ConfigMap'), [...texts, ...binary], undefined);
  const facts = factsOf(map, 'ConfigMap', names, digests, sha1, sha1);
  return legacyHash ? { ...facts, legacyHash: legacyHashOf([...texts, ...binary]) } : facts;
}

/** One literal with all fields: an object that is built field by field takes twice the memory. */
function factsOf(
  { metadata }: Stored<KubernetesObject>,
  kind: SourceKind,
  names: AnnotationNames,
  { digest, keys }: FramedDigests,
  sha1: string,
  slot: string,
): SourceFacts {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const labels = allTexts(metadata.labels);
  const written = lastWrite(metadata, (fields) => DATA_FIELDS.some((field) => ownsField(fields, field)));
  return {
    metadata: { name, namespace, uid, resourceVersion },
    kind,
    labels,
    annotations: ourAnnotations(metadata.annotations, names),
    createdAt: secondsOf(metadata.creationTimestamp),
    writtenAt: written.at,
    writtenBy: written.by,
    digest,
    keyDigests: packKeyDigests(keys),
    slot,
    sha1,
    generated: Object.hasOwn(labels, GENERATED_BY),
  };
}

function identityOf({ metadata }: Stored<KubernetesObject>, kind: SourceKind) {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

function decoded(data: Readonly<Record<string, SourceBytes>> | undefined): SourceValue[] {
  return valuesOf(data, 'base64');
}

function valuesOf(
  data: Readonly<Record<string, SourceBytes>> | undefined,
  encoding: 'utf8' | 'base64',
): SourceValue[] {
  return Object.entries(data ?? {}).map(([key, value]) => [
    key,
    value instanceof Uint8Array ? value : Buffer.from(value ?? '', encoding),
  ]);
}
