import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStringSlice, StringSliceError } from './string-slice.ts';

describe('one use', () => {
  test.each([
    ['', []],
    ['a', ['a']],
    ['a,b', ['a', 'b']],
    [' a , b ', [' a ', ' b ']],
    ['a,', ['a', '']],
    [',a', ['', 'a']],
    [',', ['', '']],
    ['a,,b', ['a', '', 'b']],
    ['"a"', ['a']],
    ['"a,b",c', ['a,b', 'c']],
    ['c,"a,b"', ['c', 'a,b']],
    ['""', ['']],
    ['"",', ['', '']],
    ['"a ""b"" c"', ['a "b" c']],
    ['"two\nlines",x', ['two\nlines', 'x']],
    ['first\nsecond', ['first']],
    ['first,x\r\nsecond', ['first', 'x']],
    ['\n\nfirst', ['first']],
    ['"q"\nsecond', ['q']],
    ['env in (a,b)', ['env in (a', 'b)']],
  ])('%j', (text, fields) => expect(parseStringSlice(text)).toEqual(fields));

  test.each([
    ['a"b', 'bare "'],
    [' "a"', 'bare "'],
    ['"a', 'not closed'],
    ['"a"b', 'extraneous'],
    ['"a" ,b', 'extraneous'],
    ['\n', 'nothing but line breaks'],
  ])('%j is refused', (text, why) => {
    expect(() => parseStringSlice(text)).toThrow(StringSliceError);
    expect(() => parseStringSlice(text)).toThrow(why);
  });
});

test('fields that are quoted come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (fields) => {
      const written = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
      expect(parseStringSlice(written)).toEqual(fields);
    }),
  );
});
