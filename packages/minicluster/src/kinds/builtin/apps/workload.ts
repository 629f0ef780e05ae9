/**
 * Shared by Deployments, ReplicaSets, StatefulSets and DaemonSets: a selector that must match the template and is
 * immutable, a pod template, replicas, consistent numbers in status.
 */
import type { KubeObject } from '../../../model/object.ts';
import { dig, ensure, isRecord, same, strings } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { applyPodSpecDefaults } from '../../pod/defaults.ts';
import { validatePodTemplate } from '../../pod/spec.ts';
import { podTemplateWarnings } from '../../pod/warnings.ts';
import type { Field } from '../../validate/field.ts';
import { dnsLabel } from '../../validate/names.ts';
import {
  isEmptySelector,
  isUsableSelector,
  printableSelector,
  selectorMatches,
  validateLabelSelector,
} from '../../validate/selector.ts';
import { define, specOf } from '../define.ts';

/** A kind of the apps group with a pod template, a status and the category `all`. */
export function workload(description: Parameters<typeof define>[0]): Kind {
  return define({
    group: 'apps',
    categories: ['all'],
    hasStatus: true,
    warnings: (object, old) => [
      ...(old || !WARNED_NAMES.has(description.kind) ? [] : nameWarnings(object)),
      ...templateWarnings(object, old, 'spec.template'),
    ],
    ...description,
    setDefaults(object) {
      description.setDefaults?.(object);
      applyTemplateDefaults(specOf(object));
    },
  });
}

const WARNED_NAMES = new Set(['Deployment', 'ReplicaSet']);

/** Names that become parts of host names. */
export function nameWarnings(object: KubeObject): string[] {
  const reasons = dnsLabel(object.metadata.name);
  if (reasons.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${reasons.join(' ')}]`,
  ];
}

/** Only if the template is new or has changed. */
export function templateWarnings(object: KubeObject, old: KubeObject | undefined, path: string): string[] {
  const keys = path.split('.');
  const template = dig(object, ...keys);
  if (old && same(template, dig(old, ...keys))) return [];
  return podTemplateWarnings(template, path);
}

/** The template at `parent.template`, with its metadata. */
export function applyTemplateDefaults(parent: Record<string, unknown>): void {
  const template = ensure(parent, 'template');
  ensure(template, 'metadata');
  applyPodSpecDefaults(ensure(template, 'spec'));
}

/** `spec.selector`: present, well formed, not empty. */
export function validateSelector(selector: Field, kindName: string): void {
  if (selector.absent) {
    selector.required();
    return;
  }
  validateLabelSelector(selector);
  if (isEmptySelector(selector.value)) {
    selector.invalid(`empty selector is invalid for ${kindName}`, printableSelector(selector.value));
  }
}

/** The selector must match the template's labels. */
export function validateTemplateLabels(spec: Field): void {
  const selector = spec.child('selector').value;
  const labels = spec.child('template', 'metadata', 'labels');
  if (!selectorMatches(selector, strings(labels.value))) {
    labels.invalid(
      '`selector` does not match template `labels`',
      isRecord(labels.value) ? labels.value : null,
    );
  }
}

/** `spec.template` of a kind whose pods always restart. */
export function validateWorkloadTemplate(
  spec: Field,
  kindName: string,
  claims: readonly string[] = [],
): void {
  const template = spec.child('template');
  validatePodTemplate(template, claims);
  const restartPolicy = template.child('spec', 'restartPolicy');
  if (restartPolicy.text !== 'Always') restartPolicy.notSupported(['Always'], restartPolicy.text);
  const deadline = template.child('spec', 'activeDeadlineSeconds');
  if (!deadline.absent) deadline.forbidden(`activeDeadlineSeconds in ${kindName} is not Supported`);
}

/** Selector and template of Deployments and ReplicaSets. */
export function validateReplicated(spec: Field): void {
  const selector = spec.child('selector');
  validateSelector(selector, 'deployment');
  if (!isUsableSelector(selector.value)) {
    selector.invalid('invalid label selector', printableSelector(selector.value));
    return;
  }
  if (selector.absent || !isEmptySelector(selector.value)) validateTemplateLabels(spec);
  validateWorkloadTemplate(spec, 'ReplicaSet');
}

export function validateImmutable(field: Field, old: unknown): void {
  if (!same(field.value, old)) field.invalid('field is immutable');
}

export function validateImmutableSelector(spec: Field, old: unknown): void {
  const selector = spec.child('selector');
  if (!same(selector.value, old)) selector.invalid('field is immutable', printableSelector(selector.value));
}

/** Counts in status: none negative, and none above the one that they are part of. */
export function validateCounts(
  status: Field,
  counts: readonly string[],
  limits: readonly (readonly [string, string, string])[],
): void {
  for (const name of counts) status.child(name).notNegative();
  for (const [part, whole, detail] of limits) {
    const field = status.child(part);
    if (field.number > status.child(whole).number) field.invalid(`cannot be greater than ${detail}`);
  }
}
