import { describe, expect, test } from 'vitest';
import { compare } from './compare.ts';
import type { Schema } from './keywords.ts';
import { readSchema } from './read.ts';

describe('a value is compared with', () => {
  test.each<readonly [Schema, unknown, readonly string[]]>([
    [{ type: 'object' }, {}, []],
    [{ type: 'object' }, [], [': must be of type object']],
    [{ type: ['string', 'null'] }, null, []],
    [{ type: 'integer' }, 1.5, [': must be of type integer']],
    [{ type: 'number' }, '1', [': must be of type number']],
    [{ enum: [1, { a: 1 }] }, { a: 1 }, []],
    [{ enum: ['a'] }, 'b', [': must be one of the values that the schema names']],
    [{ const: null }, 0, [': must be the value that the schema names']],
    [{ minimum: 1, maximum: 3 }, 4, [': must be at most 3']],
    [{ exclusiveMinimum: 1 }, 1, [': must be more than 1']],
    [{ multipleOf: 3 }, 4, [': must be a multiple of 3']],
    [{ minLength: 2 }, '😀', [': must have at least 2 characters']],
    [{ pattern: '^a+$' }, 'ab', [': must match the pattern ^a+$']],
    [{ items: { type: 'string' } }, ['a', 1], ['[1]: must be of type string']],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [': must not have the same item twice'],
    ],
    [{ minItems: 1 }, [], [': must have at least 1 items']],
    [{ required: ['a'] }, {}, [': must have a']],
    [
      { properties: { a: { properties: { b: { type: 'null' } } } } },
      { a: { b: 1 } },
      ['.a.b: must be of type null'],
    ],
    [
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, hunter2: 1 },
      [': has a property that the schema does not name'],
    ],
    [{ additionalProperties: { type: 'string' } }, { hunter2: 1 }, ['.*: must be of type string']],
    [{ properties: {}, required: ['toString'] }, {}, [': must have toString']],
    [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 1, [': must fit at least one schema of anyOf']],
    [
      { oneOf: [{ type: 'integer' }, { minimum: 3 }] },
      4,
      [': must fit exactly one schema of oneOf, and fits 2'],
    ],
    [{ allOf: [{ minimum: 3 }, { maximum: 1 }] }, 2, [': must be at least 3', ': must be at most 1']],
    [{ not: { type: 'string' } }, 'a', [': must not fit the schema of not']],
  ])('%j: %j', (schema, value, expected) => {
    expect(readSchema(schema)).toEqual({ schema });
    expect(compare(value, schema).map(({ path, what }) => `${path}: ${what}`)).toEqual(expected);
  });
});

describe('a schema is refused', () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
  test.each<[unknown, RegExp]>([
    [[], /^must be an object$/],
    [{ $ref: '#/a' }, /^\.\$ref is no keyword/],
    [{ properties: { a: { format: 'date' } } }, /^\.properties\.a\.format is no keyword/],
    [JSON.parse('{"__proto__": {}}'), /^\.__proto__ is no keyword/],
    [{ type: 'text' }, /^\.type must be one of/],
    [{ minimum: '1' }, /^\.minimum must be a number$/],
    [{ pattern: '(' }, /^\.pattern is no pattern of RE2$/],
    [{ pattern: '(a{100}){20}' }, /^\.pattern is/],
    [{ items: [{}] }, /^\.items must be an object$/],
    [{ anyOf: [] }, /^\.anyOf must be a list/],
    [{ description: 'x'.repeat(17_000) }, /^is larger than 16 KiB$/],
    [deep(30), /nested more than 24 levels/],
  ])('%#', (schema, problem) => {
    expect(readSchema(schema)).toEqual({ problem: expect.stringMatching(problem) as string });
  });
});
