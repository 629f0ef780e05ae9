import { describe, expect, test } from 'vitest';
import { compileExpression, type Verdict } from './expression.ts';

function evaluate(text: string, data: Record<string, unknown> = {}): Verdict {
  const variables = Object.fromEntries(Object.keys(data).map((name) => [name, 'dyn']));
  const compiled = compileExpression(text, variables);
  return 'problem' in compiled ? compiled : compiled.evaluate(data);
}

const SHAPE = { source: { name: 'string', labels: 'map<string, string>', keys: 'list<string>' } };

describe('an expression over plain data', () => {
  test.each([
    ['self.workers >= 1 && self.workers <= 64', { workers: 8 }, true],
    ['self.workers >= 1 && self.workers <= 64', { workers: 65 }, false],
    ['self.ratio < 0.5', { ratio: 0.25 }, true],
    ['self.ratio < 1', { ratio: 0.25 }, true],
    ['self.big > 1', { big: 1e30 }, true],
    ['self.name.matches("^[a-z]+$")', { name: 'abc' }, true],
    ['self.items.all(i, i.port > 1024)', { items: [{ port: 8080 }, { port: 80 }] }, false],
    ['has(self.debug)', {}, false],
    ['has(self.debug)', { debug: false }, true],
    ['"a.b" in self', { 'a.b': 1 }, true],
    ['self.none == null', { none: null }, true],
    ['self == {"a": [1, 2]}', { a: [1, 2] }, true],
    ['has(self.constructor) || has(self.__proto__)', {}, false],
    ['self.a.exists(x, self.b.exists(y, x == y))', { a: [1, 2], b: [3, 2] }, true],
  ])('%s over %j is %s', (text, self, value) => {
    expect(evaluate(text, { self })).toEqual({ value });
  });

  test('fields that a variable does not have are told when the text is compiled', () => {
    expect(compileExpression('source.lables["env"] == "prod"', SHAPE)).toEqual({
      problem: 'column 8: no such key: lables',
    });
  });

  test('expressions with the same variables share nothing: names and steps of one are not those of another', () => {
    expect(compileExpression('source.keys.all(k, k != "")', SHAPE)).not.toHaveProperty('problem');
    expect(compileExpression('k == ""', SHAPE)).toEqual({ problem: 'column 1: unknown variable: k' });
    const data = { source: { name: 'a', labels: {}, keys: ['x', 'y'] } };
    const measured = ['source.keys.all(k, k != "")', 'source.name == "a"'].map((text) => {
      const compiled = compileExpression(text, SHAPE);
      return () => ('problem' in compiled ? compiled : compiled.measure(data));
    });
    const first = measured.map((measure) => measure());
    expect(measured.map((measure) => measure())).toEqual(first);
    expect(first.every((each) => 'verdict' in each && 'value' in each.verdict && each.verdict.value)).toBe(
      true,
    );
  });

  test('the fields of a declared object', () => {
    const compiled = compileExpression('source.labels["env"] == "prod" && "a" in source.keys', SHAPE);
    if ('problem' in compiled) throw new Error(compiled.problem);
    const source = { name: 'x', labels: { env: 'prod' }, keys: ['a'] };
    expect(compiled.evaluate({ source })).toEqual({ value: true });
    expect(compiled.evaluate({ source: { ...source, keys: [] } })).toEqual({ value: false });
  });
});

describe('a mistake in the text is reported with its place', () => {
  test.each([
    ['', 'the expression is empty'],
    ['self.a ==', 'column 10: unexpected token: EOF'],
    ['true &&\n  other', 'line 2, column 3: unknown variable: other'],
    ['1 + 1', 'the result must be true or false, and this is of type int'],
    ['"a".matches("(")', 'column 13: RE2 does not take this pattern'],
    [
      String.raw`"a".matches("(?i)(\\pL|[a-z\\x{100}-\\x{FFFF}]){1000}")`,
      'column 13: this pattern is too large',
    ],
    [`true${' '.repeat(1024)}`, 'the expression has more than 1024 bytes'],
    [Array(120).fill('true').join('&&'), /too many parts/],
    [`${'('.repeat(60)}true${')'.repeat(60)}`, /nested too deeply/],
    ['cel.bind(a, 1, a == 1)', /cel\.bind\(\) is not available/],
    ['[1].all(a, [1].all(b, [1].all(c, true)))', /only one macro/],
    ['[1].all(a, [1].all(b, true) && [1].all(c, true))', /only one macro/],
  ])('%s', (text, problem) => {
    const compiled = compileExpression(text, { self: 'dyn' });
    expect(compiled).toMatchObject({
      problem: problem instanceof RegExp ? expect.stringMatching(problem) : problem,
    });
  });
});

describe('a problem with the data never shows a value of it', () => {
  const secret = 'hunter2';
  test.each([
    ['self.missing == 1', 'column 6: there is no such field or key; ask for it by has() or by in first'],
    ['self[self.password]', 'column 1: there is no such field or key; ask for it by has() or by in first'],
    ['self.password > 1', 'column 1: these types do not go together'],
    ['self.password', 'the result is neither true nor false'],
    ['int(self.password) > 1', 'column 1: this cannot be evaluated'],
    ['duration(self.password) > duration("1s")', 'column 1: this cannot be evaluated'],
    ['self.list[7] == 1', 'column 1: there is no such position in the list or text'],
    ['"x".matches(self.password + "(")', 'column 1: RE2 does not take this pattern'],
    ['1 / self.zero == 1', 'column 1: a division by zero'],
  ])('%s', (text, problem) => {
    const verdict = evaluate(text, { self: { password: secret, list: [], zero: 0 } });
    expect(verdict).toEqual({ problem });
    expect(JSON.stringify(verdict)).not.toContain(secret);
  });
});

describe('hostile expressions end soon, and the same ones always at the same place', () => {
  const items = Array.from({ length: 256 }, (_, index) => index);
  const long = 'a'.repeat(16_000);
  const big = Object.fromEntries(items.map((key) => [`k${key}`, items]));
  test.each([
    ['`matches` with a pattern that backtracks', '(self.long + "!").matches("(a+)+$")', { value: false }],
    ['a pattern of many states', 'self.long.matches("^(((a?){8}){8})*$")', { problem: /too much work/ }],
    [
      'a large pattern that is put together',
      'self.long.matches("(" + self.pattern + "){100}")',
      { problem: /too much work/ },
    ],
    ['a macro in a macro', 'self.items.all(a, self.items.all(b, a + b >= 0))', { problem: /too much work/ }],
    [
      'its error is not swallowed',
      'self.items.all(a, self.items.all(b, a + b >= 0)) || true',
      { problem: /too much work/ },
    ],
    [
      'patterns in macros',
      'self.items.all(a, !self.long.matches("(a|b|c)*d"))',
      { problem: /too much work/ },
    ],
    ['comparisons of all in macros', 'self.items.all(a, self.big == self.big)', { problem: /too much work/ }],
    ['lists that grow', '(self.items + self.items).all(a, true)', { problem: /at most 256 elements/ }],
    [
      'a list of the data that is too long',
      'self.more.exists(a, a == -1)',
      { problem: /at most 256 elements/ },
    ],
  ])('%s', (_name, text, expected) => {
    const self = { items, long, big, more: [...items, 256], pattern: '(?i)[a-z]{10}' };
    const first = evaluate(text, { self });
    if ('problem' in expected)
      expect(first).toEqual({ problem: expect.stringMatching(expected.problem as RegExp) });
    else expect(first).toEqual(expected);
    expect(evaluate(text, { self })).toEqual(first);
  });

  test('one compiled expression starts with a full budget each time', () => {
    const compiled = compileExpression('self.all(a, a >= 0)', { self: 'dyn' });
    if ('problem' in compiled) throw new Error(compiled.problem);
    for (let round = 0; round < 100; round += 1) {
      expect(compiled.evaluate({ self: items })).toEqual({ value: true });
    }
  });
});
