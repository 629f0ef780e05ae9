import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../model/object.ts';
import { coreEvents, events } from './events.ts';

const metadata = { name: 'e', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '' };

const core: KubeObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata,
  involvedObject: { kind: 'Pod', name: 'p', namespace: 'n' },
  reason: 'R',
  message: 'm',
  source: { component: 'c' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:01Z',
  count: 2,
  type: 'Normal',
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

test('an Event is stored once, in the core form', () => {
  expect(events.storage).toMatchObject({ group: '', version: 'v1', kind: 'Event', plural: 'events' });
  expect(coreEvents.storage).toBeUndefined();
});

test('the newer form shows the older fields under their newer names', () => {
  expect(events.storage?.fromStored(core)).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata,
    regarding: { kind: 'Pod', name: 'p', namespace: 'n' },
    reason: 'R',
    note: 'm',
    deprecatedSource: { component: 'c' },
    deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
    deprecatedLastTimestamp: '2026-01-01T00:00:01Z',
    deprecatedCount: 2,
    type: 'Normal',
    eventTime: null,
    reportingController: '',
    reportingInstance: '',
  });
});

test('nothing is lost on the way there and back', () => {
  const text = fc.string();
  const fields = fc.record({
    reason: text,
    message: text,
    action: text,
    reportingComponent: text,
    count: fc.nat(),
  });
  fc.assert(
    fc.property(fields, (some) => {
      const event = { ...core, ...some };
      const there = events.storage?.fromStored(event) as KubeObject;
      expect(events.storage?.toStored(there)).toEqual(event);
    }),
  );
});

test('both forms are selected by the same values', () => {
  const newer = events.storage?.fromStored(core) as KubeObject;
  expect(coreEvents.selectableFields?.['involvedObject.name']?.(core)).toBe('p');
  expect(events.selectableFields?.['regarding.name']?.(newer)).toBe('p');
  expect(coreEvents.selectableFields?.source?.(core)).toBe('c');
});
