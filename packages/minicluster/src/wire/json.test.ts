import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duplicateFields } from './json.ts';

describe('duplicateFields', () => {
  it.each([
    ['{}', []],
    ['[]', []],
    ['5', []],
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"spec":{"replicas":1,"replicas":2},"kind":"x"}', ['spec.replicas']],
    ['{"l":[{"a":1},{"a":1,"b":{"c":1, "c" : 2}}]}', ['l[1].b.c']],
    ['{"l":["a","a"],"m":["l","l"]}', []],
    ['{"a":"{\\"b\\":1,\\"b\\":2}","a\\u0062":1,"ab":2}', ['ab']],
    ['{"a\\\\":1,"a\\\\":2}', ['a\\']],
    ['{ "a" : [ [ {"x":1,"x":2} ] ] , "b" : "," }', ['a[0][0].x']],
  ])('%s', (text, expected) => {
    expect(duplicateFields(text)).toEqual(expected);
  });

  it('finds nothing in what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 2 }), (value, indent) => {
        expect(duplicateFields(JSON.stringify(value, null, indent))).toEqual([]);
      }),
    );
  });
});
