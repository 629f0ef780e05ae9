import { describe, expect, test } from 'vitest';
import { fieldsMatch, parseFieldSelector, requiredValue } from './field-selector.ts';

const matches = (selector: string, fields: Record<string, string>): boolean =>
  fieldsMatch(parseFieldSelector(selector), fields);

test.each([
  ['', true],
  ['metadata.name=web', true],
  ['metadata.name==web', true],
  ['metadata.name!=web', false],
  ['metadata.name=db', false],
  ['status.phase!=Running', true],
  ['status.phase=', true],
  ['metadata.name=web,metadata.namespace=x', true],
  ['metadata.name=web,metadata.namespace=y', false],
  [',', true],
])('%s → %s', (selector, expected) => {
  expect(matches(selector, { 'metadata.name': 'web', 'metadata.namespace': 'x' })).toBe(expected);
});

test('a backslash takes the meaning from commas, equal signs and backslashes', () => {
  expect(parseFieldSelector('a=x\\,y\\=z\\\\')).toEqual([{ field: 'a', negated: false, value: 'x,y=z\\' }]);
});

/** The expected messages are those of kube-apiserver 1.36. */
describe('what is wrong with a selector', () => {
  test.each([
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['b=1,a', "invalid selector: 'b=1,a'; can't understand 'a'"],
    ['a=b\\q', 'invalid field selector: invalid escape sequence: \\q'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('%s', (selector, message) => {
    expect(() => parseFieldSelector(selector)).toThrow(message);
  });
});

test('the value that a field must have is known only when it is required', () => {
  expect(requiredValue(parseFieldSelector('metadata.name=web'), 'metadata.name')).toBe('web');
  expect(requiredValue(parseFieldSelector('metadata.name!=web'), 'metadata.name')).toBeUndefined();
  expect(requiredValue(parseFieldSelector('a=b'), 'metadata.name')).toBeUndefined();
});
