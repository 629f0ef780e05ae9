import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SortedKeys } from './sorted-keys.ts';

test('keys come out in byte order, whatever the order in which they went in', () => {
  const keys = new SortedKeys();
  for (const key of ['b/x', 'a/y', 'a-b/x', 'a/x', 'c']) keys.add(key);
  // '-' sorts before '/': the objects of "a-b" come before those of "a", as in etcd.
  expect(keys.withPrefix('')).toEqual(['a-b/x', 'a/x', 'a/y', 'b/x', 'c']);
});

test('a prefix selects one namespace and not its namesakes', () => {
  const keys = new SortedKeys();
  for (const key of ['team/a', 'team-b/a', 'team/b', 'teams/a']) keys.add(key);
  expect(keys.withPrefix('team/')).toEqual(['team/a', 'team/b']);
});

test('what withPrefix returned does not change later', () => {
  const keys = new SortedKeys();
  keys.add('a');
  const before = keys.withPrefix('');
  keys.add('b');
  expect(before).toEqual(['a']);
});

test('it is a sorted set: adding twice changes nothing, removing undoes adding', () => {
  const key = fc.constantFrom('a', 'b', 'a/a', 'a/b', 'a-a/a', 'b/a', 'c/z');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key)), (steps) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const [add, name] of steps) {
        if (add) {
          keys.add(name);
          model.add(name);
        } else {
          keys.remove(name);
          model.delete(name);
        }
      }
      expect(keys.withPrefix('')).toEqual([...model].sort());
      expect(keys.withPrefix('a/')).toEqual([...model].filter((name) => name.startsWith('a/')).sort());
      expect(keys.size).toBe(model.size);
    }),
  );
});
