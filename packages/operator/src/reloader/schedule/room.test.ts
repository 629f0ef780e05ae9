import { describe, expect, it } from 'vitest';
import type { Budget, Waiting } from '../model/budget.ts';
import { granted, isBefore, Room, roomFor } from './room.ts';

const NOW = 1_000_000;
const shop: Budget = { name: 'shop', limit: 1, has: (key) => key.startsWith('shop') };
const all: Budget = { name: 'all', limit: 2, has: () => true };
const waiting = (key: string, parts: Partial<Waiting> = {}): Waiting => ({
  key,
  since: 0,
  from: NOW,
  looksAt: NOW,
  budgets: [all],
  ...parts,
});
const keys = (list: Iterable<Waiting>): string[] => [...list].map(({ key }) => key);

describe('workloads that may begin now', () => {
  it('are as many as there are slots, the oldest first', () => {
    const slots = { running: [], waiting: [waiting('a'), waiting('b'), waiting('c')] };
    expect(keys(granted(slots, NOW))).toEqual(['a', 'b']);
    expect(keys(granted({ ...slots, running: ['x'] }, NOW))).toEqual(['a']);
    expect(keys(granted({ ...slots, running: ['x', 'y'] }, NOW))).toEqual([]);
  });

  it('include one whose own rollout runs, in its own slot', () => {
    const slots = { running: ['a', 'x'], waiting: [waiting('a'), waiting('b')] };
    expect(keys(granted(slots, NOW))).toEqual(['a']);
  });

  it('are not held up by one that another budget holds', () => {
    const crowded = [waiting('shop/a', { budgets: [shop, all] }), waiting('b')];
    expect(keys(granted({ running: ['shop/x'], waiting: crowded }, NOW))).toEqual(['b']);
  });

  it.each([
    ['before its time', { from: NOW + 1 }, []],
    ['at its time', { from: NOW }, ['a']],
    ['within a minute after it was due', { looksAt: NOW - 59_999 }, ['a']],
    ['a minute after it was due', { looksAt: NOW - 60_000 }, []],
  ])('%s: %j', (_, parts, expected) => {
    expect(keys(granted({ running: [], waiting: [waiting('a', parts)] }, NOW))).toEqual(expected);
  });
});

describe('the room for one workload', () => {
  const asking = { key: 'me', since: 5 };

  it('is what those before it leave, and neither later ones nor itself count', () => {
    const slots = {
      running: ['me', 'x'],
      waiting: [
        waiting('x'),
        waiting('me', { since: 1 }),
        waiting('early', { since: 4 }),
        waiting('late', { since: 6 }),
      ],
    };
    const { room, running, before } = roomFor(asking, slots, NOW);
    expect({ running, before }).toEqual({ running: ['x'], before: ['early'] });
    expect(room.full([all])).toBe(all);
    expect(room.full([{ ...all, name: 'three', limit: 3 }])).toBeUndefined();
  });

  it('is named by the lowest of the limits that are used up', () => {
    const room = new Room(['shop/a', 'b']);
    expect(room.full([all, shop])).toBe(shop);
    expect(room.full([shop, all])).toBe(shop);
  });

  it('counts a slot once, and only for budgets that it belongs to', () => {
    const room = new Room([]);
    expect(room.full([shop, all])).toBeUndefined();
    room.take('b');
    room.take('b');
    expect([room.has('b'), room.has('c')]).toEqual([true, false]);
    expect(room.full([shop, all])).toBeUndefined();
    room.take('shop/a');
    expect(room.full([all])).toBe(all);
    expect(room.full([shop])).toBe(shop);
  });
});

it.each([
  [1, 'b', 2, 'a', true],
  [2, 'a', 1, 'b', false],
  [1, 'a', 1, 'b', true],
  [1, 'b', 1, 'a', false],
  [1, 'a', 1, 'a', false],
])('a change of %i for %s is before one of %i for %s: %s', (since, key, otherSince, otherKey, expected) => {
  expect(isBefore({ since, key }, { since: otherSince, key: otherKey })).toBe(expected);
});
