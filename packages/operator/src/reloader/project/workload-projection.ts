/** Projects a workload of any kind to its facts. Fields that decisions do not read are dropped. */
import { controllerOf, hasFinished, rolloutFacts, type Stored } from '@reloader/runtime';
import { allTexts, ourAnnotations } from '../digest/texts.ts';
import { type FieldsMap, type LastWrite, lastWrite, ownsField, secondsOf } from '../digest/written-at.ts';
import { type AnnotationNames, FIELD_MANAGER } from '../model/annotations.ts';
import { slotsOf } from '../model/own-fields.ts';
import { podFacts } from '../model/pod-facts.ts';
import type { WorkloadFacts, WorkloadKind, WorkloadRef } from '../model/workload.ts';
import { WORKLOAD_KINDS } from '../model/workload.ts';
import {
  type PodTemplate,
  templateOf,
  type WorkloadObject,
  type WorkloadSpec,
} from '../model/workload-object.ts';
import { annotator, freezeWrite } from './annotator.ts';
import { templateDigest } from './template-digest.ts';

export function workloadFacts(
  object: Stored<WorkloadObject>,
  kind: WorkloadKind,
  names: AnnotationNames,
): WorkloadFacts {
  const { metadata, spec = {} } = object;
  const { name, namespace = '', uid, resourceVersion } = metadata;
  const template = templateOf(object, kind);
  const controller = controllerOf(object);
  const written = templateWrite(object, kind);
  const annotations = ourAnnotations(metadata.annotations, names);
  const ours = Object.keys(annotations);
  return {
    metadata: { name, namespace, uid, resourceVersion },
    kind,
    createdAt: secondsOf(metadata.creationTimestamp),
    annotatedAt: annotatedAt(object, ours),
    writtenBy: annotator(metadata, ours),
    ...freezeWrite(metadata),
    deleting: metadata.deletionTimestamp !== undefined,
    labels: allTexts(metadata.labels),
    annotations,
    templateAnnotations: ourAnnotations(template.metadata?.annotations, names),
    pod: podFacts(template.spec),
    containers: containersOf(template),
    slots: slotsOf(template),
    hasTemplateAnnotations: template.metadata?.annotations !== undefined,
    hasAnnotations: metadata.annotations !== undefined,
    templateDigest: templateDigest(template, names),
    templateWrittenAt: written.at,
    templateWrittenBy: written.by,
    rollout: rolloutFacts(object, kind),
    ...(kind === 'StatefulSet' && spec.podManagementPolicy !== 'Parallel' && { inOrder: true as const }),
    controlledBy: controller && `${controller.kind}/${controller.name}`,
    finished: kind === 'Job' && hasFinished(object),
    workloadRef: kind === 'Rollout' ? referenceOf(spec, namespace) : undefined,
    selector: selectorOf(spec, kind),
  };
}

function containersOf({ spec }: PodTemplate): WorkloadFacts['containers'] {
  return (spec?.containers ?? []).map(({ name = '', env }) => ({ name, envCount: env?.length ?? 0 }));
}

function templateWrite({ metadata }: Stored<WorkloadObject>, kind: WorkloadKind): LastWrite {
  const field = kind === 'CronJob' ? 'f:jobTemplate' : 'f:template';
  return lastWrite(
    metadata,
    (fields, { manager }) => manager !== FIELD_MANAGER && ownsField(fields, 'f:spec', field),
  );
}

/** The earliest write by a manager that owns annotations of ours and no field of the spec, as in `kubectl annotate`. */
function annotatedAt({ metadata }: Stored<WorkloadObject>, ours: readonly string[]): number {
  const created = secondsOf(metadata.creationTimestamp);
  const times: number[] = [];
  for (const { fieldsV1, manager, time } of metadata.managedFields ?? []) {
    const fields = (fieldsV1 ?? {}) as FieldsMap;
    const owns = ours.some((name) => ownsField(fields, 'f:metadata', 'f:annotations', `f:${name}`));
    if (!owns || manager === FIELD_MANAGER) continue;
    if (ownsField(fields, 'f:spec')) return created;
    times.push(secondsOf(time));
  }
  return times.length > 0 ? Math.max(created, Math.min(...times)) : created;
}

function referenceOf({ workloadRef }: WorkloadSpec, namespace: string): WorkloadRef | undefined {
  const kind = WORKLOAD_KINDS.find((known) => known === workloadRef?.kind);
  const name = workloadRef?.name;
  return kind && name ? { kind, namespace, name } : undefined;
}

/** As a LabelSelector: the selector of a DeploymentConfig is a plain map of labels. */
function selectorOf({ selector }: WorkloadSpec, kind: WorkloadKind): WorkloadFacts['selector'] {
  if (!selector) return undefined;
  return kind === 'DeploymentConfig' ? { matchLabels: selector } : selector;
}
