import { expect, test } from 'vitest';
import { workloadFacts } from '../reloader/want/world.test.support.ts';
import { Sequence } from './sequence.ts';
import { Timeline } from './timeline.ts';

const all = { isMeant: () => true, limit: 100 };
const secret = (name: string) => ({ namespace: 'shop', name });

function play(most?: number) {
  let now = 0;
  const timeline = new Timeline(new Sequence(), () => now, most);
  const change = (name: string, at: number): void => {
    now = at;
    timeline.sourceChanged('Secret', secret(name), 'old', 'new', 1);
  };
  return { timeline, change };
}

test('keeps a limited number of events, and says since when it is complete', () => {
  const { timeline, change } = play(3);
  expect(timeline.begins).toBe('1970-01-01T00:00:00.000Z');
  for (const at of [1, 2, 3, 4, 5]) change(`s${at}`, at * 1000);
  const { events, truncated } = timeline.find(all);
  expect(events.map(({ source }) => source?.name)).toEqual(['s3', 's4', 's5']);
  expect(truncated).toBe(false);
  expect(timeline.begins).toBe('1970-01-01T00:00:03.000Z');
});

test('finds the events between two times, the newest if there are too many', () => {
  const { timeline, change } = play();
  for (const at of [1, 2, 3, 4, 5]) change(`s${at}`, at * 1000);
  const since = '1970-01-01T00:00:02.000Z';
  const until = '1970-01-01T00:00:05.000Z';
  expect(timeline.find({ ...all, since, until }).events.map(({ source }) => source?.name)).toEqual([
    's2',
    's3',
    's4',
  ]);
  expect(timeline.find({ ...all, limit: 2 })).toMatchObject({
    events: [{ source: { name: 's4' } }, { source: { name: 's5' } }],
    truncated: true,
  });
});

test('a write that changes no data, or concerns no workload, is no event', () => {
  const { timeline } = play();
  timeline.sourceChanged('Secret', secret('a'), 'same', 'same', 4);
  timeline.sourceChanged('Secret', secret('a'), 'old', 'new', 0);
  expect(timeline.find(all).events).toEqual([]);
});

test('waits, results and refusals name the workload', () => {
  const { timeline } = play();
  const workload = workloadFacts();
  timeline.deferred(workload, {} as never, {
    kind: 'later',
    why: 'paused',
    until: 1000,
    message: 'm',
    change: 'c',
    since: 0,
  });
  timeline.rolledOut(workload, 1, 'failed', 'x'.repeat(1000));
  timeline.rolledOut(workload, 1, 'succeeded', 'not shown');
  const { events } = timeline.find(all);
  expect(events).toMatchObject([
    { type: 'wait', wait: { why: 'paused', until: '1970-01-01T00:00:01.000Z' } },
    { type: 'rollout', result: 'failed', message: 'x'.repeat(300) },
    { type: 'rollout', result: 'succeeded' },
  ]);
  expect(events[2]).not.toHaveProperty('message');
});
