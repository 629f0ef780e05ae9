/**
 * A thousand contents that are made to break a parser. Each has to get an answer, soon, that quotes nothing of the
 * content. `bench/` measures the time; here the work is bounded by sizes.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONTENT_FORMATS, type ContentFormat, findingText } from '../reloader/model/content-rule.ts';
import { ruleWith, verdictOn } from './check.test.support.ts';

const PLANTED = 'planted-7b1f0c9e5a3d';

const nested = fc
  .tuple(
    fc.constantFrom('[', '{a: ', '{"a": ', '- ', 'a:\n ', '? ', '"', "'", '&a ', '*a ', '!a ', '|\n '),
    fc.nat(3_000),
  )
  .map(([piece, times]) => piece.repeat(times));
const repeated = fc
  .tuple(
    fc.constantFrom('a: 1\n', '"a": 1,', 'a=1\n', '---\n', '# \n', '\\\n', '\\u', '\t', ' ', '<<: *a\n'),
    fc.nat(3_000),
  )
  .map(([piece, times]) => piece.repeat(times));
const special = fc.constantFrom(
  '\0',
  '\uFEFF',
  '\u2028',
  '\r',
  '__proto__: {x: 1}\n',
  'constructor: {}\n',
  '\ud800',
);
const pem = fc.constantFrom('-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----\n', 'AAAA\n');
const piece = fc.oneof(
  nested,
  repeated,
  special,
  pem,
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.constant(PLANTED),
);
const content = fc.array(piece, { maxLength: 6 }).map((pieces) => [...pieces, PLANTED].join(''));
const format = fc.constantFrom<ContentFormat>(...CONTENT_FORMATS);

describe('a thousand hostile contents', () => {
  test('are answered without an error, and nothing of them is told', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      additionalProperties: { type: 'string', pattern: '^(a+)+$' },
    };
    fc.assert(
      fc.property(content, format, fc.boolean(), (text, each, asksMore) => {
        const more = asksMore && each !== 'pem' ? { rule: 'self.a.exists(x, x == 1)', schema } : {};
        const rules = [ruleWith({ key: 'a', format: each, requiredKeys: ['b'], ...more })];
        const { findings } = verdictOn({ a: text }, rules);
        expect(findings.length).toBeGreaterThan(0);
        expect(findings.length).toBeLessThanOrEqual(10);
        const told = findings.map(findingText).join('\n');
        expect(told).not.toContain(PLANTED);
        expect(told.length).toBeLessThan(2_000);
      }),
      { numRuns: 1_000 },
    );
  });

  test('nothing of a mistake quotes the text around it', () => {
    const mistakes: readonly (readonly [ContentFormat, string])[] = [
      ['yaml', `a: *${PLANTED}`],
      ['yaml', `a: !${PLANTED} b`],
      ['yaml', `a: !${PLANTED}!x b`],
      ['yaml', `%TAG ${PLANTED} x\n---\na`],
      ['yaml', `${PLANTED}: 1\n${PLANTED}: 2`],
      ['yaml', `a: "${PLANTED}`],
      ['json', PLANTED],
      ['json', `{"${PLANTED}": 1, "${PLANTED}": 2}`],
      ['json', `"at position 4711`],
      ['properties', `${PLANTED}=1\n${PLANTED}=2`],
      ['pem', `-----BEGIN ${PLANTED}-----`],
    ];
    for (const [each, text] of mistakes) {
      const { findings } = verdictOn({ a: text }, [ruleWith({ key: 'a', format: each })]);
      expect(findings, text).toHaveLength(1);
      expect(JSON.stringify(findings)).not.toMatch(/planted|4711/);
    }
  });

  test('no rule and no schema tells what it was compared with', () => {
    const text = JSON.stringify({ a: PLANTED, [PLANTED]: 1, list: [PLANTED] });
    const schema = {
      properties: { a: { type: 'integer' }, list: { items: { enum: ['x'] } } },
      additionalProperties: { const: 'x' },
    };
    for (const rule of [
      'self.a == 1',
      'self[self.a] == 2',
      'int(self.a) > 1',
      'self.a.matches(self.a + "(")',
    ]) {
      const { findings } = verdictOn({ a: text }, [ruleWith({ key: 'a', format: 'json', rule, schema })]);
      expect(findings.length).toBeGreaterThan(2);
      expect(JSON.stringify(findings)).not.toContain('planted');
    }
  });
});
