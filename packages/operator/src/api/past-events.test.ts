import { expect, test } from 'vitest';
import type { ReloadEntry } from '../reloader/report/history.ts';
import { pastEvents } from './past-events.ts';

const web = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
const api = { ...web, name: 'api' } as const;
const entry = (seq: number, at: number, more: Partial<ReloadEntry> = {}): ReloadEntry => ({
  seq,
  at,
  sources: ['Secret shop/key'],
  configs: [],
  result: 'succeeded',
  rollout: 5,
  ...more,
});
const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
const all = { isMeant: () => true };

test('a reload before this process is two events, in the order of time', () => {
  const histories = [
    [web, { reloads: [entry(1, 100), entry(2, 200, { result: 'failed', message: 'quota' })] }],
    [api, { reloads: [entry(1, 102)] }],
  ] as const;
  const { events, truncated } = pastEvents(histories, time(1_000), all, 100);
  expect(truncated).toBe(false);
  expect(
    events.map(({ number, at, type, workload, result }) => [number, at, type, workload?.name, result]),
  ).toEqual([
    [-6, time(100), 'reload', 'web', undefined],
    [-5, time(102), 'reload', 'api', undefined],
    [-4, time(105), 'rollout', 'web', 'succeeded'],
    [-3, time(107), 'rollout', 'api', 'succeeded'],
    [-2, time(200), 'reload', 'web', undefined],
    [-1, time(205), 'rollout', 'web', 'failed'],
  ]);
  expect(events[0]?.causes).toEqual([{ kind: 'Secret', namespace: 'shop', name: 'key' }]);
  expect(events[5]?.message).toBe('quota');
});

test('events of the timeline itself are not repeated', () => {
  const reloads = [entry(1, 100), entry(2, 999, { rollout: 5 }), entry(3, 1_001)];
  const { events } = pastEvents([[web, { reloads }]], time(1_000), all, 100);
  expect(events.map(({ at, type }) => [at, type])).toEqual([
    [time(100), 'reload'],
    [time(105), 'rollout'],
    [time(999), 'reload'],
  ]);
});

test.each<[string, Partial<ReloadEntry>, string[]]>([
  ['under way', { result: 'rolling' }, ['reload']],
  ['refused', { result: 'refused', message: 'denied' }, ['refused']],
  ['superseded', { result: 'superseded' }, ['reload', 'rollout']],
])('one that was %s', (_, more, types) => {
  const { events } = pastEvents([[web, { reloads: [entry(1, 100, more)] }]], time(1_000), all, 100);
  expect(events.map(({ type }) => type)).toEqual(types);
});

test('is limited by time, filter and number: the newest are returned', () => {
  const reloads = [100, 200, 300, 400].map((at, seq) => entry(seq, at, { result: 'rolling' }));
  const found = (filter: Parameters<typeof pastEvents>[2], limit = 100) =>
    pastEvents([[web, { reloads }]], time(1_000), filter, limit);
  expect(found({ ...all, since: time(200), until: time(400) }).events).toHaveLength(2);
  expect(found({ ...all, since: time(1_000) }).events).toEqual([]);
  expect(found({ isMeant: ({ at }) => at === time(300) }).events).toHaveLength(1);
  expect(found(all, 1)).toMatchObject({ events: [{ at: time(400) }], truncated: true });
  expect(found(all, 0)).toEqual({ events: [], truncated: true });
});
