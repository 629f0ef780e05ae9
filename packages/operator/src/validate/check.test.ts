import { describe, expect, test } from 'vitest';
import { findingText } from '../reloader/model/content-rule.ts';
import { CERTIFICATE, CERTIFICATE_ENDS, found, NOW, ruleWith, verdictOn } from './check.test.support.ts';

describe('keys that have to be there', () => {
  test('are named where they are missing', () => {
    const { findings } = verdictOn({ a: '1' }, [
      ruleWith({ requiredKeys: ['a', 'b', 'c'], message: 'both' }),
    ]);
    expect(findings.map(findingText)).toEqual([
      'key b: is missing (test: "both")',
      'key c: is missing (test: "both")',
    ]);
  });

  test('a key with a format is not required', () => {
    expect(verdictOn({ a: '1' }, [ruleWith({ key: 'b', format: 'json' })]).findings).toEqual([]);
  });

  test('a rule that is broken finds something in everything', () => {
    expect(verdictOn({}, [ruleWith({ broken: 'format must be …' })]).findings).toHaveLength(1);
  });
});

describe('YAML', () => {
  test.each<[string, string, string[]]>([
    ['a map', 'a: 1\nb: [x, y]', []],
    ['nothing', '', []],
    ['several documents', 'a: 1\n---\na: 2', []],
    ['an alias', 'a: &x {b: 1}\nc: *x', []],
    ['merged keys', 'a: &x {b: 1}\nc: {<<: *x, d: 2}', []],
    ['__proto__', '__proto__: {a: 1}\nconstructor: 1', []],
    ['a repeated key', 'a: 1\na: 2', ['line 2, column 1: repeats a key of the same map']],
    ['a tab', 'a:\n\tb: 1', ['line 2, column 1: is indented by a tab']],
    ['an open bracket', 'a: [1, 2', ['line 2, column 1: lacks a closing quote or bracket']],
    ['an unknown tag', 'a: !Ref b', ['line 1, column 10: has a tag, which only some programs understand']],
    ['an unknown alias', 'a: *b', ['line 1, column 6: has an alias of an anchor that is not there']],
    ['brackets', '['.repeat(5_000), ['line 1, column 64: is nested more than 64 levels deep']],
    ['a circle', 'a: &a [*a]', ['is nested more than 64 levels deep']],
    ['NUL', 'a: 1\n\0', ['line 2: holds a NUL character']],
    [
      'a byte order mark',
      '\uFEFFa: 1',
      ['line 1: begins with a byte order mark, which many programs do not take'],
    ],
  ])('%s', (_, text, expected) => {
    expect(found(text, { format: 'yaml' })).toEqual(expected);
  });

  test.each(['', ' ', '\n', '# nothing\n'])(
    'a text without values has none that a rule or schema requires: %j',
    (text) => {
      expect(found(text, { format: 'yaml', schema: { type: 'object', required: ['workers'] } })).toEqual([
        'must be of type object',
      ]);
      expect(found(text, { format: 'yaml', rule: 'self.workers >= 1' })).toEqual([
        expect.stringContaining('the rule cannot be asked'),
      ]);
    },
  );

  test('of a billion laughs', () => {
    const names = 'abcdefghij';
    const lines = [...names].map((name, index) => {
      const inner = index === 0 ? 'lol' : `*${names[index - 1]}`;
      return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]`;
    });
    expect(found(lines.join('\n'), { format: 'yaml' })).toEqual([
      'is endless: its aliases stand for too much',
    ]);
  });

  test('bytes that are no text', () => {
    expect(found(Uint8Array.of(0xff, 0xfe, 0x41), { format: 'yaml' })).toEqual(['is not UTF-8']);
  });
});

describe('JSON', () => {
  test.each<[string, string, string[]]>([
    ['an object', '{"a": [1, null, "\\"}"]}', []],
    ['__proto__', '{"__proto__": {"a": 1}}', []],
    ['a repeated key', '{"a": 1,\n "a": 2}', ['line 2, column 2: repeats a key of the same object']],
    [
      'one that is written in another way',
      '{"a": 1, "\\u0061": 2}',
      ['line 1, column 10: repeats a key of the same object'],
    ],
    ['the same key elsewhere', '{"a": {"a": ["a", {"a": 1}]}}', []],
    ['a quote that is missing', '{"a: 1}', [expect.stringMatching(/is not JSON$/) as string]],
    ['nothing', '', [expect.stringMatching(/is not JSON$/) as string]],
    ['brackets', '['.repeat(100_000), ['is nested more than 64 levels deep']],
  ])('%s', (_, text, expected) => {
    expect(found(text, { format: 'json' })).toEqual(expected);
  });
});

describe('properties', () => {
  test.each<[string, string, string[]]>([
    ['lines', '# c\n! c\na=1\nb : 2\nc 3\nd\n e = a\\\n   b', []],
    ['an escape that is none', 'a=1\nb=\\u12', ['line 2: has \\u without four hexadecimal digits']],
    ['a backslash before it', 'b=\\\\u12', []],
    ['a repeated key', 'a=1\n\na=2', ['line 3: repeats a key']],
  ])('%s', (_, text, expected) => {
    expect(found(text, { format: 'properties' })).toEqual(expected);
  });

  test('are a map of texts for rules', () => {
    const text = 'a=1\nb\\ c = x\\\n  y\nd:\\u0041\\n';
    const rule = 'self == {"a": "1", "b c": "xy", "d": "A\\n"}';
    expect(found(text, { format: 'properties', rule })).toEqual([]);
  });
});

describe('PEM', () => {
  const DAY = 86_400_000;
  test.each<[string, string, number, number, string[]]>([
    ['a certificate', CERTIFICATE, NOW, 0, []],
    [
      'two, and a key',
      `${CERTIFICATE}${CERTIFICATE}-----BEGIN X KEY-----\nAAAA\n-----END X KEY-----`,
      NOW,
      0,
      [],
    ],
    [
      'one that has expired',
      CERTIFICATE,
      CERTIFICATE_ENDS,
      0,
      ['line 1: begins certificate 1, which has expired'],
    ],
    [
      'one that expires soon',
      `${CERTIFICATE}`,
      CERTIFICATE_ENDS - DAY,
      DAY,
      ['line 1: begins certificate 1, which expires too soon'],
    ],
    ['one that is not expired yet', CERTIFICATE, CERTIFICATE_ENDS - DAY - 1, DAY, []],
    ['no block', 'hello', NOW, 0, ['has no PEM block']],
    ['half of one', CERTIFICATE.slice(0, 300), NOW, 0, ['line 1: begins a block that does not end']],
    [
      'another one inside',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      NOW,
      0,
      ['line 1: begins certificate 1, which cannot be read'],
    ],
    [
      'no base64',
      '-----BEGIN A-----\n???\n-----END A-----',
      NOW,
      0,
      ['line 1: begins a block that is not base64'],
    ],
  ])('%s', (_, text, now, expiresInMs, expected) => {
    expect(found(text, { format: 'pem', expiresInMs }, now)).toEqual(expected);
  });

  test('a verdict ends when a certificate does', () => {
    const rules = [ruleWith({ key: 'a', format: 'pem', expiresInMs: DAY })];
    expect(verdictOn({ a: CERTIFICATE }, rules).until).toBe(CERTIFICATE_ENDS - DAY);
  });
});

describe('a rule', () => {
  const rule = 'self.workers >= 1 && self.workers <= 64';

  test.each<[string, string[]]>([
    ['workers: 8', []],
    ['workers: 65', ['breaks the rule']],
    [
      'other: 1',
      [expect.stringMatching(/^the rule cannot be asked: column \d+: there is no such field/) as string],
    ],
    ['workers: 8\n---\nworkers: 0', ['document 2: breaks the rule']],
  ])('%s', (text, expected) => {
    expect(found(text, { format: 'yaml', rule })).toEqual(expected);
  });
});

test('what is found is bounded', () => {
  const schema = { additionalProperties: { type: 'integer' } };
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 'x'])),
  );
  const rules = Array.from({ length: 16 }, () => ruleWith({ key: 'a', format: 'json', schema }));
  expect(verdictOn({ a: text }, rules).findings).toHaveLength(10);
});
