/**
 * From a Secret or ConfigMap to its facts. The values are decoded, hashed and forgotten in one go: nothing that is
 * returned refers to them.
 */
import type { KubernetesObject, kinds, Stored } from '@reloader/runtime';
import type { AnnotationNames } from '../model/annotations.ts';
import type { SourceKind } from '../model/source.ts';
import { packKeyDigests, type SourceFacts } from '../model/source-facts.ts';
import { type DigestKey, framedDigests, type SourceValue } from './framed.ts';
import { stakaterConfigMapHash, stakaterSecretHash } from './stakater.ts';
import { allTexts, ourAnnotations } from './texts.ts';
import { ownsField, secondsOf, writtenAt } from './written-at.ts';

export interface SourceProjectionOptions {
  readonly names: AnnotationNames;
  /** For Secrets; without one their digests are plain. */
  readonly key: DigestKey | undefined;
}

/** On ConfigMaps that a PodConfigMapConfig made. */
export const GENERATED_LABEL = 'podconfig.example.com/generated-by-pcmc';

const DATA_FIELDS = ['f:data', 'f:binaryData', 'f:stringData'];

export function secretFacts(
  secret: Stored<kinds.SecretObject>,
  options: SourceProjectionOptions,
): SourceFacts {
  const values = decoded(secret.data);
  const sha1 = stakaterSecretHash(values);
  const { digest, slot, keys } = framedDigests(identityOf(secret, 'Secret'), values, options.key);
  return {
    ...commonFacts(secret, 'Secret', options.names),
    digest,
    keyDigests: packKeyDigests(keys),
    slot: options.key ? slot : sha1,
    sha1,
  };
}

export function configMapFacts(
  map: Stored<kinds.ConfigMapObject>,
  options: SourceProjectionOptions,
): SourceFacts {
  const texts = valuesOf(map.data, 'utf8');
  const binary = decoded(map.binaryData);
  const sha1 = stakaterConfigMapHash(texts, binary);
  const { digest, keys } = framedDigests(identityOf(map, 'ConfigMap'), [...texts, ...binary], undefined);
  return {
    ...commonFacts(map, 'ConfigMap', options.names),
    digest,
    keyDigests: packKeyDigests(keys),
    slot: sha1,
    sha1,
  };
}

type CommonFacts = Omit<SourceFacts, 'digest' | 'keyDigests' | 'slot' | 'sha1'>;

function commonFacts(
  { metadata }: Stored<KubernetesObject>,
  kind: SourceKind,
  names: AnnotationNames,
): CommonFacts {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const labels = allTexts(metadata.labels);
  return {
    metadata: { name, namespace, uid, resourceVersion },
    kind,
    labels,
    annotations: ourAnnotations(metadata.annotations, names),
    createdAt: secondsOf(metadata.creationTimestamp),
    writtenAt: writtenAt(metadata, (fields) => DATA_FIELDS.some((field) => ownsField(fields, field))),
    generated: Object.hasOwn(labels, GENERATED_LABEL),
  };
}

function identityOf({ metadata }: Stored<KubernetesObject>, kind: SourceKind) {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}

function decoded(data: Readonly<Record<string, string>> | undefined): SourceValue[] {
  return valuesOf(data, 'base64');
}

function valuesOf(
  data: Readonly<Record<string, string>> | undefined,
  encoding: 'utf8' | 'base64',
): SourceValue[] {
  return Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value ?? '', encoding)]);
}
