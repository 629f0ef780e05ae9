import { describe, expect, it } from 'vitest';
import { workloadFacts } from '../want/world.test.support.ts';
import { jobOf, runName } from './cron-job.ts';
import { reloadPlan, SLOT } from './plan.test.support.ts';

const workload = workloadFacts({ kind: 'CronJob', name: 'nightly' });
const plan = reloadPlan({ workload });

describe('the name of the Job', () => {
  const name = runName('nightly', plan);

  it.each([
    ['the same content', plan, true],
    ['another number or content', { ...plan, mark: '{"n":2}' }, false],
    [
      'another CronJob of that name',
      { ...plan, workload: workloadFacts({ kind: 'CronJob', uid: 'x' }) },
      false,
    ],
    ['another time', { ...plan, now: 0, causes: [], ledgerAfter: 'later' }, true],
    ['a ledger written meanwhile', { ...plan, ledgerBefore: 'other' }, true],
  ])('for %s', (_, other, same) => {
    expect(runName('nightly', other) === name).toBe(same);
  });

  it('is another where a Job of that name does not count', () => {
    expect(runName('nightly', plan, 1)).not.toBe(name);
  });

  it.each(['nightly', 'a'.repeat(52), `${'a'.repeat(51)}.b`, `${'a'.repeat(50)}--b`])(
    'of %s is one that pods can carry as a label',
    (cronJob) => {
      expect(runName(cronJob, plan)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
    },
  );
});

it('runs the template with the change, on behalf of the CronJob', () => {
  const live = {
    metadata: { name: 'nightly', namespace: 'shop', uid: 'c1', resourceVersion: '1' },
    spec: {
      schedule: '0 0 * * *',
      suspend: true,
      jobTemplate: {
        metadata: { labels: { app: 'nightly' }, annotations: { note: 'a' } },
        spec: { backoffLimit: 1, template: { spec: { containers: [{ name: 'app' }] } } },
      },
    },
  };
  expect(jobOf(live, plan)).toEqual({
    metadata: {
      namespace: 'shop',
      name: runName('nightly', plan),
      labels: { app: 'nightly' },
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', note: 'a' },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'c1', controller: true },
      ],
    },
    spec: {
      backoffLimit: 1,
      template: {
        metadata: { annotations: { 'reloader.stakater.com/rolled': plan.mark } },
        spec: { containers: [{ name: 'app', env: [{ name: 'STAKATER_SETTINGS_CONFIGMAP', value: SLOT }] }] },
      },
    },
  });
});
