import { expect, test } from 'vitest';
import type { KubeObject } from '../model/object.ts';
import { EventLog, type StoredEvent } from './event-log.ts';

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: '1', resourceVersion: '1', creationTimestamp: '' },
};

const event = (revision: number, at = 0): StoredEvent => ({
  type: 'MODIFIED',
  revision,
  resource: 'configmaps',
  key: 'a',
  object,
  old: object,
  at,
  encoded: new Map(),
});

const revisions = (events: StoredEvent[] | undefined): number[] | undefined =>
  events?.map(({ revision }) => revision);

test('events after a revision are returned in order', () => {
  const log = new EventLog({ minEvents: 10, maxEvents: 10, maxAgeMs: 1000 });
  for (const revision of [2, 5, 9]) log.append(event(revision));
  expect(revisions(log.since(0))).toEqual([2, 5, 9]);
  expect(revisions(log.since(5))).toEqual([9]);
  expect(revisions(log.since(9))).toEqual([]);
});

test('the oldest events expire above the limit, and their readers are told', () => {
  const log = new EventLog({ minEvents: 0, maxEvents: 2, maxAgeMs: 1000 });
  for (const revision of [1, 2, 3, 4]) log.append(event(revision));
  expect(log.floor).toBe(2);
  expect(log.since(1)).toBeUndefined();
  expect(revisions(log.since(2))).toEqual([3, 4]);
});

test('events that are too old go when a new one comes, but a few always stay', () => {
  const log = new EventLog({ minEvents: 2, maxEvents: 100, maxAgeMs: 1000 });
  for (const revision of [1, 2, 3]) log.append(event(revision, 0));
  expect(log.size).toBe(3);
  log.append(event(4, 1001));
  expect(revisions(log.since(2))).toEqual([3, 4]);
  expect(log.since(1)).toBeUndefined();
});

test('an event of exactly the maximum age stays', () => {
  const log = new EventLog({ minEvents: 0, maxEvents: 100, maxAgeMs: 1000 });
  log.append(event(1, 0));
  log.append(event(2, 1000));
  expect(revisions(log.since(0))).toEqual([1, 2]);
});

test('compaction forgets what happened up to a revision, also where nothing happened', () => {
  const log = new EventLog({ minEvents: 10, maxEvents: 10, maxAgeMs: 1000 });
  log.append(event(3));
  log.append(event(7));
  log.compact(5);
  expect(log.since(4)).toBeUndefined();
  expect(revisions(log.since(5))).toEqual([7]);
  log.compact(7);
  expect(log.size).toBe(0);
});

test('thousands of dropped events leave the rest intact', () => {
  const log = new EventLog({ minEvents: 0, maxEvents: 10, maxAgeMs: 1000 });
  for (let revision = 1; revision <= 5000; revision++) log.append(event(revision));
  expect(log.size).toBe(10);
  expect(revisions(log.since(4990))).toEqual([4991, 4992, 4993, 4994, 4995, 4996, 4997, 4998, 4999, 5000]);
});
