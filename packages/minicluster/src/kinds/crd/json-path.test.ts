import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJsonPath } from './json-path.ts';

const object = {
  spec: { color: 'red', 'dotted.name': 1, tags: ['a', 'b'], map: { x: 1, y: 2 } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

test.each([
  ['.spec.color', ['red']],
  ['.spec.nothing', []],
  ['.spec.color.deeper', []],
  ["['spec']['dotted.name']", [1]],
  ['.spec.dotted\\.name', [1]],
  ['.spec.tags[0]', ['a']],
  ['.spec.tags[-1]', ['b']],
  ['.spec.tags[2]', []],
  ['.spec.tags[-3]', []],
  ['.spec.tags[*]', ['a', 'b']],
  ['.spec.map.*', [1, 2]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Other')].status", ['False']],
  ['.status.conditions[?(@.type!="Ready")].type', ['Other']],
  ['.status.conditions[*].type', ['Ready', 'Other']],
])('%s finds %j', (path, found) => {
  expect(compileJsonPath(path)?.(object)).toEqual(found);
});

test('the whole object is a dot', () => {
  expect(compileJsonPath('.')?.(object)).toEqual([object]);
});

test.each(['spec', '.spec[', '.spec[?(@.a>1)]', '..color'])('%s cannot be read', (path) => {
  expect(compileJsonPath(path)).toBeUndefined();
});

test('fields that objects have by nature are not found', () => {
  expect(compileJsonPath('.constructor')?.({})).toEqual([]);
});

test('a field is found wherever it is', () => {
  const name = fc.stringMatching(/^[a-z]{1,5}$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.integer(), (path, value) => {
      const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      expect(compileJsonPath(`.${path.join('.')}`)?.(nested)).toEqual([value]);
    }),
  );
});
