import { describe, expect, it } from 'vitest';
import { GADGET_SCHEMA } from '../../../testdata/schema/gadget.ts';
import { customResourceSchema } from '../definitions.ts';
import { applyDefaults } from './defaults.ts';
import { prune } from './prune.ts';

describe('prune', () => {
  it('returns the object itself when there is nothing to drop', () => {
    const object = {
      apiVersion: 'a',
      kind: 'b',
      metadata: { any: 1 },
      spec: { must: 'x', free: { any: { thing: 1 } } },
    };
    expect(prune(object, GADGET_SCHEMA)).toEqual({ object, dropped: [] });
    expect(prune(object, GADGET_SCHEMA).object).toBe(object);
  });

  it('drops what the schema does not know and names it, leaving the object as it was', () => {
    const object = {
      spec: { must: 'x', nope: 1, parts: [{ name: 'a', nope: 2 }], rows: [[1]], text: { a: 1 } },
      top: 1,
    };
    const before = structuredClone(object);
    const { object: pruned, dropped } = prune(object, GADGET_SCHEMA);
    expect(dropped).toEqual(['spec.nope', 'spec.parts[0].nope', 'spec.text.a', 'top']);
    expect(pruned).toEqual({ spec: { must: 'x', parts: [{ name: 'a' }], rows: [[1]], text: {} } });
    expect(object).toEqual(before);
  });

  it('takes `__proto__` for a key like any other', () => {
    const object = JSON.parse('{"spec":{"__proto__":1,"labels":{"__proto__":"x"},"nope":1}}') as Record<
      string,
      unknown
    >;
    expect(prune(object, GADGET_SCHEMA).dropped).toEqual(['spec.__proto__', 'spec.nope']);
    expect(JSON.stringify(prune(object, GADGET_SCHEMA).object)).toBe('{"spec":{"labels":{"__proto__":"x"}}}');
  });

  it('finds nothing unknown where everything is allowed', () => {
    expect(prune({ spec: { any: 1 } }, customResourceSchema(undefined)).dropped).toEqual([]);
  });
});

describe('applyDefaults', () => {
  it('returns the object itself when there is nothing to fill in', () => {
    const object = applyDefaults({ spec: { must: 'x' } }, GADGET_SCHEMA);
    expect(applyDefaults(object, GADGET_SCHEMA)).toBe(object);
  });

  it('gives every object defaults of its own', () => {
    const schema = {
      type: 'object' as const,
      properties: { a: { type: 'object' as const, default: { b: [1] } } },
    };
    const first = applyDefaults<{ a?: { b: number[] } }>({}, schema);
    first.a?.b.push(2);
    expect(applyDefaults({}, schema)).toEqual({ a: { b: [1] } });
  });
});
