import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepEqual } from './equality.ts';
import { applyMergePatch, mergeDiff, rebase } from './merge-patch.ts';

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, '1', false],
  ['a', 'b', false],
  [Number.NaN, Number.NaN, true],
  [undefined, null, false],
  [undefined, {}, false],
  [null, [], false],
  [{}, [], false],
  [{ a: undefined }, {}, true],
  [{ a: null }, {}, false],
  [{ a: [] }, {}, false],
  [{ a: 1 }, {}, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1], { 0: 1 }, false],
  [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 1 }] } }, true],
  [{ toString: undefined }, {}, true],
  [0, undefined, false],
  ['', undefined, false],
  [false, undefined, false],
])('%j and %j are equal: %s', (a, b, deep) => {
  expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([deep, deep]);
});

/** JSON without null, which a merge patch cannot store. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 1, 'a', 'b', true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom('x', 'y', 'z', '__proto__'), tie('value'), {
    maxKeys: 3,
    noNullPrototype: false,
  }),
}));

test('a merge diff turns one state into the other, and is absent exactly when they are equal', () => {
  fc.assert(
    fc.property(json.map, json.map, (from, to) => {
      const patch = mergeDiff(from, to);
      expect(patch === undefined).toBe(deepEqual(from, to));
      expect(deepEqual(patch === undefined ? from : applyMergePatch(from, patch), to)).toBe(true);
    }),
  );
});

test('a null in the wanted state removes, and one in the present state counts as present', () => {
  expect(mergeDiff({ a: 1 }, { a: null })).toEqual({ a: null });
  expect(mergeDiff({ a: 1 }, { a: 1, b: null })).toBeUndefined();
});

test('our changes go on top of theirs; what we did not touch is theirs', () => {
  expect(rebase({ a: 1, b: 1, c: 1 }, { a: 2, b: 1 }, { a: 1, b: 9, c: 1, d: 4 })).toEqual({
    a: 2,
    b: 9,
    d: 4,
  });
  expect(rebase({ list: [1] }, { list: [1, 2] }, { list: [7] })).toEqual({ list: [1, 2] });
  expect(rebase(undefined, { a: 1 }, { b: 1 })).toEqual({ a: 1, b: 1 });
});

test('of two lists of conditions each side keeps its own conditions', () => {
  const base = [
    { type: 'Ready', status: 'False' },
    { type: 'Old', status: 'True' },
  ];
  const ours = [{ type: 'Ready', status: 'True' }];
  const theirs = [...base, { type: 'Theirs', status: 'True' }];
  expect(rebase(base, ours, theirs)).toEqual([
    { type: 'Ready', status: 'True' },
    { type: 'Theirs', status: 'True' },
  ]);
});

test('rebasing onto the same base changes nothing about ours', () => {
  fc.assert(
    fc.property(json.map, json.map, (base, ours) => {
      expect(deepEqual(rebase(base, ours, base), ours)).toBe(true);
    }),
  );
});

test('rebasing nothing gives theirs', () => {
  fc.assert(
    fc.property(json.map, json.map, (base, theirs) => {
      expect(rebase(base, structuredClone(base), theirs)).toBe(theirs);
    }),
  );
});
