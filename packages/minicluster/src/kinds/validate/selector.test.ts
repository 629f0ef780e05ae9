import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from './field.ts';
import { isUsableSelector, selectorMatches, selectorText, validateLabelSelector } from './selector.ts';

const labels = { app: 'web', tier: 'front' };

test.each([
  [undefined, false],
  [{}, true],
  [{ matchLabels: { app: 'web' } }, true],
  [{ matchLabels: { app: 'web', tier: 'back' } }, false],
  [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'web'] }] }, true],
  [{ matchExpressions: [{ key: 'none', operator: 'In', values: ['a'] }] }, false],
  [{ matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['a'] }] }, true],
  [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, false],
  [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
  [{ matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
  [{ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, false],
])('%j matches: %s', (selector, expected) => {
  expect(selectorMatches(selector, labels)).toBe(expected);
});

test('labels select the objects that carry them', () => {
  const someLabels = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.stringMatching(/^[a-z]{0,3}$/), {
    maxKeys: 4,
  });
  fc.assert(
    fc.property(someLabels, someLabels, (wanted, more) => {
      expect(selectorMatches({ matchLabels: wanted }, { ...more, ...wanted })).toBe(true);
    }),
  );
});

test.each([
  [{ operator: 'Near', key: 'a' }, false],
  [{ operator: 'In', key: 'a' }, false],
  [{ operator: 'Exists', key: 'a', values: ['x'] }, false],
  [{ operator: 'Exists', key: 'a b' }, false],
  [{ operator: 'Exists', key: 'a' }, true],
])('%j makes a selector: %s', (requirement, usable) => {
  expect(isUsableSelector({ matchExpressions: [requirement] })).toBe(usable);
});

test('a text lists requirements by key', () => {
  const matchExpressions = [
    { key: 'b', operator: 'In', values: ['2', '1'] },
    { key: 'c', operator: 'DoesNotExist' },
  ];
  expect(selectorText({ matchLabels: { a: '1' }, matchExpressions })).toBe('a=1,b in (1,2),!c');
  expect(selectorText(undefined)).toBe('');
});

test('each fault of a requirement is reported at its place', () => {
  const selector = {
    matchExpressions: [
      { key: 'ok', operator: 'Exists', values: ['x'] },
      { key: '', operator: 'In' },
    ],
  };
  const errors = collect({ selector }, (root) => validateLabelSelector(root.child('selector')));
  expect(errors.map(({ field, reason }) => [field, reason])).toEqual([
    ['selector.matchExpressions[0].values', 'FieldValueForbidden'],
    ['selector.matchExpressions[1].values', 'FieldValueRequired'],
    ['selector.matchExpressions[1].key', 'FieldValueInvalid'],
    ['selector.matchExpressions[1].key', 'FieldValueInvalid'],
  ]);
});
