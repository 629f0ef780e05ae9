import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deepEqual } from '../objects/equality.ts';
import { applyJsonPatch } from '../objects/memory-client.test.support.ts';
import { jsonPatchDiff } from './json-patch.ts';

test.each<[string, unknown, unknown, unknown]>([
  ['nothing', { a: 1 }, { a: 1 }, []],
  ['an added field', { a: 1 }, { a: 1, b: 2 }, [{ op: 'add', path: '/b', value: 2 }]],
  ['a removed field', { a: 1, b: 2 }, { a: 1 }, [{ op: 'remove', path: '/b' }]],
  ['a replaced value', { a: { b: 1 } }, { a: { b: 2 } }, [{ op: 'replace', path: '/a/b', value: 2 }]],
  ['a list, as a whole', { a: [1, 2] }, { a: [1] }, [{ op: 'replace', path: '/a', value: [1] }]],
  ['a map in place of a list', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
  ['names with slash and tilde', {}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
  ['undefined, which is not there', { a: 1, b: undefined }, { a: undefined }, [{ op: 'remove', path: '/a' }]],
  ['null, which is there', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
])('%s', (_, before, after, expected) => {
  expect(jsonPatchDiff(before, after)).toEqual(expected);
});

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(0, 'a', true),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom('x', 'y/z', '~', ''), tie('value'), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
}));

test('applied, the difference makes the one into the other', () => {
  fc.assert(
    fc.property(json.map, json.map, (before, after) => {
      expect(deepEqual(applyJsonPatch(before, jsonPatchDiff(before, after)), after)).toBe(true);
    }),
  );
});
