import { describe, expect, it } from 'vitest';
import type { Budget } from '../reloader/model/budget.ts';
import type { ReloadEntry } from '../reloader/report/history.ts';
import { beginnings, usualRolloutMs } from './estimate.ts';

const two: Budget = { name: 'two at a time', limit: 2, has: () => true };
const expected = (key: string, parts: { at?: number; budgets?: Budget[]; rolloutMs?: number } = {}) => ({
  key,
  at: 1000,
  budgets: [two],
  rolloutMs: 100,
  ...parts,
});
const begun = (...given: ReturnType<typeof expected>[]) => Object.fromEntries(beginnings(given, new Map()));

describe('when each begins', () => {
  it('at its time where nothing limits it', () => {
    expect(begun(expected('a', { budgets: [] }), expected('b', { budgets: [], at: 5000 }))).toEqual({
      a: 1000,
      b: 5000,
    });
  });

  it('when a slot is free', () => {
    const given = ['a', 'b', 'c', 'd', 'e'].map((key) => expected(key));
    expect(begun(...given)).toEqual({ a: 1000, b: 1000, c: 1100, d: 1100, e: 1200 });
  });

  it('one that a tighter budget holds lets others begin', () => {
    const one: Budget = { name: 'one', limit: 1, has: (key) => key < 'c' };
    const given = [
      expected('a', { budgets: [two, one] }),
      expected('b', { budgets: [two, one] }),
      expected('c'),
    ];
    expect(begun(...given)).toEqual({ a: 1000, b: 1100, c: 1000 });
  });

  it('those that run already hold their slots', () => {
    const running = new Map([
      ['x', 1500],
      ['y', 1700],
    ]);
    expect(Object.fromEntries(beginnings([expected('a'), expected('b')], running))).toEqual({
      a: 1500,
      b: 1600,
    });
  });

  it('never, without an end to wait for', () => {
    expect(begun(expected('a', { budgets: [{ ...two, limit: 0 }] }))).toEqual({});
  });
});

describe('how long a rollout takes', () => {
  const entry = (rollout: number | undefined, result: ReloadEntry['result'] = 'succeeded'): ReloadEntry => ({
    seq: 1,
    at: 1,
    sources: [],
    configs: [],
    result,
    ...(rollout !== undefined && { rollout }),
  });

  it('is the middle of those that ended well', () => {
    const histories = [{ reloads: [entry(10), entry(500, 'failed'), entry(undefined)] }, undefined];
    expect(usualRolloutMs([...histories, { reloads: [entry(20), entry(90)] }])).toBe(20_000);
  });

  it('is unknown without a past', () => {
    expect(usualRolloutMs([undefined, { reloads: [entry(3, 'rolling')] }])).toBeUndefined();
  });
});
