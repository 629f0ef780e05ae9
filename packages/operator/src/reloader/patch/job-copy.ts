/** The Job that replaces another one: the same manifest without the fields that the API server set. Pure. */
import type { KubernetesObject, ObjectMeta, Stored } from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { changedTemplate, type RawTemplate } from './raw-template.ts';
import type { TemplateChange } from './template-change.ts';

export interface RawJob extends KubernetesObject {
  spec?: {
    selector?: unknown;
    manualSelector?: boolean;
    template?: RawTemplate;
    [field: string]: unknown;
  };
}

const GENERATED_LABELS = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

export function copyOfJob(job: Stored<RawJob>, change: TemplateChange): RawJob {
  const { namespace = '', name, labels, annotations, ownerReferences, finalizers } = job.metadata;
  const { selector, template = {}, ...spec } = job.spec ?? {};
  const manual = spec.manualSelector === true;
  const changed = changedTemplate(template, change);
  // The ledger holds the uid of the old Job, so it is not copied.
  const { [FIXED_ANNOTATIONS.ledger]: _, ...kept } = annotations ?? {};
  const metadata: ObjectMeta = {
    namespace,
    name,
    ...(labels && { labels: manual ? labels : withoutGenerated(labels) }),
    annotations: kept,
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
  };
  if (!manual && changed.metadata?.labels)
    changed.metadata.labels = withoutGenerated(changed.metadata.labels);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { ...spec, ...(manual && { selector }), template: changed },
  };
}

function withoutGenerated(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !GENERATED_LABELS.includes(name)));
}
