import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelMatcher, parseLabelSelector } from './label-selector.ts';

const matches = (selector: string, labels: Record<string, string> | undefined): boolean =>
  labelMatcher(selector)?.(labels) ?? true;

describe('what a selector selects', () => {
  const web = { app: 'web', tier: 'front', weight: '7' };
  test.each([
    ['', true],
    ['app', true],
    ['missing', false],
    ['!app', false],
    ['!missing', true],
    ['app=web', true],
    ['app==web', true],
    ['app=db', false],
    ['app!=db', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (db, web)', true],
    ['app in (db)', false],
    ['missing in (x)', false],
    ['app notin (db)', true],
    ['app notin (web,db)', false],
    ['missing notin (x)', true],
    ['app=web,tier=front', true],
    ['app=web,tier=back', false],
    ['weight>6', true],
    ['weight>7', false],
    ['weight<8', true],
    ['weight<7', false],
    ['app>1', false],
    ['missing>1', false],
    ['app=', false],
    ['app in ()', false],
  ])('%s → %s', (selector, expected) => {
    expect(matches(selector, web)).toBe(expected);
  });

  test('an object without labels has none', () => {
    expect(matches('app', undefined)).toBe(false);
    expect(matches('!app', undefined)).toBe(true);
  });

  test('names of the language are labels like any other', () => {
    expect(matches('toString', {})).toBe(false);
    expect(matches('in=notin', { in: 'notin' })).toBe(true);
  });

  test('an empty value is a value', () => {
    expect(matches('app=', { app: '' })).toBe(true);
    expect(matches('app in (,a)', { app: '' })).toBe(true);
    expect(matches('app in (a,)', { app: '' })).toBe(true);
  });
});

/** The expected messages are those of kube-apiserver 1.36. */
describe('what is wrong with a selector', () => {
  test.each([
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a,', "found '', expected: identifier after ','"],
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['a foo b', "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%s', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(message);
  });

  test('keys and values must be valid labels', () => {
    expect(() => parseLabelSelector('-a=b')).toThrow(
      /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/,
    );
    expect(() => parseLabelSelector('a=-b')).toThrow(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid label must be an empty string or/,
    );
    expect(() => parseLabelSelector('a in (ok,-b,-c)')).toThrow(
      /: \[values\[0\]\[a\]: Invalid value: "-b".*, values\[1\]\[a\]: Invalid value: "-c"/,
    );
    expect(() => parseLabelSelector('a/b/c')).toThrow('a qualified name must consist of');
    expect(() => parseLabelSelector('/b')).toThrow('prefix part must be non-empty');
    expect(() => parseLabelSelector('A/b')).toThrow('prefix part a lowercase RFC 1123 subdomain');
    expect(() => parseLabelSelector('a/')).toThrow('name part must be non-empty');
    expect(() => parseLabelSelector('x'.repeat(64))).toThrow('name part must be no more than 63 bytes');
    expect(() => parseLabelSelector(`a=${'x'.repeat(64)}`)).toThrow('must be no more than 63 bytes');
  });

  test('every failure is a 400', () => {
    expect(() => parseLabelSelector(',')).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 400, reason: 'BadRequest' }) }),
    );
  });
});

test('whatever text comes, it is a selector or a 400', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '=',
    '==',
    '!=',
    '!',
    'in',
    'notin',
    '(',
    ')',
    ',',
    ' ',
    '<',
    '>',
    '5',
    '-',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.string(), (pieces, noise) => {
      for (const text of [pieces.join(''), noise]) {
        try {
          parseLabelSelector(text);
        } catch (error) {
          expect(error).toMatchObject({ body: { code: 400 } });
        }
      }
    }),
  );
});

test('a selector and its negation never both select', () => {
  const label = fc.constantFrom('a', 'b');
  const value = fc.constantFrom('x', 'y');
  fc.assert(
    fc.property(
      label,
      fc.uniqueArray(value, { minLength: 1 }),
      fc.dictionary(label, value),
      (key, values, labels) => {
        const set = `(${values.join(',')})`;
        expect(matches(`${key} in ${set}`, labels)).toBe(!matches(`${key} notin ${set}`, labels));
        expect(matches(key, labels)).toBe(!matches(`!${key}`, labels));
      },
    ),
  );
});
