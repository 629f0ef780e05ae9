import { describe, expect, it } from 'vitest';
import type { JsonRecord } from '../json.ts';
import type { Schema } from '../schema.ts';
import { validate } from './validate.ts';

const text: Schema = { type: 'string', minLength: 3 };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['must'],
      properties: {
        s: text,
        l: { type: 'array', maxItems: 1, items: text },
        t: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        o: {
          type: 'object',
          required: ['c'],
          properties: { a: { type: 'integer', minimum: 5 }, b: { type: 'integer' } },
        },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, v: text } },
        },
        m: { type: 'object', additionalProperties: text },
        other: { type: 'string' },
      },
    },
  },
};
const before = {
  s: 'a',
  l: ['a', 'b'],
  t: ['x', 'x'],
  o: { a: 1, b: 1 },
  parts: [{ name: 'p', v: 'a' }],
  m: { k: 'a' },
};

function update(change: JsonRecord): string[] {
  const old = { spec: before };
  return validate({ spec: { ...before, ...change } }, schema, { old })
    .map(({ field }) => field)
    .sort();
}

/**
 * The schema became stricter after the object was created; the expected answers are those of a real API server
 * (1.36.3).
 */
describe('an update of an object that its schema would no longer accept', () => {
  it.each<[string, JsonRecord, string[]]>([
    ['changes nothing', {}, []],
    ['adds a field', { other: 'z' }, ['spec.must']],
    ['changes a faulty field', { s: 'b' }, ['spec.must', 'spec.s']],
    [
      'changes a list without identities',
      { l: ['b', 'a'] },
      ['spec.l', 'spec.l[0]', 'spec.l[1]', 'spec.must'],
    ],
    ['changes a set that had duplicates', { t: ['x', 'x', 'y'] }, ['spec.must']],
    ['changes a neighbour of a faulty field', { o: { a: 1, b: 2 } }, ['spec.must', 'spec.o.c']],
    ['adds to a keyed list', { parts: [...before.parts, { name: 'q', v: 'zzz' }] }, ['spec.must']],
    ['changes a faulty item', { parts: [{ name: 'p', v: 'b' }] }, ['spec.must', 'spec.parts[0].v']],
    ['adds to a map', { m: { k: 'a', j: 'zzz' } }, ['spec.must']],
    ['changes a faulty value of a map', { m: { k: 'b' } }, ['spec.m.k', 'spec.must']],
  ])('that %s', (_what, change, expected) => {
    expect(update(change)).toEqual(expected);
  });
});

describe('validate', () => {
  it('leaves metadata to others', () => {
    const object = { metadata: { name: 5 }, spec: { must: 1 } };
    const strict: Schema = { type: 'object', properties: { metadata: { type: 'string' } } };
    expect(validate(object, strict)).toEqual([]);
  });

  it('is not misled by keys that objects inherit', () => {
    const required: Schema = { type: 'object', required: ['constructor', 'toString'], properties: {} };
    expect(validate({}, required).map(({ field }) => field)).toEqual(['constructor', 'toString']);
  });

  it('checks patterns in Go’s syntax and in linear time', () => {
    const slow: Schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(validate({ a: `${'a'.repeat(5000)}b` }, slow)).toHaveLength(1);
    const go: Schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(?i)ab\\z' } } };
    expect(validate({ a: 'AB' }, go)).toEqual([]);
  });
});
