import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cloneJson } from './json-clone.ts';

test('a copy is equal and shares nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(cloneJson(value)).toEqual(value);
    }),
  );
  const original = { a: [{ b: 1 }] };
  const copy = cloneJson(original);
  (copy.a[0] as { b: number }).b = 2;
  expect(original).toEqual({ a: [{ b: 1 }] });
});

test('a key that is the name of the prototype is only a key', () => {
  const copy = cloneJson(JSON.parse('{"__proto__": {"polluted": true}}')) as Record<string, unknown>;
  expect(Object.keys(copy)).toEqual(['__proto__']);
  expect(copy.polluted).toBeUndefined();
});
