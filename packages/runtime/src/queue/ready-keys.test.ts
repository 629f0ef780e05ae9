import { describe, expect, test } from 'vitest';
import { type ReadyKey, ReadyKeys } from './ready-keys.ts';

interface Key extends ReadyKey {
  readonly id: string;
}

function key(id: string, priority: number, readySince = 0): Key {
  const namespace = id.split('/')[0] ?? '';
  return { id, namespace, priority, readySince, group: undefined, previous: undefined, next: undefined };
}

function takeAll(keys: ReadyKeys<Key>, now: number): string[] {
  const ids: string[] = [];
  for (let taken = keys.take(now); taken; taken = keys.take(now)) ids.push(taken.id);
  return ids;
}

describe('ageing', () => {
  test('a low priority grows by one for each second of waiting', () => {
    const keys = new ReadyKeys<Key>();
    keys.push(key('young-high', -10, 40_000));
    keys.push(key('old-low', -60, 0));
    expect(keys.take(40_000)?.id).toBe('young-high');
    keys.push(key('young-high', -10, 60_000));
    expect(keys.take(60_000)?.id).toBe('old-low');
  });

  test('a key that has not aged to zero waits behind priority zero', () => {
    const keys = new ReadyKeys<Key>();
    keys.push(key('low', -100, 0));
    keys.push(key('live', 0, 99_000));
    expect(takeAll(keys, 99_000)).toEqual(['live', 'low']);
  });

  test('keys that have aged to zero take every tenth turn from priority zero', () => {
    const keys = new ReadyKeys<Key>();
    for (let index = 0; index < 3; index++) keys.push(key(`aged/${index}`, -100, 0));
    for (let index = 0; index < 20; index++) keys.push(key(`live/${index}`, 0, 100_000));
    const order = takeAll(keys, 100_000).map((id) => id.split('/')[0]);
    const live = Array.from({ length: 9 }, () => 'live');
    expect(order).toEqual([...live, 'aged', ...live, 'aged', 'live', 'live', 'aged']);
  });

  test('turns that aged keys got while nothing else waited count, but only ten of them', () => {
    const keys = new ReadyKeys<Key>();
    for (let index = 0; index < 51; index++) keys.push(key(`aged/${index}`, -100, 0));
    for (let index = 0; index < 50; index++) keys.take(100_000);
    for (let index = 0; index < 200; index++) keys.push(key(`live/${index}`, 0, 100_000));
    const order = takeAll(keys, 100_000).map((id) => id.split('/')[0]);
    expect(order.indexOf('aged')).toBe(99);
  });

  test('ageing does not lift a key above zero: a positive priority always goes first', () => {
    const keys = new ReadyKeys<Key>();
    keys.push(key('aged', -1, 0));
    for (let index = 0; index < 10; index++) keys.push(key(`urgent/${index}`, 1, 3_600_000));
    expect(takeAll(keys, 3_600_000).at(-1)).toBe('aged');
  });

  test('of the aged, the one that waits longest goes first', () => {
    const keys = new ReadyKeys<Key>();
    keys.push(key('second', -100, 5000));
    keys.push(key('first', -100, 1000));
    keys.push(key('third', -100, 9000));
    expect(takeAll(keys, 500_000)).toEqual(['first', 'second', 'third']);
  });
});

describe('counting', () => {
  test('follows push, take and remove by priority', () => {
    const keys = new ReadyKeys<Key>();
    const removed = key('a', -100);
    keys.push(removed);
    keys.push(key('b', -100));
    keys.push(key('c', 0));
    keys.remove(removed);
    keys.remove(removed);
    expect(keys.size).toBe(2);
    expect([...keys.countByPriority]).toEqual([
      [-100, 1],
      [0, 1],
    ]);
    takeAll(keys, 0);
    expect(keys.size).toBe(0);
    expect([...keys.countByPriority.values()]).toEqual([0, 0]);
  });

  test('a removed key leaves the others of its namespace in order', () => {
    const keys = new ReadyKeys<Key>();
    const all = ['n/1', 'n/2', 'n/3', 'm/1'].map((id) => key(id, 0));
    for (const each of all) keys.push(each);
    keys.remove(all[1] as Key);
    keys.remove(all[0] as Key);
    expect(takeAll(keys, 0)).toEqual(['n/3', 'm/1']);
  });
});
