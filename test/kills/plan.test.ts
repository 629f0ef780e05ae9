import { createRandom } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { planOf } from './plan.ts';

const OPTIONS = { changes: 100, operatorKills: 7, serverKills: 3, pace: 10 };
const plan = (seed: number) => planOf(OPTIONS, createRandom(seed));

test('a plan has exactly the requested changes and kills', () => {
  const steps = plan(1);
  const count = (wanted: string) => steps.filter(({ act }) => act === wanted).length;
  const together = steps.filter((step) => step.act === 'kill-server' && step.withOperator).length;
  expect([count('change'), count('kill-operator') + together, count('kill-server')]).toEqual([100, 7, 3]);
  expect(together).toBe(2);
  expect(count('touch') * count('scale') * count('idle')).toBeGreaterThan(0);
});

test('a plan has the kills of etcd that were asked for, and the rest of the seed stays as it is', () => {
  const steps = planOf({ ...OPTIONS, etcdKills: 4 }, createRandom(1));
  expect(steps.filter(({ act }) => act === 'kill-etcd')).toHaveLength(4);
  expect(steps.filter(({ act }) => act === 'kill-server')).toHaveLength(3);
});

test('a seed repeats a plan, and another gives another', () => {
  expect(plan(7)).toEqual(plan(7));
  expect(plan(7)).not.toEqual(plan(8));
});

test('a change follows every kill, so that a loss would show', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const acts = plan(seed).map(({ act }) => act);
    expect(acts.lastIndexOf('change')).toBeGreaterThan(acts.findLastIndex((act) => act.startsWith('kill')));
  }
});
