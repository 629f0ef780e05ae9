import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Cached, InformerEvent } from '../cache/informer.ts';
import { FakeInformer } from './fake-informer.ts';

const type = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const object = (name: string, resourceVersion = '1'): Cached => ({
  metadata: { namespace: 'ns', name, uid: name, resourceVersion },
});

function setUp() {
  const informer = new FakeInformer<Cached>(type, {
    indexes: { byVersion: ({ metadata }) => [metadata.resourceVersion] },
  });
  const events: string[] = [];
  const handler = (event: InformerEvent<Cached>): void => {
    const flag = event.type === 'add' ? event.initial : event.type === 'update' ? event.resync : event.stale;
    events.push(`${event.type} ${event.object.metadata.name} ${flag}`);
  };
  return { informer, events, handler };
}

describe('a fake informer', () => {
  test('tells handlers what happens, initial objects first', () => {
    const { informer, events, handler } = setUp();
    informer.set(object('early'));
    const registration = informer.addHandler(handler);
    expect(registration.synced).toBe(false);
    informer.set(object('initial'));
    informer.sync();
    expect(registration.synced).toBe(true);
    informer.set(object('later'));
    informer.set(object('later', '2'));
    informer.remove({ namespace: 'ns', name: 'later' });
    informer.remove({ namespace: 'ns', name: 'unknown' });
    registration.remove();
    informer.set(object('unheard'));
    expect(events).toEqual([
      'add early true',
      'add initial true',
      'add later false',
      'update later false',
      'delete later false',
    ]);
  });

  test('replays everything on resync', () => {
    const { informer, events, handler } = setUp();
    informer.set(object('a'));
    informer.addHandler(handler);
    informer.resync();
    expect(events.at(-1)).toBe('update a true');
  });

  test('has a store that can be read like a real one', () => {
    const { informer } = setUp();
    informer.set(object('a', '7'));
    informer.set(object('b', '8'));
    expect(informer.store.get({ namespace: 'ns', name: 'a' })?.metadata.name).toBe('a');
    expect([...informer.store.list('ns')]).toHaveLength(2);
    expect([...informer.store.list('other')]).toEqual([]);
    expect([...informer.store.byIndex('byVersion', '8')].map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(() => informer.store.byIndex('byMoon', 'x')).toThrow(/"byMoon".*was not declared/);
    expect(informer.store.size).toBe(2);
  });

  test('is waited for until it is in sync, without leaving a listener', async () => {
    const { informer } = setUp();
    const abort = new AbortController();
    const waiting = informer.whenSynced(abort.signal);
    informer.sync();
    await waiting;
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    await informer.whenSynced();
  });

  test('is no longer waited for when the signal aborts', async () => {
    const { informer } = setUp();
    const abort = new AbortController();
    const waiting = informer.whenSynced(abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(informer.whenSynced(abort.signal)).rejects.toThrow('enough');
  });

  test('reports a health that follows its life, or what it was told', async () => {
    const { informer } = setUp();
    expect(informer.health().state.phase).toBe('stopped');
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    expect(informer.health().state.phase).toBe('listing');
    informer.sync();
    expect(informer.health()).toMatchObject({ state: { phase: 'watching' }, synced: true });
    informer.report({ consecutiveStalls: 2 });
    expect(informer.health()).toMatchObject({ state: { phase: 'watching' }, consecutiveStalls: 2 });
    stop.abort();
    await running;
    expect(informer.running).toBe(false);
  });
});
