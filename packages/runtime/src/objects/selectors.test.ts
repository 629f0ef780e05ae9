import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LabelSelector, parseSelector, SelectorError, selectorFrom } from './selectors.ts';

const LABELS = { app: 'web', tier: 'a', 'example.com/part': 'x.y', empty: '', age: '007' };

test.each<[string, boolean]>([
  ['', true],
  ['  ', true],
  ['app=web', true],
  ['app==web', true],
  ['app = web', true],
  ['app=other', false],
  ['app!=other', true],
  ['app!=web', false],
  ['missing!=x', true],
  ['missing=x', false],
  ['app', true],
  ['missing', false],
  ['!missing', true],
  ['! missing', true],
  ['!app', false],
  ['tier in (a,b)', true],
  ['tier in ( a , b )', true],
  ['tier in(a)', true],
  ['tier in (b,c)', false],
  ['tier notin (b,c)', true],
  ['tier notin (a,b)', false],
  ['missing notin (a)', true],
  ['missing in (a)', false],
  ['app=web,tier in (a,b),!legacy', true],
  ['app=web,tier in (b,c),!legacy', false],
  ['example.com/part=x.y', true],
  ['empty=', true],
  ['app=', false],
  ['empty in (,a)', true],
  ['toString', false],
  ['age>6', true],
  ['age > 7', false],
  ['age<08', true],
  ['age<7,app', false],
  ['app>1', false],
  ['missing<1', false],
])('"%s" on the sample labels: %s', (text, expected) => {
  expect(parseSelector(text).matches(LABELS)).toBe(expected);
});

test.each([
  'app=web,',
  ',app=web',
  'app web',
  'app=a b',
  'tier in a,b',
  'tier in (a',
  'tier in ()x',
  '=web',
  '!!app',
  '-app=web',
  'a/b/c=x',
  'UPPER.com/x=y',
  'app=-x',
  'age>x',
  'age>',
  'age>=5',
  'age>1.5',
  'age>-5',
  'age>99999999999999999999',
  'in (a)',
  `${'x'.repeat(64)}=y`,
  `app=${'y'.repeat(64)}`,
])('"%s" is refused', (text) => {
  expect(() => parseSelector(text)).toThrow(SelectorError);
});

test.each<[string, LabelSelector | undefined, boolean, string | undefined]>([
  ['an absent selector matches nothing', undefined, false, undefined],
  ['an empty selector matches everything', {}, true, ''],
  ['labels', { matchLabels: { app: 'web', tier: 'a' } }, true, 'app=web,tier=a'],
  ['labels that differ', { matchLabels: { app: 'web', tier: 'b' } }, false, 'app=web,tier=b'],
  ['In', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }] }, true, 'tier in (a,b)'],
  [
    'NotIn',
    { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['a', 'b'] }] },
    false,
    'tier notin (a,b)',
  ],
  ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true, 'app'],
  ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false, '!app'],
  [
    'both parts must hold',
    { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'no', operator: 'Exists' }] },
    false,
    'app=web,no',
  ],
])('LabelSelector: %s', (_, selector, expected, text) => {
  const built = selectorFrom(selector);
  expect(built.matches(LABELS)).toBe(expected);
  expect(built.text).toBe(text);
});

test.each<[LabelSelector, string]>([
  [
    { matchExpressions: [{ key: 'a', operator: 'Like', values: ['x'] }] },
    'Operator "Like" of label "a" must be',
  ],
  [{ matchExpressions: [{ key: 'a', operator: 'In' }] }, 'Operator In of label "a" needs values'],
  [
    { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] },
    'Operator Exists of label "a" takes no values',
  ],
  [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] }, 'Operator "Gt" of label "a" must be'],
  [{ matchLabels: { 'a b': 'x' } }, '"a b" is not a label name'],
  [{ matchLabels: { a: 'x y' } }, '"x y" cannot be a value of label "a"'],
])('%j is refused with a message that says why', (selector, message) => {
  expect(() => selectorFrom(selector)).toThrow(message);
});

test.each<[unknown, string]>([
  ['app=web', 'must be an object'],
  [[], 'must be an object'],
  [{ matchLabels: 'app' }, 'matchLabels must be a map of strings'],
  [{ matchLabels: { app: 7 } }, 'matchLabels must be a map of strings'],
  [{ matchExpressions: 'app' }, 'matchExpressions must be a list'],
  [{ matchExpressions: [null] }, 'matchExpressions must be a list'],
  [{ matchExpressions: [{ operator: 'Exists' }] }, 'matchExpressions must be a list'],
  [{ matchExpressions: [{ key: 'a', operator: 'In', values: [7] }] }, 'matchExpressions must be a list'],
])('%j, which no schema has checked, is refused', (selector, message) => {
  const build = () => selectorFrom(selector as LabelSelector);
  expect(build).toThrow(SelectorError);
  expect(build).toThrow(message);
});

test('nulls count as absent', () => {
  const selector = {
    matchLabels: null,
    matchExpressions: [{ key: 'app', operator: 'Exists', values: null }],
  };
  expect(selectorFrom(selector as unknown as LabelSelector).text).toBe('app');
});

const name = fc
  .stringMatching(/^[a-z]([a-z0-9]{0,5}[a-z0-9])?$/)
  .filter((word) => word !== 'in' && word !== 'notin');
const selectors = fc.record({
  matchLabels: fc.dictionary(name, name, { maxKeys: 2 }),
  matchExpressions: fc.array(
    fc.oneof(
      fc.record({
        key: name,
        operator: fc.constantFrom('In', 'NotIn'),
        values: fc.array(name, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ key: name, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    ),
    { maxLength: 3 },
  ),
});

test('a comparison is written as it was read', () => {
  expect(parseSelector(' age > 6 , age<08').text).toBe('age>6,age<08');
});

test('the text of a selector, read again, matches the same labels', () => {
  fc.assert(
    fc.property(selectors, fc.dictionary(name, name, { maxKeys: 4 }), (selector, labels) => {
      const built = selectorFrom(selector);
      const again = parseSelector(built.text ?? '');
      expect(again.text).toBe(built.text);
      expect(again.matches(labels)).toBe(built.matches(labels));
    }),
  );
});
