import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyString } from '../model/types.ts';
import type { Cached } from './informer.ts';
import { ObjectMap } from './object-map.ts';
import { IndexedStore } from './store.ts';

interface Tagged extends Cached {
  readonly tags: readonly string[];
}

function tagged(key: string, tags: readonly string[] = [], resourceVersion = '1'): Tagged {
  const [namespace = '', name = ''] = key.split('/');
  return { metadata: { namespace, name, uid: `uid of ${key}`, resourceVersion }, tags };
}

const byTag = (object: Tagged): readonly string[] => object.tags;
const keys = (objects: Iterable<Cached>): string[] =>
  [...objects].map(({ metadata }) => keyString(metadata)).sort();

describe('The store', () => {
  it('finds by key, by namespace and by index', () => {
    const store = new IndexedStore<Tagged>();
    store.addIndexes({ tag: byTag });
    for (const object of [tagged('a/x', ['red']), tagged('a/y', ['red', 'big']), tagged('b/x', ['big'])])
      store.set(object);
    expect(store.get({ namespace: 'a', name: 'y' })?.tags).toEqual(['red', 'big']);
    expect(keys(store.list('a'))).toEqual(['a/x', 'a/y']);
    expect(keys(store.list())).toEqual(['a/x', 'a/y', 'b/x']);
    expect(keys(store.byIndex('tag', 'big'))).toEqual(['a/y', 'b/x']);
    expect(store.size).toBe(3);
  });

  it('finds objects without a namespace', () => {
    const store = new IndexedStore<Cached>();
    store.set({ metadata: { name: 'node', uid: '1', resourceVersion: '1' } });
    expect(store.get({ name: 'node' })?.metadata.uid).toBe('1');
    expect(store.get({ namespace: 'a', name: 'node' })).toBeUndefined();
  });

  it('throws for an undeclared index, and names the declared ones', () => {
    const store = new IndexedStore<Tagged>();
    store.addIndexes({ tag: byTag });
    expect(() => store.byIndex('colour', 'red')).toThrow(/no index "colour".*declared: tag/);
  });

  it('refuses two functions for one index, and takes the same one twice', () => {
    const store = new IndexedStore<Tagged>();
    store.addIndexes({ tag: byTag });
    store.addIndexes({ tag: byTag });
    expect(() => store.addIndexes({ tag: () => [] })).toThrow('already declared with another function');
  });

  it('leaves an object that an index function cannot read out of that index only', () => {
    const errors: unknown[] = [];
    const store = new IndexedStore<Tagged>((index, error) => errors.push([index, error]));
    const failing = new Error('bad object');
    store.addIndexes({
      tag: byTag,
      fussy: (object) => {
        if (object.metadata.name === 'bad') throw failing;
        return ['fine'];
      },
    });
    store.set(tagged('a/bad', ['red']));
    store.set(tagged('a/good', ['red']));
    expect(keys(store.byIndex('fussy', 'fine'))).toEqual(['a/good']);
    expect(keys(store.byIndex('tag', 'red'))).toEqual(['a/bad', 'a/good']);
    expect(errors).toEqual([['fussy', failing]]);
  });

  it('adopts a whole state only while it is empty', () => {
    const store = new IndexedStore<Tagged>();
    store.addIndexes({ tag: byTag });
    const state = new ObjectMap<Tagged>();
    state.set(tagged('a/x', ['red']));
    store.adopt(state);
    expect(keys(store.byIndex('tag', 'red'))).toEqual(['a/x']);
    expect(() => store.adopt(new ObjectMap())).toThrow('cannot adopt');
  });
});

describe('Indexes', () => {
  const operation = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        op: fc.constant('set' as const),
        key: fc.constantFrom('a/x', 'a/y', 'b/x', 'b/y', 'c/z'),
        // Repeated values are allowed: a function may say the same thing twice.
        tags: fc.array(fc.constantFrom('red', 'blue', 'big'), { maxLength: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        op: fc.constant('delete' as const),
        key: fc.constantFrom('a/x', 'a/y', 'b/x', 'b/y', 'c/z'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('late index' as const) }) },
  );

  it('always equal a scan of all objects', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const store = new IndexedStore<Tagged>();
        store.addIndexes({ tag: byTag });
        const model = new Map<string, Tagged>();
        let late = false;
        let version = 0;
        for (const each of operations) {
          if (each.op === 'set') {
            const object = tagged(each.key, each.tags, String(++version));
            store.set(object);
            model.set(each.key, object);
          } else if (each.op === 'delete') {
            store.delete(tagged(each.key).metadata);
            model.delete(each.key);
          } else {
            store.addIndexes({ late: byTag });
            late = true;
          }
          expect(store.size).toBe(model.size);
          for (const tag of ['red', 'blue', 'big']) {
            const expected = keys([...model.values()].filter(({ tags }) => tags.includes(tag)));
            const found = [...store.byIndex('tag', tag)];
            expect(keys(found)).toEqual(expected);
            for (const object of found) expect(model.get(keyString(object.metadata))).toBe(object);
            if (late) expect(keys(store.byIndex('late', tag))).toEqual(expected);
          }
        }
        expect(keys(store.list())).toEqual([...model.keys()].sort());
      }),
      { numRuns: 300 },
    );
  });
});
