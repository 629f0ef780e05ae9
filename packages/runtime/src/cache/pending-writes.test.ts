import { expect, test } from 'vitest';
import type { CachingInformer } from './caching-informer.ts';
import type { Cached } from './informer.ts';
import type { Pending } from './pending-writes.ts';
import { PendingWrites } from './pending-writes.ts';

interface App extends Cached {
  readonly tier: string;
}

/** An informer of which only the progress is read. */
function setUp() {
  const reached = new Map<string, string>();
  const gone = new Set<string>();
  const asked: string[] = [];
  const informer: Partial<CachingInformer<App>> = {
    covers: ({ namespace = '', name }) => {
      asked.push(name);
      return !gone.has(namespace);
    },
    reached: ({ namespace = '' }) => reached.get(namespace),
    placeOf: ({ namespace = '' }) => namespace,
    indexValues: (_, { tier }) => [tier],
  };
  const writes = new PendingWrites(informer as CachingInformer<App>);
  return { reached, gone, asked, writes };
}

function written(namespace: string, name: string, version: string, tier = 'web'): Pending<App> {
  const metadata = { namespace, name, uid: `uid of ${name}`, resourceVersion: version };
  return {
    key: { namespace, name },
    uid: metadata.uid,
    version,
    object: { metadata, tier } as App,
    own: new Map(),
    uncertain: false,
    expires: Number.POSITIVE_INFINITY,
  };
}

const names = (found: readonly Pending<App>[]): string[] => found.map(({ key }) => key.name);

test('returns each write once, when the informer has reached it, oldest first', () => {
  const { reached, writes } = setUp();
  for (const version of ['7', '12', '9', '100']) writes.set(written('a', `v${version}`, version));
  reached.set('a', '6');
  expect(names(writes.reached())).toEqual([]);
  reached.set('a', '12');
  expect(names(writes.reached())).toEqual(['v7', 'v9', 'v12']);
  expect(names(writes.reached())).toEqual([]);
  reached.set('a', '100');
  expect(names(writes.reached())).toEqual(['v100']);
});

test('a later write of the same key is waited for, not the earlier', () => {
  const { reached, writes } = setUp();
  writes.set(written('a', 'app', '7'));
  writes.set(written('a', 'app', '9'));
  reached.set('a', '8');
  expect(writes.reached()).toEqual([]);
  reached.set('a', '9');
  expect(names(writes.reached())).toEqual(['app']);
});

test('namespaces that are watched one by one move on one by one', () => {
  const { reached, writes } = setUp();
  writes.set(written('a', 'first', '7'));
  writes.set(written('b', 'second', '8'));
  reached.set('b', '20');
  expect(names(writes.reached())).toEqual(['second']);
});

test('writes in a namespace that is watched no more are given out', () => {
  const { gone, writes } = setUp();
  writes.set(written('a', 'app', '7'));
  gone.add('a');
  expect(names(writes.reached())).toEqual(['app']);
});

test('deletions, writes without an answer and versions without an order are given out every time', () => {
  const { writes } = setUp();
  writes.set({ ...written('a', 'deleted', '7'), object: undefined });
  writes.set({ ...written('a', 'open', '8'), uncertain: true });
  writes.set(written('a', 'odd', 'x1'));
  for (let round = 0; round < 2; round++) expect(names(writes.reached())).toEqual(['deleted', 'open', 'odd']);
  writes.delete('a/deleted');
  expect(names(writes.reached())).toEqual(['open', 'odd']);
});

test('a late answer returns a write to the queue', () => {
  const { reached, writes } = setUp();
  writes.set({ ...written('a', 'app', '7'), uncertain: true });
  writes.set(written('a', 'app', '7'));
  expect(writes.reached()).toEqual([]);
  reached.set('a', '7');
  expect(names(writes.reached())).toEqual(['app']);
});

test('an index follows what is written, changed and forgotten', () => {
  const { writes } = setUp();
  const found = (tier: string): string[] =>
    [...writes.byIndex('tier', tier)].map(({ metadata }) => metadata.name);
  writes.set(written('a', 'one', '7', 'web'));
  expect(found('web')).toEqual(['one']);
  writes.set(written('a', 'two', '8', 'web'));
  writes.set(written('a', 'one', '9', 'data'));
  expect([found('web'), found('data')]).toEqual([['two'], ['one']]);
  writes.delete('a/two');
  expect(found('web')).toEqual([]);
});

test('keeps nothing of writes that were all dropped one by one', () => {
  const { asked, writes } = setUp();
  for (const version of ['7', '8', '9']) {
    writes.set(written('a', `v${version}`, version));
    expect(writes.delete(`a/v${version}`)).toBe(true);
  }
  expect(writes.reached()).toEqual([]);
  expect(asked).toEqual([]);
});
