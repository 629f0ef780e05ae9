import { expect, test } from 'vitest';
import { goJson, printed, quoted, Struct } from './go-format.ts';

test.each([
  ['plain', '"plain"'],
  ['a "b" \\c', '"a \\"b\\" \\\\c"'],
  ['tab\tnew\nline', '"tab\\tnew\\nline"'],
  ['\u0000\u001f\u007f', '"\\x00\\x1f\\x7f"'],
  ['bell\u0007', '"bell\\a"'],
  ['é 日本', '"é 日本"'],
  ['\u00a0\u2028', '"\\u00a0\\u2028"'],
])('%j is quoted as Go does', (value, expected) => {
  expect(quoted(value)).toBe(expected);
});

test('maps are sorted and structs are not', () => {
  expect(goJson({ b: 1, a: [true, null] })).toBe('{"a":[true,null],"b":1}');
  expect(goJson(new Struct({ b: 1, a: new Struct({ d: 1, c: 2 }) }))).toBe('{"b":1,"a":{"d":1,"c":2}}');
});

test('what could end a script is escaped', () => {
  expect(goJson('<a>&')).toBe('"\\u003ca\\u003e\\u0026"');
});

test('a value is printed as messages show it', () => {
  expect([printed('x'), printed(-1), printed(undefined), printed(['a'])]).toEqual([
    '"x"',
    '-1',
    'null',
    '["a"]',
  ]);
});
