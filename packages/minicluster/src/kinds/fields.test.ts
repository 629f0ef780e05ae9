import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dig, ensure, fill, fillEmpty, same, strings } from './fields.ts';

test.each([
  [undefined, null],
  [undefined, {}],
  [null, []],
  [{ a: {} }, {}],
  [{ a: [] }, { b: null }],
])('%j and %j are the same', (a, b) => {
  expect(same(a, b)).toBe(true);
});

test.each([
  [undefined, 0],
  [undefined, ''],
  [false, undefined],
  [{ a: 1 }, {}],
  [[1], [1, 2]],
  [[], ''],
  ['1', 1],
])('%j and %j differ', (a, b) => {
  expect(same(a, b)).toBe(false);
});

test('whatever is the same one way is the same the other way', () => {
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => same(a, b) === same(b, a)));
});

test('a value is the same as its copy', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => same(value, structuredClone(value))));
});

test('digging ends where there is nothing', () => {
  expect(dig({ a: { b: 1 } }, 'a', 'b')).toBe(1);
  expect(dig({ a: 'text' }, 'a', 'length')).toBeUndefined();
});

test('what is absent is made, what is there stays', () => {
  const parent: Record<string, unknown> = { there: { a: 1 }, text: 'x' };
  expect(ensure(parent, 'there')).toEqual({ a: 1 });
  ensure(parent, 'made').b = 2;
  ensure(parent, 'text').c = 3;
  expect(parent).toEqual({ there: { a: 1 }, made: { b: 2 }, text: 'x' });
});

test('zero and empty text are values for pointers and nothing for the rest', () => {
  const pointers = { replicas: 0, name: '' };
  fill(pointers, { replicas: 1, name: 'a' });
  expect(pointers).toEqual({ replicas: 0, name: '' });
  const values = { replicas: 0, name: '' };
  fillEmpty(values, { replicas: 1, name: 'a' });
  expect(values).toEqual({ replicas: 1, name: 'a' });
});

test('what every object has by nature is not there', () => {
  expect(same({}, { constructor: 'x' })).toBe(false);
  expect(same({ constructor: 'x' }, {})).toBe(false);
  expect(dig({}, 'constructor')).toBeUndefined();
});

test('a label called __proto__ is a label', () => {
  const labels = strings(JSON.parse('{"__proto__": "x", "number": 1}'));
  expect(Object.entries(labels)).toEqual([['__proto__', 'x']]);
});
