import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonSyntaxProblem } from './go-json.ts';

/** The expected messages are those of Go's encoding/json, which clients of a real server see. */
test.each([
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['[1,', 'unexpected end of JSON input'],
  ['{x}', "invalid character 'x' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['nul', 'unexpected end of JSON input'],
  ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
  ['trxe', "invalid character 'x' in literal true (expecting 'u')"],
  ['fx', "invalid character 'x' in literal false (expecting 'a')"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1e', 'unexpected end of JSON input'],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
  ['"\n"', "invalid character '\\n' in string literal"],
  ["'", "invalid character '\\'' looking for beginning of value"],
  ['é', "invalid character 'é' looking for beginning of value"],
  [' \t\r\n?', "invalid character '?' looking for beginning of value"],
])('%j', (text, problem) => {
  expect(jsonSyntaxProblem(text)).toBe(problem);
});

test('it agrees with the parser on where the trouble is: a cut text ends, a mixed one names a character', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, cut) => {
      const text = json.slice(0, cut % json.length);
      const valid = ((): boolean => {
        try {
          JSON.parse(text);
          return true;
        } catch {
          return false;
        }
      })();
      if (!valid)
        expect(jsonSyntaxProblem(text)).toMatch(/^(unexpected end of JSON input$|invalid character '.*)/su);
    }),
  );
});
