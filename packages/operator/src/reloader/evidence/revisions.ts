/**
 * Earlier pod templates of a workload, from its ReplicaSets or ControllerRevisions, read live.
 *
 * In: a workload and the digest of the earlier values of our own fields. Out: those fields, if the workload still has a
 * revision with them that differs from the current template only in our fields. One LIST by its selector.
 */
import {
  type Client,
  controllerOf,
  type KubernetesObject,
  listPages,
  type ResourceType,
  selectorFrom,
} from '@reloader/runtime';
import type { AnnotationNames } from '../model/annotations.ts';
import { ControllerRevisions, ReplicaSets } from '../model/kinds.ts';
import { type OwnFields, ownFieldsDigest, ownFieldsOfTemplate } from '../model/own-fields.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { PodTemplate } from '../model/workload-object.ts';
import { templateDigest } from '../project/template-digest.ts';

type Template = PodTemplate & { $patch?: string };

interface Revision extends KubernetesObject {
  spec?: { template?: Template };
  data?: { spec?: { template?: Template } };
}

const PAGE = 100;
/** Labels that controllers add to the templates of their ReplicaSets. */
const HASH_LABELS = ['pod-template-hash', 'rollouts-pod-template-hash'];

export async function earlierFields(
  client: Client,
  workload: WorkloadFacts,
  digest: string,
  names: AnnotationNames,
  signal: AbortSignal,
): Promise<OwnFields | undefined> {
  const { kind, selector, metadata } = workload;
  if (!selector) return undefined;
  const type: ResourceType<Revision> =
    kind === 'Deployment' || kind === 'Rollout' ? ReplicaSets : ControllerRevisions;
  const { namespace, uid } = metadata;
  const labelSelector = selectorFrom(selector).text;
  for await (const { items } of listPages(client, type, { namespace, labelSelector, limit: PAGE, signal })) {
    for (const revision of items) {
      if (controllerOf(revision)?.uid !== uid) continue;
      const template = templateIn(revision);
      const fields = ownFieldsOfTemplate(template);
      if (ownFieldsDigest(fields) === digest && isSameApart(template, workload, names)) return fields;
    }
  }
  return undefined;
}

function templateIn({ spec, data }: Revision): PodTemplate {
  const { $patch: _, ...template } = spec?.template ?? data?.spec?.template ?? {};
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(
    ([name]) => !HASH_LABELS.includes(name),
  );
  return {
    ...template,
    metadata: { ...template.metadata, ...(labels.length > 0 && { labels: Object.fromEntries(labels) }) },
  };
}

/**
 * Compares without our fields. A Rollout's template is stored as it was sent, that of its ReplicaSet with defaults, so
 * they cannot be compared: for a Rollout the caller knows that only we have changed it since.
 */
function isSameApart(
  template: PodTemplate,
  { kind, templateDigest: wanted }: WorkloadFacts,
  names: AnnotationNames,
): boolean {
  if (kind === 'Rollout') return true;
  // API servers before 1.34 write a null creationTimestamp, later ones omit it, and a revision keeps its first form.
  const { creationTimestamp: _, ...metadata } = { creationTimestamp: null, ...template.metadata };
  const forms = [metadata, { ...metadata, creationTimestamp: null }];
  return forms.some((each) => templateDigest({ ...template, metadata: each }, names) === wanted);
}
