import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  intersection,
  paths,
  recursiveDifference,
  setOf,
  union,
} from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1, FieldsV1Error } from './fields-v1.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const pathList = fc.array(path, { maxLength: 8 });
const set = pathList.map((list) => setOf(...list));

const members = (of: FieldSet): Set<string> => new Set([...paths(of)].map((each) => each.join(' ')));
const keep = (of: Set<string>, test: (member: string) => boolean): Set<string> =>
  new Set([...of].filter(test));

describe('sets of fields', () => {
  it('hold exactly the paths they were made of', () => {
    fc.assert(
      fc.property(pathList, (list) => {
        expect(members(setOf(...list))).toEqual(new Set(list.map((each) => each.join(' '))));
      }),
    );
  });

  it('are united, intersected and subtracted member by member', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [members(a), members(b)];
        expect(members(union(a, b))).toEqual(new Set([...left, ...right]));
        expect(members(intersection(a, b))).toEqual(keep(left, (member) => right.has(member)));
        expect(members(difference(a, b))).toEqual(keep(left, (member) => !right.has(member)));
      }),
    );
  });

  it('lose what lies below a member in a recursive difference', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const gone = [...members(b)];
        const isBelow = (member: string): boolean =>
          gone.some((top) => member === top || member.startsWith(`${top} `));
        expect(members(recursiveDifference(a, b))).toEqual(keep(members(a), (member) => !isBelow(member)));
      }),
    );
  });

  it('come back as the same object when an operation changes nothing', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const both = union(a, b);
        expect(union(both, a)).toBe(both);
        expect(difference(a, difference(b, a))).toBe(a);
      }),
    );
  });

  it('survive the way through fieldsV1', () => {
    fc.assert(
      fc.property(set, (original) => {
        const json = JSON.parse(JSON.stringify(encodeFieldsV1(original))) as object;
        expect(decodeFieldsV1(json)).toEqual(original);
      }),
    );
  });
});

describe('fieldsV1', () => {
  it('marks a member that has members below it with a dot', () => {
    expect(encodeFieldsV1(setOf(['f:a'], ['f:a', 'f:b'], ['f:c', 'f:d']))).toEqual({
      'f:a': { '.': {}, 'f:b': {} },
      'f:c': { 'f:d': {} },
    });
  });

  it('knows a step however a client wrote it', () => {
    const tidy = decodeFieldsV1({ 'k:{"a":1,"b":"x"}': {}, 'v:"y"': {} });
    const untidy = decodeFieldsV1({ 'k:{ "b": "x", "a": 1 }': {}, 'v: "y" ': {} });
    expect(untidy).toEqual(tidy);
  });

  it.each([null, 5, [], { x: {} }, { 'f:a': 5 }, { 'k:[]': {} }, { 'k:{': {} }, { 'v:': {} }, { 'i:x': {} }])(
    'is not %j',
    (json) => {
      expect(() => decodeFieldsV1(json)).toThrow(FieldsV1Error);
    },
  );

  it('is refused when it is nested too deeply', () => {
    let json: object = {};
    for (let i = 0; i < 5000; i++) json = { 'f:a': json };
    expect(() => decodeFieldsV1(json)).toThrow(FieldsV1Error);
  });
});
