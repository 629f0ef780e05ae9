import type { PodFailure } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { type Following, NO_PODS_SEEN } from '../model/following.ts';
import type { RolloutFacts, WorkloadFacts } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import {
  begin,
  inherit,
  judged,
  LOOK_AFTER_MS,
  lookAgainAt,
  needsPods,
  observe,
  withPods,
} from './following.ts';

const START = 1_000_000;
const DEADLINE = 900_000;
const reload = { seq: 4, reloadedAt: START / 1000, before: '7' };
const failing: PodFailure = { pod: 'db-2', container: 'main', reason: 'CrashLoopBackOff', restarts: 2 };
const nothingSeen = NO_PODS_SEEN;

function set(
  rollout: Partial<RolloutFacts>,
  version = '8',
  more: Partial<WorkloadFacts> = {},
): WorkloadFacts {
  const facts = workloadFacts({ kind: 'StatefulSet', ...more });
  return {
    ...facts,
    metadata: { ...facts.metadata, resourceVersion: version },
    rollout: { ...facts.rollout, wanted: 3, updated: 0, available: 3, total: 3, ...rollout },
  };
}

const finished = set({ updated: 3 }, '7');

describe('The progress of a rollout', () => {
  it('ignores the state of the cache from before our write', () => {
    const following = begin(reload, finished, START);
    expect(observe(following, finished, START + 5_000)).toBe(following);
    expect(judged(finished, following, START + 5_000, DEADLINE)).toMatchObject({ reason: 'WriteNotSeen' });
    expect(judged(finished, following, START + DEADLINE, DEADLINE).state).toBe('done');
  });

  it('is what was never reached before: a pod that comes and goes moves nothing', () => {
    let following = begin(reload, finished, START);
    const steps: [number, Partial<RolloutFacts>, boolean][] = [
      [1_000, { available: 2 }, true],
      [2_000, { total: 2, available: 2 }, true],
      [3_000, { updated: 1, available: 2 }, true],
      [4_000, { updated: 1, available: 3 }, false],
      [5_000, { updated: 1, available: 2 }, false],
      [6_000, { updated: 3, available: 2 }, true],
      [7_000, { updated: 3, available: 1 }, false],
      [8_000, { updated: 3, available: 2 }, false],
      [9_000, { updated: 3, available: 3 }, true],
    ];
    for (const [after, facts, moves] of steps) {
      const before = following;
      following = observe(following, set(facts), START + after);
      expect(following.movedAt === START + after, JSON.stringify(facts)).toBe(moves);
      if (!moves) expect(following).toBe(before);
    }
  });

  it('begins anew with another template, and what was seen of pods is forgotten', () => {
    const following = withPods(
      observe(begin(reload, finished, START), set({ updated: 1 }), START),
      { ...nothingSeen, failing },
      START + LOOK_AFTER_MS,
    );
    const other = observe(following, set({ updated: 0 }, '9', { templateDigest: 'other' }), START + 60_000);
    expect(other).toMatchObject({ movedAt: START + 60_000 });
    expect(other.pods).toBeUndefined();
  });
});

describe('Pods are listed', () => {
  const stuck = set({ updated: 1, available: 2 });
  const following = observe(begin(reload, finished, START), stuck, START);
  const asked = (each: Following, now: number, workload = stuck): boolean =>
    needsPods(each, judged(workload, each, now, DEADLINE), now);

  it('only when nothing has moved for 30 s, and every 30 s from then on', () => {
    expect(asked(following, START + LOOK_AFTER_MS - 1)).toBe(false);
    expect(asked(following, START + LOOK_AFTER_MS)).toBe(true);
    const seen = withPods(following, nothingSeen, START + LOOK_AFTER_MS);
    expect(asked(seen, START + 2 * LOOK_AFTER_MS - 1)).toBe(false);
    expect(asked(seen, START + 2 * LOOK_AFTER_MS)).toBe(true);
  });

  it('no more once a pod shows the cause, or the failure is reported', () => {
    const seen = withPods(following, { ...nothingSeen, failing }, START + LOOK_AFTER_MS);
    expect(asked(seen, START + 10 * LOOK_AFTER_MS)).toBe(false);
    const told = { ...withPods(following, nothingSeen, START + LOOK_AFTER_MS), failed: 'told' };
    expect(asked(told, START + 10 * LOOK_AFTER_MS)).toBe(false);
    expect(lookAgainAt(told, judged(stuck, told, START + 10 * LOOK_AFTER_MS, DEADLINE))).toBeUndefined();
  });

  it.each<[string, Partial<RolloutFacts>]>([
    ['has ended', { updated: 3 }],
    ['waits for somebody', { waits: 'on-delete' }],
  ])('never of a rollout that %s', (_, rollout) => {
    expect(asked(following, START + 10 * LOOK_AFTER_MS, set(rollout))).toBe(false);
  });
});

describe('The judgement', () => {
  const stuck = set({ updated: 1, available: 2 });
  const following = observe(begin(reload, finished, START), stuck, START);

  it('is that it failed when a pod says so, or at the deadline', () => {
    expect(judged(stuck, following, START + DEADLINE - 1, DEADLINE).state).toBe('progressing');
    expect(judged(stuck, following, START + DEADLINE, DEADLINE)).toMatchObject({ reason: 'NoProgress' });
    const seen = withPods(following, { ...nothingSeen, failing }, START + LOOK_AFTER_MS);
    expect(judged(stuck, seen, START + LOOK_AFTER_MS, DEADLINE)).toMatchObject({
      state: 'failed',
      reason: 'CrashLoopBackOff',
    });
  });

  it('gives pods that cannot be created 30 s: a quota may be full for a moment', () => {
    const refused = set({ updated: 1, failure: { reason: 'FailedCreate', message: 'exceeded quota' } });
    expect(judged(refused, following, START + LOOK_AFTER_MS - 1, DEADLINE).state).toBe('progressing');
    expect(judged(refused, following, START + LOOK_AFTER_MS, DEADLINE)).toMatchObject({
      state: 'failed',
      reason: 'FailedCreate',
    });
  });

  it('of a rollout that another process began counts from what its pods tell', () => {
    const inherited = inherit(reload, stuck);
    expect(inherited.movedAt).toBe(START);
    const now = START + 600_000;
    const seen = withPods(inherited, { ...nothingSeen, movedAt: START + 500_000 }, now);
    expect(seen.movedAt).toBe(START + 500_000);
    expect(withPods(seen, { ...nothingSeen, movedAt: now }, now).movedAt).toBe(START + 500_000);
  });
});
