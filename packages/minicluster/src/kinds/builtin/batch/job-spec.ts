/** The spec of a Job, alone or inside a CronJob. */
import { ensure, type Fields, fill, isAbsent } from '../../fields.ts';
import { applyPodSpecDefaults } from '../../pod/defaults.ts';
import { validatePodTemplate } from '../../pod/spec.ts';
import type { Field } from '../../validate/field.ts';

/** Defaults of a pod template, also for a Job inside a CronJob. */
export function applyJobTemplateDefaults(spec: Fields): void {
  const template = ensure(spec, 'template');
  ensure(template, 'metadata');
  applyPodSpecDefaults(ensure(template, 'spec'));
}

/** Defaults of Jobs only. */
export function applyJobSpecDefaults(spec: Fields): void {
  if (isAbsent(spec.completions) && isAbsent(spec.parallelism)) spec.completions = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: isAbsent(spec.backoffLimitPerIndex) ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: isAbsent(spec.podFailurePolicy) ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
];

export function validateJobSpec(spec: Field): void {
  for (const name of COUNTS) spec.child(name).notNegative();
  const perIndex = spec.child('backoffLimitPerIndex');
  const maxFailed = spec.child('maxFailedIndexes');
  maxFailed.notNegative();
  if (!maxFailed.absent && perIndex.absent) perIndex.required('when maxFailedIndexes is specified');
  const mode = spec.child('completionMode');
  if (!mode.absent && !['NonIndexed', 'Indexed'].includes(mode.text)) {
    mode.notSupported(['NonIndexed', 'Indexed']);
  }
  if (mode.text === 'Indexed') {
    if (spec.child('completions').absent)
      spec.child('completions').required('when completion mode is Indexed');
  } else if (mode.absent || mode.text === 'NonIndexed') {
    for (const field of [perIndex, maxFailed]) {
      if (!field.absent) field.invalid('requires indexed completion mode');
    }
  }
  const replacement = spec.child('podReplacementPolicy');
  const allowed = spec.child('podFailurePolicy').absent ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (!replacement.absent && !allowed.includes(replacement.text)) replacement.notSupported(allowed);

  validatePodTemplate(spec.child('template'));
  const restart = spec.child('template', 'spec', 'restartPolicy');
  if (restart.empty || restart.text === 'Always') restart.required('valid values: "OnFailure", "Never"');
  else if (!['OnFailure', 'Never'].includes(restart.text)) restart.notSupported(['OnFailure', 'Never']);
  else if (!spec.child('podFailurePolicy').absent && restart.text !== 'Never') {
    restart.invalid('only "Never" is supported when podFailurePolicy is specified');
  }
}
