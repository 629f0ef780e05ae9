import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../model/status.ts';
import { deepEqual } from '../schema/json.ts';
import { applyMergePatch, mergePatch } from './merge-patch.ts';

describe('mergePatch', () => {
  // RFC 7386, appendix A.
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });

  const json = fc.jsonValue({ maxDepth: 4 });
  const object = fc.dictionary(fc.string(), json);

  it('changes neither of its arguments, and settles', () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const before = structuredClone({ target, patch });
        const once = mergePatch(target, patch);
        expect({ target, patch }).toEqual(before);
        // A list that replaces an object keeps nulls in its items, one that replaces a list does not: so does the
        // real server.
        const twice = mergePatch(once, patch);
        expect(deepEqual(mergePatch(twice, patch), twice)).toBe(true);
      }),
    );
  });

  it('shares what the patch does not name', () => {
    const target = { a: { b: 1 }, c: { d: 2 } };
    const result = mergePatch(target, { c: { d: 3 } }) as typeof target;
    expect(result.a).toBe(target.a);
    expect(mergePatch(target, { c: { d: 2 } })).toBe(target);
  });

  it('takes `__proto__` for a key like any other', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}') as object;
    expect(JSON.stringify(mergePatch({ a: {} }, patch))).toContain('"__proto__":{"polluted":true}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('applyMergePatch', () => {
  it('refuses what is nested too deeply', () => {
    let patch: object = {};
    for (let i = 0; i < 5000; i++) patch = { a: patch };
    expect(() => applyMergePatch({}, patch)).toThrow(StatusError);
  });
});
