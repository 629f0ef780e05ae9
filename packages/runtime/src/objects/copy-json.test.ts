import { expect, test } from 'vitest';
import { copyJson } from './copy-json.ts';

test.for([
  ['null', null],
  ['a number', 1.5],
  ['a text', 'text'],
  ['an empty object', {}],
  ['lists in objects in lists', [{ a: [1, [2, { b: null }]] }, [], false]],
])('copies %s', ([, value]) => {
  expect(copyJson(value)).toStrictEqual(value);
});

test('shares nothing with the original', () => {
  const original = { metadata: { labels: { app: 'a' }, finalizers: ['x'] } };
  const copy = copyJson(original);
  copy.metadata.labels.app = 'b';
  copy.metadata.finalizers.push('y');
  expect(original).toEqual({ metadata: { labels: { app: 'a' }, finalizers: ['x'] } });
});

test('keeps a key named __proto__ a key', () => {
  const original = JSON.parse('{"__proto__": {"polluted": true}, "plain": 1}') as object;
  const copy = copyJson(original);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true},"plain":1}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect('polluted' in copy).toBe(false);
});
