import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileTemplate, TemplateError } from './index.ts';

const LIMITS = { maxOutputBytes: 2_000, maxSteps: 2_000 };
const DATA = {
  metadata: { name: 'web', labels: { app: 'shop', empty: '' }, annotations: { note: 'grün "☂"' } },
  spec: { containers: [{ name: 'app', image: 'nginx' }], replicas: 3, share: 0.5, none: null },
};

/** Pieces of templates, so that most combinations come close to a valid one. */
const PIECES = [
  '{{',
  '}}',
  '{{-',
  '-}}',
  '{{ ',
  ' }}',
  ' ',
  '\n',
  '|',
  ' | ',
  '(',
  ')',
  ',',
  ':=',
  '=',
  '$',
  '$x',
  '.',
  '"',
  '`',
  "'",
  'if',
  'else',
  'else if',
  'end',
  'range',
  'with',
  'define',
  'block',
  'template',
  'break',
  'continue',
  'nil',
  'true',
  '/*',
  '*/',
  '"t"',
  '{{ end }}',
  '{{ else }}',
  '{{ if true }}',
  '{{ range 9 }}',
  '{{ range .spec.containers }}',
  '{{ define "t" }}',
  '{{ template "t" . }}',
  '{{ block "t" . }}',
  '{{ $x := 1 }}',
  '{{ with .metadata }}',
  '.metadata',
  '.metadata.name',
  '.spec.containers',
  '.spec.none',
  '.missing',
  'upper',
  'printf',
  '"%v"',
  '"%*d"',
  '"%.9f"',
  '"%[2]x"',
  'repeat 99999',
  'repeat',
  'index',
  'slice',
  'len',
  'print',
  'toJson',
  'join ","',
  'splitList ""',
  'trunc -3',
  'quote',
  'html',
  'js',
  'urlquery',
  'eq',
  'lt',
  'and',
  'or',
  'not',
  'default',
  '1',
  '-1',
  '1.5',
  '1e308',
  '0x1p4',
  '0b2',
  '1e999',
  '999999999999',
  "'a'",
  '\\u{0}',
  '🚀',
  '\ud800',
  '\0',
] as const;

const source = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((all) => all.join('')),
  },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((all) => `{{ ${all.join(' ')} }}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);

function run(text: string): string {
  return compileTemplate(text, { name: 'key' }).execute(DATA, LIMITS);
}

describe('Whatever stands in a template', () => {
  it('it comes to a bounded text, or to a complaint with its place', () => {
    fc.assert(
      fc.property(source, (text) => {
        try {
          expect(Buffer.byteLength(run(text))).toBeLessThanOrEqual(LIMITS.maxOutputBytes);
        } catch (error) {
          if (!(error instanceof TemplateError)) throw error;
          const lines = text.split('\n');
          expect(error.message).toMatch(/^key:\d+:\d+: ./);
          expect(error.line).toBeGreaterThanOrEqual(1);
          expect(error.line).toBeLessThanOrEqual(lines.length);
          expect(error.column).toBeGreaterThanOrEqual(1);
          expect(error.column).toBeLessThanOrEqual((lines[error.line - 1]?.length ?? 0) + 1);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('text without actions is itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        fc.pre(!text.includes('{{'));
        expect(run(text)).toBe(text);
      }),
    );
  });
});

describe('A template that would never end', () => {
  it.each([
    ['a loop', '{{ range 1000000000 }}x{{ end }}', 'steps'],
    [
      'loops in loops',
      '{{ range 1000 }}{{ range 1000 }}{{ range 1000 }}{{ end }}{{ end }}{{ end }}',
      'steps',
    ],
    [
      'a template that calls itself',
      '{{ define "t" }}{{ template "t" . }}{{ end }}{{ template "t" . }}',
      'depth',
    ],
    [
      'a template that calls itself twice',
      '{{ define "t" }}{{ template "t" }}{{ template "t" }}{{ end }}{{ template "t" }}',
      'depth',
    ],
    ['much text', '{{ repeat 100000 "x" }}', 'characters'],
    ['much text that nobody sees', '{{ range 900 }}{{ $x := repeat 900 "x" }}{{ end }}', 'characters'],
    ['a wide field', '{{ range 100 }}{{ $x := printf "%999d" 1 }}{{ end }}', 'characters'],
    ['replacements', '{{ $x := repeat 9000 "x" }}{{ replace "x" $x $x }}', 'too long'],
    ['a join', '{{ $x := repeat 2000 "x" }}{{ join $x (splitList "" $x) }}', 'too long'],
    ['many arguments', `{{ $x := repeat 9000 "x" }}{{ print ${'$x '.repeat(100)} }}`, 'characters'],
    ['many directives', `{{ printf "${'%999[1]d'.repeat(2_000)}" 1 }}`, 'too long'],
    ['many parts', '{{ splitList "" (repeat 20000 "x") }}', 'parts'],
    ['much output', `${'y'.repeat(1_500)}{{ print "${'x'.repeat(600)}" }}`, '2000 bytes'],
    ['deep parentheses', `{{ ${'('.repeat(500)}1${')'.repeat(500)} }}`, 'nested deeper'],
    ['deep blocks', `${'{{ if true }}'.repeat(500)}${'{{ end }}'.repeat(500)}`, 'nested deeper'],
    ['a long source', 'x'.repeat(70_000), 'characters'],
  ])('%s is stopped', (_, text, why) => {
    expect(() => run(text)).toThrow(TemplateError);
    expect(() => run(text)).toThrow(why);
  });
});

describe('Long runs of blanks', () => {
  it('are trimmed in no time', () => {
    const blanks = ' '.repeat(60_000);
    expect(run(`${'x \n'.repeat(5)}${blanks.slice(0, 50_000)}{{- 1 }}`)).toBe(`${'x \n'.repeat(4)}x1`);
    const text = compileTemplate('{{ trim .text | len }}', { name: 'key' });
    expect(text.execute({ text: `${blanks}x${blanks}y` })).toBe('60002');
  });
});

describe('What a template cannot reach', () => {
  it.each(['__proto__', 'constructor', 'toString', 'prototype'])('%s is a field like any other', (name) => {
    expect(run(`{{ .metadata.${name} }}{{ .${name} }}`)).toBe('<no value><no value>');
    expect(run(`{{ index .metadata "${name}" }}`)).toBe('<no value>');
  });
});
