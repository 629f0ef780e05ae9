/** Rules without a recorded answer of a real server; the others are in `recorded.test.ts`. */
import { describe, expect, it } from 'vitest';
import { compileRules, validateRules } from './cel.ts';
import type { Schema } from './schema.ts';

const ruled = (field: Schema, rule: string, message?: string): Schema => ({
  type: 'object',
  properties: { f: { ...field, 'x-kubernetes-validations': [{ rule, ...(message && { message }) }] } },
});
const fails = (field: Schema, rule: string, value: unknown): string[] => {
  const rules = compileRules(ruled(field, rule));
  expect(rules.errors).toEqual([]);
  return validateRules({ f: value }, undefined, rules).map(({ message }) => message);
};
const text: Schema = { type: 'string' };
const numbers: Schema = { type: 'array', items: { type: 'integer' } };

describe('rules', () => {
  it.each([
    ["self.matches('^a')", 'abc', 'xabc'],
    ["self.matches('\\\\d')", '1', 'a'],
    ["self == '.matches(' || self.matches('x')", '.matches(', 'a'],
    ["self.find('[0-9]+') == '12'", 'a12b', 'ab'],
    ["self.findAll('[0-9]').size() == 2", '1a2', '1'],
    ["self.replace('a', 'b') == 'bb'", 'aa', 'cc'],
    ["self.split(',').size() == 2", 'a,b', 'a'],
    ["self.charAt(0) == 'a'", 'ab', 'ba'],
    ["self.lowerAscii() == 'ab'", 'AB', 'c'],
    ["quantity(self).compareTo(quantity('1k')) == 0", '1000', '1'],
    ['isQuantity(self)', '5Mi', 'x'],
    ["url(self).getHost() == 'example.org'", 'https://example.org/x', 'https://example.com/'],
    ["url(self).getScheme() == 'https' && url(self).getPort() == '8443'", 'https://a:8443/', 'http://a/'],
    ['isIP(self)', '::1', 'x'],
    ['isCIDR(self)', '10.0.0.0/8', '10.0.0.0/99'],
  ])('%s', (rule, good, bad) => {
    expect(fails(text, rule, good)).toEqual([]);
    expect(fails(text, rule, bad)).toHaveLength(1);
  });

  it.each([
    ['self.isSorted()', [1, 2, 2], [2, 1]],
    ['self.sum() == 6', [1, 2, 3], [1]],
    ['self.min() == 1 && self.max() == 3', [2, 1, 3], [2]],
    ['self.indexOf(2) == 1 && self.lastIndexOf(2) == 2', [1, 2, 2], [2]],
    ['self.all(x, x % 2 == 0)', [2, 4], [3]],
    ['self.map(x, x * 2).exists(x, x == 4)', [2], [1]],
  ])('%s', (rule, good, bad) => {
    expect(fails(numbers, rule, good)).toEqual([]);
    expect(fails(numbers, rule, bad)).toHaveLength(1);
  });

  it('that need a function which the library lacks are skipped, with a warning', () => {
    const rules = compileRules(ruled(text, "ip(self).family() == 4 || self.matches('x')"));
    expect(rules.errors).toEqual([]);
    expect(rules.skipped).toEqual([expect.stringContaining('has no CEL function ip')]);
    expect(validateRules({ f: 'anything' }, undefined, rules)).toEqual([]);
  });

  it('cannot hang the server with a pattern', () => {
    expect(fails(text, "self.matches('^(a+)+$')", `${'a'.repeat(5000)}b`)).toHaveLength(1);
  });

  it('see integers where the schema has them, and numbers where it has those', () => {
    expect(fails({ type: 'integer' }, 'self / 2 == 1', 3)).toEqual([]);
    expect(fails({ type: 'number' }, 'self / 2.0 == 1.5', 3)).toEqual([]);
  });

  it('see bytes and durations behind formats', () => {
    expect(fails({ type: 'string', format: 'byte' }, 'size(self) == 3', 'YWJj')).toEqual([]);
    expect(fails({ type: 'string', format: 'duration' }, "self > duration('1m')", '2m')).toEqual([]);
  });

  it('let stay what breaks them in an unchanged list, but not what they cannot be evaluated on', () => {
    const item = { type: 'object', properties: { name: text, size: { type: 'integer' } } } as const;
    const rule = { rule: 'self.size > 1' };
    const rules = compileRules({
      type: 'object',
      properties: { f: { type: 'array', items: { ...item, 'x-kubernetes-validations': [rule] } } },
    });
    const stored = [{ name: 'a', size: 1 }];
    expect(validateRules({ f: stored, g: 1 }, { f: stored }, rules)).toEqual([]);
    expect(validateRules({ f: [...stored, { size: 2 }] }, { f: stored }, rules)).toHaveLength(1);
    const without = [{ name: 'a' }];
    expect(validateRules({ f: without, g: 1 }, { f: without }, rules)).toMatchObject([
      { field: 'f[0]', message: expect.stringContaining('no such key: size evaluating rule') },
    ]);
  });

  it('on a schema without any cost nothing', () => {
    expect(compileRules({ type: 'object', properties: { a: text } })).toEqual({ errors: [], skipped: [] });
  });
});
