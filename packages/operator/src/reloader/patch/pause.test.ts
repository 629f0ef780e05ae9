import { describe, expect, it } from 'vitest';
import { DEFAULT_ANNOTATIONS as names } from '../model/annotations.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { pauseWith, resumeAt, resumeOperations } from './pause.ts';
import { NOW_TEXT, reloadPlan } from './plan.test.support.ts';

const at = Date.UTC(2030, 0, 2, 3, 4, 5);
const deployment = (
  paused: boolean,
  annotations: Record<string, string> = {},
  overrides: Partial<WorkloadFacts> = {},
): WorkloadFacts => {
  const { rollout } = workloadFacts();
  return workloadFacts({ annotations, rollout: { ...rollout, paused }, ...overrides });
};
const since = (pausedAt: string, period?: string): Record<string, string> => ({
  [names.pausedAt]: pausedAt,
  ...(period !== undefined && { [names.pausePeriod]: period }),
});

describe('pausing with a reload', () => {
  it('sets the time and pauses what is not paused', () => {
    const pause = pauseWith(reloadPlan({ workload: deployment(false), stakaterPauseMs: 60_000 }), names);
    expect(pause).toEqual({
      annotations: { [names.pausedAt]: { before: undefined, after: NOW_TEXT } },
      operations: [
        { op: 'test', path: '/spec/paused', value: null },
        { op: 'add', path: '/spec/paused', value: true },
      ],
    });
  });

  it('replaces the time of a pause that a person ended', () => {
    const workload = deployment(false, since('2030-01-01T00:00:00Z'));
    expect(pauseWith(reloadPlan({ workload, stakaterPauseMs: 60_000 }), names)?.annotations).toEqual({
      [names.pausedAt]: { before: '2030-01-01T00:00:00Z', after: NOW_TEXT },
    });
  });

  it.each([
    ['is paused by a person', deployment(true), 60_000],
    ['is paused by us already', deployment(true, since(NOW_TEXT)), 60_000],
    ['asks for none', deployment(false), undefined],
    ['asks for no time at all', deployment(false), 0],
    ['is no Deployment', deployment(false, {}, { kind: 'StatefulSet' }), 60_000],
  ])('does nothing where the workload %s', (_, workload, stakaterPauseMs) => {
    expect(pauseWith(reloadPlan({ workload, stakaterPauseMs }), names)).toBeUndefined();
  });
});

describe('the end of a pause', () => {
  it.each([
    ['the period after it began', deployment(true, since(NOW_TEXT, '5m')), at + 300_000],
    ['whatever the time zone', deployment(true, since('2030-01-02T04:04:05+01:00', '1s')), at + 1000],
    ['with fractions', deployment(true, since('2030-01-02T03:04:05.5Z', '1.5s')), at + 2000],
    ['at once without a readable time', deployment(true, since('soon', '5m')), 0],
    ['at once for a time that is none', deployment(true, since('2030-13-02T03:04:05Z', '5m')), 0],
    ['at once without a readable period', deployment(true, since(NOW_TEXT, 'long')), 0],
    ['at once when the period is gone', deployment(true, since(NOW_TEXT)), 0],
    [
      'is nothing of ours when a person paused it',
      deployment(true, { [names.pausePeriod]: '5m' }),
      undefined,
    ],
    ['is past when it is not paused', deployment(false, since(NOW_TEXT, '5m')), undefined],
    ['is for Deployments', deployment(true, since(NOW_TEXT, '5m'), { kind: 'Rollout' }), undefined],
  ])('%s', (_, workload, expected) => {
    expect(resumeAt(workload, names)).toBe(expected);
  });

  it('is written only while the pause is ours', () => {
    const path = '/metadata/annotations/deployment.reloader.stakater.com~1paused-at';
    expect(resumeOperations(deployment(true, since(NOW_TEXT, '5m')), names)).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-web' },
      { op: 'test', path, value: NOW_TEXT },
      { op: 'remove', path },
      { op: 'test', path: '/spec/paused', value: true },
      { op: 'add', path: '/spec/paused', value: false },
    ]);
  });
});
