/**
 * SecretProviderClasses: the class does not change, only the mounted content, which the CSI driver records per pod.
 *
 * In: the SecretProviderClassPodStatus objects, and the classes for their annotations. Out: one set of facts per class,
 * from the newest status: the driver rotates the pods of a class one by one, and the newest status shows the content
 * that a new pod would get.
 */

import type { KubernetesObject, Stored } from '@reloader/runtime';
import type { AnnotationNames } from '../model/annotations.ts';
import type { PodStatusObject } from '../model/kinds.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { packKeyDigests } from '../model/source-facts.ts';
import { framedDigests } from './framed.ts';
import { stakaterProviderClassHash } from './stakater.ts';
import { allTexts, NO_TEXTS, ourAnnotations, type Texts } from './texts.ts';
import { lastWrite, ownsField, secondsOf } from './written-at.ts';

/** The cached part of one pod's status. */
export interface PodStatusFacts {
  readonly metadata: SourceFacts['metadata'];
  readonly className: string;
  readonly createdAt: number;
  readonly writtenAt: number;
  readonly digest: string;
  readonly keyDigests: string;
  readonly sha1: string;
}

/** The cached part of a class. */
export interface ProviderClassFacts {
  readonly metadata: SourceFacts['metadata'];
  readonly labels: Texts;
  readonly annotations: Texts;
}

export function podStatusFacts(object: Stored<PodStatusObject>): PodStatusFacts {
  const { name, namespace = '', uid, resourceVersion } = object.metadata;
  const className = object.status?.secretProviderClassName ?? '';
  const objects = (object.status?.objects ?? []).map(({ id = '', version = '' }) => ({ id, version }));
  const identity = { kind: 'SecretProviderClass', namespace, name: className };
  const values = objects.map(({ id, version }) => [id, Buffer.from(version)] as const);
  const { digest, keys } = framedDigests(identity, values, undefined);
  return {
    metadata: { name, namespace, uid, resourceVersion },
    className,
    createdAt: secondsOf(object.metadata.creationTimestamp),
    writtenAt: lastWrite(object.metadata, (fields) => ownsField(fields, 'f:status')).at,
    digest,
    keyDigests: packKeyDigests(keys),
    sha1: stakaterProviderClassHash(className, objects),
  };
}

export function providerClassFacts(
  { metadata }: Stored<KubernetesObject>,
  names: AnnotationNames,
): ProviderClassFacts {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return {
    metadata: { name, namespace, uid, resourceVersion },
    labels: allTexts(metadata.labels),
    annotations: ourAnnotations(metadata.annotations, names),
  };
}

/** The facts of a class, from its newest status; without the class object there are no annotations. */
export function sourceOfProviderClass(
  status: PodStatusFacts,
  providerClass: ProviderClassFacts | undefined,
): SourceFacts {
  const { namespace } = status.metadata;
  return {
    metadata: providerClass?.metadata ?? { name: status.className, namespace, uid: '', resourceVersion: '0' },
    kind: 'SecretProviderClass',
    labels: providerClass?.labels ?? NO_TEXTS,
    annotations: providerClass?.annotations ?? NO_TEXTS,
    createdAt: status.createdAt,
    writtenAt: status.writtenAt,
    writtenBy: '',
    digest: status.digest,
    keyDigests: status.keyDigests,
    slot: status.sha1,
    sha1: status.sha1,
    generated: false,
  };
}
