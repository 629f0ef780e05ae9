import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OwnedPod } from '../evidence/owned-pods.ts';
import { evictionStart } from '../ledger/eviction.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { reloadPlan } from './plan.test.support.ts';
import { beginning, nextToEvict } from './restart-order.ts';

const pod = (name: string, createdAt: number, ready = true): OwnedPod => ({
  name,
  uid: `uid-${name}`,
  createdAt,
  startedAt: createdAt,
  scheduled: true,
  restarts: 0,
  ready,
  readyAt: ready ? createdAt : undefined,
  failure: undefined,
  mark: undefined,
  lastStartAt: undefined,
});
const wanting = (wanted: number, kind: WorkloadFacts['kind'] = 'Deployment') => {
  const facts = workloadFacts({ kind });
  return { kind, rollout: { ...facts.rollout, wanted } };
};

describe('which pod goes next', () => {
  const start = 100;
  const table: [string, OwnedPod[], ReturnType<typeof wanting>, string][] = [
    ['none without old ones', [pod('a', 100), pod('b', 101, false)], wanting(2), 'none'],
    ['none without any', [], wanting(2), 'none'],
    ['the oldest', [pod('a', 50), pod('b', 40), pod('c', 100)], wanting(3), 'b'],
    ['by name within a second', [pod('b', 40), pod('a', 40)], wanting(2), 'a'],
    ['one that does not serve before those that do', [pod('a', 40), pod('b', 50, false)], wanting(2), 'b'],
    ['one that does not serve, whatever else is missing', [pod('a', 40, false)], wanting(3), 'a'],
    ['nobody while a pod is missing', [pod('a', 40)], wanting(2), '1 of 2 pods are not there yet'],
    [
      'nobody while a new pod is not ready',
      [pod('a', 40), pod('b', 100, false)],
      wanting(2),
      'pod b is not ready yet',
    ],
    ['one more than wanted does not hurt', [pod('a', 40), pod('b', 50)], wanting(1), 'a'],
    [
      'the highest ordinal of a StatefulSet, by number',
      [pod('db-2', 40), pod('db-10', 41), pod('db-9', 39)],
      wanting(3, 'StatefulSet'),
      'db-10',
    ],
    [
      'the highest old ordinal, once those above are ready',
      [pod('db-0', 40, false), pod('db-1', 40), pod('db-2', 100)],
      wanting(3, 'StatefulSet'),
      'db-1',
    ],
    [
      'nobody while an ordinal above is not ready',
      [pod('db-0', 40), pod('db-1', 40), pod('db-2', 100, false)],
      wanting(3, 'StatefulSet'),
      'pod db-2 is not ready yet',
    ],
  ];
  it.each(table)('%s', (_, pods, workload, expected) => {
    const next = nextToEvict(pods, start, workload);
    const shown = next === 'none' ? next : 'waitFor' in next ? next.waitFor : next.name;
    expect(shown).toBe(expected);
  });
});

describe('the start of a restart', () => {
  it('lies behind every pod that lives, so that all of them are old', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4e9 }), { minLength: 1 }), fc.nat(), (times, now) => {
        const pods = times.map((createdAt, index) => pod(`p${index}`, createdAt));
        const begin = beginning(pods, reloadPlan(), now);
        expect(pods.every(({ createdAt }) => createdAt < (begin?.start ?? 0))).toBe(true);
        expect(evictionStart(begin?.note, reloadPlan())).toBe(begin?.start);
      }),
    );
  });

  it.each([
    ['the second of the youngest pod', 100_500, 1000],
    ['a time that may still be that second on the server', 104_000, 1000],
    ['a time that is certainly later', 106_000, 0],
    ['a clock that is behind', 90_000, 1000],
  ])('waits in %s', (_, now, waitMs) => {
    expect(beginning([pod('a', 100)], reloadPlan(), now)?.waitMs).toBe(waitMs);
  });

  it('is nothing without pods', () => {
    expect(beginning([], reloadPlan(), 0)).toBeUndefined();
  });

  const { note } = beginning([pod('a', 100)], reloadPlan(), 0) ?? { note: '' };
  it.each([
    ['other content', note, reloadPlan({ mark: '{"n":1,"s":{"cm/settings":"d2"}}' })],
    ['another workload', note, reloadPlan({ workload: workloadFacts({ uid: 'other' }) })],
    ['a note that cannot be read', '{', reloadPlan()],
    ['a note without a time', '{"for":"x"}', reloadPlan()],
    ['no note', undefined, reloadPlan()],
  ])('is not found for %s', (_, text, plan) => {
    expect(evictionStart(text, plan)).toBeUndefined();
  });
});
