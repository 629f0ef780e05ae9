import { describeAge } from '../../age.ts';
import { array, dig, ensure, fill, fillEmpty } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { podTemplateWarnings } from '../../pod/warnings.ts';
import { age, column, count, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { printableSelector } from '../../validate/selector.ts';
import { nameWarnings } from '../apps/workload.ts';
import { containerColumns, selectorColumn, textOr } from '../cells.ts';
import { define, specOf, textAt } from '../define.ts';
import { scheduleProblem } from './cron.ts';
import { applyJobTemplateDefaults, validateJobSpec } from './job-spec.ts';

export const cronJobs: Kind = define({
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  hasStatus: true,
  generation: 'spec',
  columns: [
    name,
    column('Schedule', textAt('spec', 'schedule')),
    column('Timezone', textOr('<none>', 'spec', 'timeZone')),
    column('Suspend', suspendText, { type: 'boolean' }),
    count('Active', (object) => array(dig(object, 'status', 'active')).length),
    column('Last Schedule', (object, now) => {
      const last = textAt('status', 'lastScheduleTime')(object);
      return last ? describeAge(last, now) : '<none>';
    }),
    age,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
    selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fillEmpty(spec, { concurrencyPolicy: 'Allow' });
    fill(spec, { suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 });
    const jobTemplate = ensure(spec, 'jobTemplate');
    ensure(jobTemplate, 'metadata');
    applyJobTemplateDefaults(ensure(jobTemplate, 'spec'));
  },
  validateCreate: (object) =>
    collect(object, (root) => {
      validateSpec(root.child('spec'));
      const name = root.child('metadata', 'name');
      if (Buffer.byteLength(name.text) > 52) name.invalid('must be no more than 52 characters');
    }),
  validateUpdate: (object, old) =>
    collect(object, (root) => validateSpec(root.child('spec'), textAt('spec', 'timeZone')(old), old)),
  warnings: (object, old) => [
    ...(old ? [] : nameWarnings(object)),
    ...podTemplateWarnings(
      dig(object, 'spec', 'jobTemplate', 'spec', 'template'),
      'spec.jobTemplate.spec.template',
    ),
  ],
});

function suspendText(object: Parameters<NonNullable<Kind['rowConditions']>>[0]): string {
  const suspend = dig(object, 'spec', 'suspend');
  return typeof suspend === 'boolean' ? (suspend ? 'True' : 'False') : '<unset>';
}

function validateSpec(spec: Field, oldTimeZone?: string, old?: unknown): void {
  const schedule = spec.child('schedule');
  if (schedule.empty) schedule.required();
  else {
    const problem = scheduleProblem(schedule.text);
    if (problem) schedule.invalid(problem);
    const tolerated = String(dig(old, 'spec', 'schedule') ?? '').includes('TZ');
    if (schedule.text.includes('TZ') && !tolerated) {
      schedule.invalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
    }
  }
  spec.child('startingDeadlineSeconds').notNegative();
  const timeZone = spec.child('timeZone');
  if (!timeZone.absent && timeZone.text !== oldTimeZone) validateTimeZone(timeZone);
  spec.child('concurrencyPolicy').oneOf(['Allow', 'Forbid', 'Replace']);
  const jobSpec = spec.child('jobTemplate', 'spec');
  validateJobSpec(jobSpec);
  const selector = jobSpec.child('selector');
  if (!selector.absent)
    selector.invalid('`selector` will be auto-generated', printableSelector(selector.value));
  const manual = jobSpec.child('manualSelector');
  if (manual.value === true) manual.notSupported(['nil', 'false']);
  spec.child('successfulJobsHistoryLimit').notNegative();
  spec.child('failedJobsHistoryLimit').notNegative();
}

function validateTimeZone(timeZone: Field): void {
  if (timeZone.text === '') {
    timeZone.invalid('timeZone must be nil or non-empty string');
    return;
  }
  const wellFormed = timeZone.text
    .split('/')
    .every((part) => /^[A-Za-z0-9_+-]+$/.test(part) && !part.startsWith('-'));
  if (!wellFormed) {
    timeZone.invalid(`unknown time zone ${timeZone.text}`);
    return;
  }
  if (timeZone.text.toLowerCase() === 'local') {
    timeZone.invalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  }
  if (!isTimeZone(timeZone.text)) timeZone.invalid(`unknown time zone ${timeZone.text}`);
}

function isTimeZone(zone: string): boolean {
  if (zone === 'UTC' || zone === 'Local') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
