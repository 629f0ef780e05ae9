/** Projects a Namespace to its facts. */
import type { KubernetesObject, Stored } from '@reloader/runtime';
import { allTexts, ourAnnotations } from '../digest/texts.ts';
import type { AnnotationNames } from '../model/annotations.ts';
import type { NamespaceFacts } from '../model/world.ts';
import { annotator, freezeWrite } from './annotator.ts';

export function namespaceFacts(
  { metadata }: Stored<KubernetesObject>,
  names: AnnotationNames,
): NamespaceFacts {
  const { name, uid, resourceVersion } = metadata;
  const annotations = ourAnnotations(metadata.annotations, names);
  return {
    metadata: { name, uid, resourceVersion },
    labels: allTexts(metadata.labels),
    annotations,
    writtenBy: annotator(metadata, Object.keys(annotations)),
    ...freezeWrite(metadata),
    deleting: metadata.deletionTimestamp !== undefined,
  };
}
