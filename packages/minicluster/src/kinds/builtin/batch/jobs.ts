import type { KubeObject } from '../../../model/object.ts';
import { describeDuration } from '../../age.ts';
import { dig, ensure, type Fields, fill, isRecord, record, records, same, strings } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { podTemplateWarnings } from '../../pod/warnings.ts';
import { age, column, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { dnsLabel } from '../../validate/names.ts';
import {
  isUsableSelector,
  printableSelector,
  selectorMatches,
  validateLabelSelector,
} from '../../validate/selector.ts';
import {
  nameWarnings,
  validateImmutable,
  validateImmutableSelector,
  validateTemplateLabels,
} from '../apps/workload.ts';
import { containerColumns, number, selectorColumn } from '../cells.ts';
import { define, specOf, textAt } from '../define.ts';
import { applyJobSpecDefaults, applyJobTemplateDefaults, validateJobSpec } from './job-spec.ts';

const JOB_NAME = ['job-name', 'batch.kubernetes.io/job-name'];
const CONTROLLER_UID = ['controller-uid', 'batch.kubernetes.io/controller-uid'];

export const jobs: Kind = define({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  hasStatus: true,
  generation: 'spec',
  orphansByDefault: true,
  checksMetadataTwice: true,
  selectableFields: { 'status.successful': (object) => String(number('status', 'succeeded')(object)) },
  unknownFieldLabel: (label) => `field label "${label}" not supported for Job`,
  columns: [
    name,
    column('Status', statusText),
    column('Completions', completionsText),
    column('Duration', (object, now) => {
      const started = Date.parse(textAt('status', 'startTime')(object));
      if (Number.isNaN(started)) return '';
      const ended = Date.parse(textAt('status', 'completionTime')(object));
      return describeDuration((Number.isNaN(ended) ? now : ended) - started);
    }),
    age,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    applyJobSpecDefaults(spec);
    applyJobTemplateDefaults(spec);
    const labels = dig(spec, 'template', 'metadata', 'labels');
    if (isRecord(labels) && Object.keys(object.metadata.labels ?? {}).length === 0) {
      // The same map object, as upstream: labels generated later for the template appear here too.
      object.metadata.labels = labels as Record<string, string>;
    }
  },
  prepareForCreate(object) {
    const spec = specOf(object);
    if (spec.manualSelector !== true) generateSelector(object, spec);
    // Defaulting runs again when a Job is read, and then the template has the generated labels.
    if (Object.keys(object.metadata.labels ?? {}).length === 0) {
      object.metadata.labels = { ...strings(dig(spec, 'template', 'metadata', 'labels')) };
    }
  },
  validateCreate: (object) =>
    collect(object, (root) => {
      const spec = root.child('spec');
      validateGeneratedSelector(root);
      validateSpec(spec);
      const completions = spec.child('completions').number;
      if (spec.child('completionMode').text === 'Indexed' && completions > 0) {
        const host = `${object.metadata.name}-${completions - 1}`;
        if (dnsLabel(host).length > 0) {
          root
            .child('metadata', 'name')
            .invalid(`will not able to create pod with invalid DNS label: ${host}`);
        }
      }
    }),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      const spec = root.child('spec');
      validateSpec(spec);
      validateCompletions(spec, record(old.spec));
      validateImmutableSelector(spec, dig(old, 'spec', 'selector'));
      validateTemplateUpdate(spec, record(old.spec), isStarted(old));
      for (const field of [
        'completionMode',
        'podFailurePolicy',
        'backoffLimitPerIndex',
        'managedBy',
        'successPolicy',
      ]) {
        validateImmutable(spec.child(field), dig(old, 'spec', field));
      }
    }),
  warnings: (object, old) =>
    old
      ? same(object.spec, old.spec)
        ? []
        : podTemplateWarnings(dig(object, 'spec', 'template'), 'spec.template')
      : [...nameWarnings(object), ...podTemplateWarnings(dig(object, 'spec', 'template'), 'spec.template')],
});

/** A unique label for the Job's own pods, and a selector for it. */
function generateSelector(object: KubeObject, spec: Fields): void {
  const labels = ensure(ensure(ensure(spec, 'template'), 'metadata'), 'labels');
  for (const key of JOB_NAME) fill(labels, { [key]: object.metadata.name });
  for (const key of CONTROLLER_UID) fill(labels, { [key]: object.metadata.uid });
  fill(ensure(ensure(spec, 'selector'), 'matchLabels'), {
    'batch.kubernetes.io/controller-uid': object.metadata.uid,
  });
}

function validateGeneratedSelector(root: Field): void {
  const spec = root.child('spec');
  if (spec.child('manualSelector').value === true || spec.child('selector').absent) return;
  const metadata = spec.child('template', 'metadata');
  const labels = strings(metadata.child('labels').value);
  const expected: Record<string, string> = {};
  for (const keys of [CONTROLLER_UID, JOB_NAME]) {
    const value = root.child('metadata', keys === JOB_NAME ? 'name' : 'uid').text;
    for (const key of keys) expected[key] = value;
  }
  const order = [CONTROLLER_UID[0], JOB_NAME[0], CONTROLLER_UID[1], JOB_NAME[1]];
  for (const key of order) {
    if (key === undefined || labels[key] === expected[key]) continue;
    if (labels[key] === undefined) metadata.child('labels').key(key).required(`must be '${expected[key]}'`);
    else metadata.child('labels').key(key).invalid(`must be '${expected[key]}'`, labels);
  }
  if (!selectorMatches(spec.child('selector').value, expected)) {
    spec
      .child('selector')
      .invalid('`selector` not auto-generated', printableSelector(spec.child('selector').value));
  }
}

function validateSpec(spec: Field): void {
  validateJobSpec(spec);
  const selector = spec.child('selector');
  if (selector.absent) selector.required();
  else validateLabelSelector(selector);
  if (isUsableSelector(selector.value)) validateTemplateLabels(spec);
}

/** Only an indexed Job can be scaled, together with its parallelism. */
function validateCompletions(spec: Field, old: Fields): void {
  const completions = spec.child('completions');
  if (spec.child('completionMode').text !== 'Indexed') {
    validateImmutable(completions, old.completions);
    return;
  }
  if (completions.absent || completions.value === old.completions) return;
  if (completions.value !== spec.child('parallelism').value) {
    completions.invalid('can only be modified in tandem with spec.parallelism');
  }
}

/** The scheduling directives of a suspended Job that has not started are mutable. */
function validateTemplateUpdate(spec: Field, old: Fields, started: boolean): void {
  const template = record(spec.child('template').value);
  let before = record(old.template);
  if (old.suspend === true && !started) {
    const podSpec = record(template.spec);
    before = {
      ...before,
      metadata: { ...record(before.metadata), ...pick(record(template.metadata), ['labels', 'annotations']) },
      spec: {
        ...record(before.spec),
        ...pick(podSpec, ['nodeSelector', 'tolerations', 'schedulingGates', 'affinity']),
      },
    };
  }
  if (!same(template, before)) spec.child('template').invalid('field is immutable');
}

const pick = (source: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((field) => [field, source[field]]));

const isStarted = (job: KubeObject): boolean => textAt('status', 'startTime')(job) !== '';

const hasCondition = (object: KubeObject, type: string): boolean =>
  records(dig(object, 'status', 'conditions')).some(
    (condition) => condition.type === type && condition.status === 'True',
  );

function statusText(object: KubeObject): string {
  if (hasCondition(object, 'Complete')) return 'Complete';
  if (hasCondition(object, 'Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp) return 'Terminating';
  return (
    ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => hasCondition(object, type)) ??
    'Running'
  );
}

function completionsText(object: KubeObject): string {
  const succeeded = number('status', 'succeeded')(object);
  const completions = dig(object, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = number('spec', 'parallelism')(object);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}
