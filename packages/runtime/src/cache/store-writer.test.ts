import { describe, expect, it } from 'vitest';
import type { Stored } from '../model/types.ts';
import type { Item } from '../reflector/fake-server.test.support.ts';
import { Handlers } from './handlers.ts';
import { Replay, versions } from './harness.test.support.ts';
import { IndexedStore } from './store.ts';
import { StoreWriter } from './store-writer.ts';

function setUp() {
  const store = new IndexedStore<Stored<Item>>();
  const handlers = new Handlers<Stored<Item>>((error) => {
    throw error;
  });
  const replay = new Replay<Stored<Item>>();
  handlers.add(replay.handler, [], false);
  const writer = new StoreWriter<Item, Stored<Item>>({
    store,
    handlers,
    project: (item) => item,
    onProjectionError: () => {},
    onFilled: () => {},
    onProgress: () => {},
    onReplaced: () => {},
  });
  return { store, writer, replay };
}

const item = (name: string, uid: string, resourceVersion: string): Stored<Item> => ({
  metadata: { namespace: 'ns', name, uid, resourceVersion },
});

/** With "a" of uid 1 at version 10 stored. */
function filled() {
  const setting = setUp();
  setting.writer.begin();
  setting.writer.collect('ADDED', item('a', '1', '10'));
  setting.writer.replace('20', false);
  setting.replay.events.length = 0;
  return setting;
}

describe('Collecting a full list', () => {
  it('ignores objects outside a collection', () => {
    const { writer, store } = setUp();
    writer.collect('ADDED', item('a', '1', '10'));
    writer.begin();
    writer.collect('ADDED', item('b', '2', '11'));
    writer.discard();
    writer.replace('20', false);
    expect(store.size).toBe(0);
    expect(store.resourceVersion).toBe('20');
  });

  it('loses only the object that a deletion is about', () => {
    const { writer, store } = setUp();
    writer.begin();
    writer.collect('ADDED', item('a', '1', '10'));
    writer.collect('ADDED', item('b', '2', '11'));
    writer.collect('DELETED', item('a', 'an earlier one', '9'));
    writer.collect('DELETED', item('b', '2', '12'));
    writer.replace('20', true);
    expect(versions(store.list())).toEqual({ 'ns/a': '10' });
  });
});

describe('Applying events', () => {
  it.each([
    ['an older state', 'MODIFIED', item('a', '1', '9'), []],
    ['the same state', 'MODIFIED', item('a', '1', '10'), []],
    ['a newer state', 'MODIFIED', item('a', '1', '11'), ['update a@11']],
    ['an addition of what is there', 'ADDED', item('a', '1', '11'), ['update a@11']],
    ['a change of what is not there', 'MODIFIED', item('b', '2', '11'), ['add b@11']],
    ['a newer object of that name', 'ADDED', item('a', '2', '11'), ['delete a@10 stale', 'add a@11']],
    ['an older object of that name', 'ADDED', item('a', '0', '9'), []],
    ['a deletion', 'DELETED', item('a', '1', '11'), ['delete a@11']],
    ['a deletion that the server did not stamp', 'DELETED', item('a', '1', '10'), ['delete a@10']],
    ['a deletion of an earlier object', 'DELETED', item('a', '0', '11'), []],
    ['a deletion from before it came back', 'DELETED', item('a', '1', '9'), []],
    ['a deletion of what is not there', 'DELETED', item('b', '2', '11'), []],
  ] as const)('%s', (_, type, object, events) => {
    const { writer, replay, store } = filled();
    writer.apply(type, object, '21');
    expect(replay.summary).toEqual(events);
    expect(replay.faults).toEqual([]);
    expect(store.resourceVersion).toBe('21');
  });
});
