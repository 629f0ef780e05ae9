import { VirtualClock } from '@reloader/runtime/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../model/object.ts';
import type { Snapshot } from './collection.ts';
import { objectKey, Store, storageName } from './store.ts';

const newStore = (): Store => new Store({ clock: new VirtualClock() });

const object = (name: string, data = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: name, resourceVersion: '', creationTimestamp: '' },
  data: { data },
});

const contents = (snapshot: Snapshot | undefined): Record<string, unknown> | undefined =>
  snapshot && Object.fromEntries(snapshot.keys('').map((key) => [key, dataOf(snapshot.get(key))]));

const dataOf = (stored: KubeObject | undefined): unknown =>
  (stored?.data as { data?: string } | undefined)?.data;

test('every write of any resource gets the next revision', () => {
  const store = newStore();
  const start = store.revision;
  expect(store.put('configmaps', 'ns/a', object('a')).metadata.resourceVersion).toBe(String(start + 1));
  expect(store.put('secrets', 'ns/a', object('a')).metadata.resourceVersion).toBe(String(start + 2));
  expect(store.remove('configmaps', 'ns/a')?.metadata.resourceVersion).toBe(String(start + 3));
  expect(store.revision).toBe(start + 3);
});

test('a removed object keeps its last state in the event, at the revision of its removal', () => {
  const store = newStore();
  const stored = store.put('configmaps', 'ns/a', object('a', 'x'));
  store.remove('configmaps', 'ns/a');
  const [, removal] = store.eventsSince('configmaps', 0) ?? [];
  expect(removal).toMatchObject({ type: 'DELETED', old: stored, object: { data: { data: 'x' } } });
  expect(removal?.object.metadata.resourceVersion).toBe(String(store.revision));
  expect(stored.metadata.resourceVersion).toBe(String(store.revision - 1));
});

test('removing what is not there changes nothing', () => {
  const store = newStore();
  const before = store.revision;
  expect(store.remove('configmaps', 'ns/a')).toBeUndefined();
  expect(store.revision).toBe(before);
});

test('a listener that writes does not change the order of events for others', () => {
  const store = newStore();
  const heard: number[] = [];
  store.subscribe((event) => {
    if (event.resource === 'configmaps') store.put('secrets', event.key, object('s'));
  });
  store.subscribe((event) => void heard.push(event.revision));
  store.put('configmaps', 'ns/a', object('a'));
  store.put('configmaps', 'ns/b', object('b'));
  expect(heard).toEqual([...heard].sort((a, b) => a - b));
  expect(heard).toHaveLength(4);
});

test('a listener that throws does not affect the others, and the writer gets the error', () => {
  const store = newStore();
  const heard: string[] = [];
  store.subscribe(() => {
    throw new Error('broken listener');
  });
  store.subscribe((event) => void heard.push(event.key));
  expect(() => store.put('configmaps', 'ns/a', object('a'))).toThrow('broken listener');
  expect(() => store.put('configmaps', 'ns/b', object('b'))).toThrow('broken listener');
  expect(heard).toEqual(['ns/a', 'ns/b']);
});

test('a listener of one resource gets no events of others, and none after it stopped', () => {
  const store = newStore();
  const heard: string[] = [];
  const stop = store.subscribe((event) => void heard.push(`${event.resource} ${event.key}`), 'secrets');
  store.put('configmaps', 'ns/a', object('a'));
  store.put('secrets', 'ns/b', object('b'));
  stop();
  store.put('secrets', 'ns/c', object('c'));
  expect(heard).toEqual(['secrets ns/b']);
});

test('the state at every recent revision can be read back', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const step = fc.record({ name, data: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = newStore();
      const states = new Map([[store.revision, contents(store.now('configmaps'))]]);
      for (const { name, data } of steps) {
        if (data === undefined) store.remove('configmaps', `ns/${name}`);
        else store.put('configmaps', `ns/${name}`, object(name, data));
        states.set(store.revision, contents(store.now('configmaps')));
      }
      for (const [revision, state] of states)
        expect(contents(store.at('configmaps', revision))).toEqual(state);
    }),
  );
});

test('a state whose events are forgotten can no longer be read', () => {
  const store = newStore();
  store.put('configmaps', 'ns/a', object('a', '1'));
  const revision = store.revision;
  store.put('configmaps', 'ns/a', object('a', '2'));
  store.compact();
  expect(store.at('configmaps', revision)).toBeUndefined();
  expect(contents(store.at('configmaps', store.revision))).toEqual({ 'ns/a': '2' });
});

test('keys and storage names are those of etcd', () => {
  expect(objectKey('ns', 'a')).toBe('ns/a');
  expect(objectKey(undefined, 'a')).toBe('a');
  expect(storageName({ group: '', plural: 'secrets' })).toBe('secrets');
  expect(storageName({ group: 'apps', plural: 'deployments' })).toBe('deployments.apps');
});
