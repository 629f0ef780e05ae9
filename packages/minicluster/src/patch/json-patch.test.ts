import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../model/status.ts';
import type { JsonRecord } from '../schema/json.ts';
import { applyJsonPatch } from './json-patch.ts';

describe('applyJsonPatch', () => {
  // RFC 6902, appendix A, except where the server differs (`testdata/patch/json.ts` covers that).
  it.each<[string, JsonRecord, object[], JsonRecord]>([
    [
      'A.1 adding an object member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 adding an array element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    [
      'A.3 removing an object member',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'remove', path: '/baz' }],
      { foo: 'bar' },
    ],
    [
      'A.4 removing an array element',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replacing a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moving a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moving an array element',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 testing a value',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adding a nested member object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 ignoring unrecognized elements',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'A.14 ~ escape ordering',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    [
      'A.16 adding an array value',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    ['copying', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['replacing the whole', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['testing the whole', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
  ])('%s', (_name, document, patch, expected) => {
    const before = structuredClone(document);
    expect(applyJsonPatch(document, patch)).toEqual(expected);
    expect(document).toEqual(before);
  });

  it.each<[string, JsonRecord, object[]]>([
    ['A.9 testing a value: error', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }]],
    ['A.12 adding to a nonexistent target', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
    ['A.15 comparing strings and numbers', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }]],
    ['replacing the whole by something else', { a: 1 }, [{ op: 'replace', path: '', value: 5 }]],
    ['a prototype is no container', { a: 1 }, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }]],
  ])('%s fails with 422', (_name, document, patch) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 422, reason: 'Invalid' }) }),
    );
  });

  it('takes ten thousand operations and no more', () => {
    const patch = (count: number) =>
      Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(applyJsonPatch({ a: 1 }, patch(10_000))).toEqual({ a: 1 });
    expect(() => applyJsonPatch({ a: 1 }, patch(10_001))).toThrow(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  it('does not let copies grow without end', () => {
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/${i}` }));
    expect(() => applyJsonPatch({ a: { x: 'x'.repeat(1000) } }, doubling)).toThrow(StatusError);
  });

  it('refuses a result that is nested too deeply', () => {
    const nest = Array.from({ length: 300 }, (_, i) => ({
      op: 'add',
      path: `/${'a/'.repeat(i)}a`,
      value: {},
    }));
    expect(() => applyJsonPatch({}, nest)).toThrow(StatusError);
  });

  it('takes `__proto__` for a key like any other', () => {
    const result = applyJsonPatch({ a: {} }, [
      { op: 'add', path: '/a/__proto__', value: { polluted: true } },
    ]);
    expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"polluted":true}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('undoes what it did: adding and removing leaves the object as it was', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.jsonValue(),
        (object, key, value) => {
          fc.pre(!Object.hasOwn(object, key));
          const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          const patch = [
            { op: 'add', path, value },
            { op: 'test', path, value },
            { op: 'remove', path },
          ];
          expect(applyJsonPatch(object, patch)).toEqual(object);
        },
      ),
    );
  });
});
