import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import type { KubeObject } from '../model/object.ts';
import { Replica, type WatchTarget } from './replica.ts';
import { Store } from './store.ts';

const object = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion: '', creationTimestamp: '' },
});

function setup() {
  const store = new Store({ clock: new VirtualClock() });
  const replica = new Replica(store);
  const heard: string[] = [];
  let lost = 0;
  const target: WatchTarget = { onEvent: (event) => void heard.push(event.key), onLost: () => void lost++ };
  const write = (name: string): void => void store.put('configmaps', name, object(name));
  return { store, replica, heard, target, write, lost: () => lost };
}

test('a watch first gets what it missed, then what happens', () => {
  const { replica, store, heard, target, write } = setup();
  const start = store.revision;
  write('a');
  replica.watch('configmaps', start, target);
  write('b');
  expect(heard).toEqual(['a', 'b']);
});

test('a held replica shows the past, and delivers everything once when it is released', () => {
  const { replica, store, heard, target, write } = setup();
  replica.watch('configmaps', store.revision, target);
  write('a');
  replica.hold();
  write('b');
  expect(heard).toEqual(['a']);
  expect(replica.snapshot('configmaps')?.keys('')).toEqual(['a']);
  expect(replica.revision).toBe(store.revision - 1);
  replica.release();
  write('c');
  expect(heard).toEqual(['a', 'b', 'c']);
  expect(replica.snapshot('configmaps')?.keys('')).toEqual(['a', 'b', 'c']);
});

test('a held replica can be moved on step by step, and never back', () => {
  const { replica, store, heard, target, write } = setup();
  replica.watch('configmaps', store.revision, target);
  replica.hold();
  write('a');
  write('b');
  replica.advanceTo(store.revision - 1);
  expect(heard).toEqual(['a']);
  replica.advanceTo(1);
  expect(replica.revision).toBe(store.revision - 1);
  replica.advanceTo(store.revision + 100);
  expect(heard).toEqual(['a', 'b']);
  expect(replica.revision).toBe(store.revision);
});

test('a watch that starts at a held replica gets only what the replica has seen', () => {
  const { replica, store, heard, target, write } = setup();
  const start = store.revision;
  write('a');
  replica.hold();
  write('b');
  replica.watch('configmaps', start, target);
  expect(heard).toEqual(['a']);
});

test('a watch from a forgotten revision cannot start', () => {
  const { replica, store, target, write } = setup();
  const start = store.revision;
  write('a');
  store.compact();
  expect(replica.watch('configmaps', start, target)).toBeUndefined();
  expect(replica.watchers).toBe(0);
});

test('a watch whose events were forgotten while it was held is told so', () => {
  const { replica, store, heard, target, write, lost } = setup();
  replica.watch('configmaps', store.revision, target);
  replica.hold();
  write('a');
  store.compact();
  replica.release();
  expect(lost()).toBe(1);
  expect(heard).toEqual([]);
});

test('a stopped watch gets no more events and leaves nothing behind', () => {
  const { replica, store, heard, target, write } = setup();
  const stop = replica.watch('configmaps', store.revision, target);
  stop?.();
  write('a');
  expect(heard).toEqual([]);
  expect(replica.watchers).toBe(0);
});

test('waiting for a revision ends when it is reached, and not before', async () => {
  const { replica, store, write } = setup();
  let answer: boolean | undefined;
  void replica.reached(store.revision + 2, new Promise<void>(() => undefined)).then((value) => {
    answer = value;
  });
  write('a');
  await new Promise((resolve) => setImmediate(resolve));
  expect(answer).toBeUndefined();
  write('b');
  await new Promise((resolve) => setImmediate(resolve));
  expect(answer).toBe(true);
});

test('a revision that was reached long ago is not waited for', async () => {
  const { replica, store } = setup();
  await expect(replica.reached(store.revision, Promise.resolve())).resolves.toBe(true);
});

test('waiting at a held replica ends when the replica gets there, not when the store does', async () => {
  const { replica, store, write } = setup();
  replica.hold();
  let answer: boolean | undefined;
  void replica.reached(store.revision + 1, new Promise<void>(() => undefined)).then((value) => {
    answer = value;
  });
  write('a');
  await Promise.resolve();
  expect(answer).toBeUndefined();
  replica.release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(answer).toBe(true);
});

test('waiting gives up when it is told to', async () => {
  const { replica, store } = setup();
  await expect(replica.reached(store.revision + 1, Promise.resolve())).resolves.toBe(false);
});
