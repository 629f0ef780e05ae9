import { describe, expect, it } from 'vitest';
import type { Budget } from '../reloader/model/budget.ts';
import type { ReloadEntry } from '../reloader/report/history.ts';
import { beginnings, type Expected, usualRolloutMs } from './estimate.ts';

const two: Budget = { name: 'two at a time', limit: 2, has: () => true };
const expected = (key: string, parts: Partial<Expected> = {}): Expected => ({
  key,
  at: 1000,
  budgets: [two],
  rolloutMs: 100,
  ...parts,
});
const begun = (...given: Expected[]) => Object.fromEntries(beginnings(given, new Map()));

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

  it('inside its window: reloads that do not fit one night continue in the next one', () => {
    // Open for 250 of every 10000.
    const openFrom = (moment: number): number =>
      moment % 10_000 < 250 ? moment : (Math.floor(moment / 10_000) + 1) * 10_000;
    const windows = { name: 'nights', openFrom };
    const given = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => expected(key, { windows }));
    expect(begun(...given)).toEqual({
      ...{ a: 10_000, b: 10_000, c: 10_100, d: 10_100, e: 10_200, f: 10_200 },
      g: 20_000,
    });
  });

  it('never, where its windows do not open again', () => {
    const windows = { name: 'over', openFrom: () => undefined };
    expect(begun(expected('a', { windows }), expected('b'))).toEqual({ b: 1000 });
  });

  it('after lower waves, of its own groups only', () => {
    const place = (wave: number, ...groups: string[]) => ({ wave: { wave, groups }, budgets: [] });
    const given = [
      expected('a', place(0, 'shop')),
      expected('b', { ...place(0, 'shop', '/config'), rolloutMs: 300 }),
      expected('c', place(5, 'lab', '/config')),
      expected('d', place(5, 'lab')),
      expected('e', place(7, 'lab')),
    ];
    expect(begun(...given)).toEqual({ a: 1000, b: 1000, c: 1300, d: 1000, e: 1400 });
  });

  it('never, behind a wave without a known end', () => {
    const wave = (number: number) => ({ wave: { wave: number, groups: ['shop'] } });
    expect(
      begun(expected('a', { ...wave(0), at: Number.POSITIVE_INFINITY }), expected('b', wave(1))),
    ).toEqual({});
  });

  it('step by step of its canary, with a rest after each', () => {
    const canary = (rank: string, done = 0) => ({
      canary: { name: 'careful', sizes: [1, 3], bakeMs: 1000, done, rank },
      budgets: [],
    });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    // The last by name goes first.
    const given = keys.map((key) => expected(key, canary(key === 'e' ? `0 ${key}` : `1 ${key}`)));
    expect(begun(...given)).toEqual({ e: 1000, a: 2100, b: 2100, c: 3200, d: 3200 });
    const later = keys.slice(2).map((key) => expected(key, canary(key, 2)));
    expect(begun(...later), 'two have it already').toEqual({ c: 1000, d: 2100, e: 2100 });
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

  it('is the median of the successful ones', () => {
    const histories = [{ reloads: [entry(10), entry(500, 'failed'), entry(undefined)] }, undefined];
    expect(usualRolloutMs([...histories, { reloads: [entry(20), entry(90)] }])).toBe(20_000);
  });

  it('is unknown without a history', () => {
    expect(usualRolloutMs([undefined, { reloads: [entry(3, 'rolling')] }])).toBeUndefined();
  });
});
