import { expect, test } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import { metricValue } from '../testing/metric-value.ts';
import { WorkQueue } from './work-queue.ts';

const labels = { name: 'pods', controller: 'pods' };

function setUp() {
  const clock = new VirtualClock();
  const metrics = createRegistry();
  const queue = new WorkQueue({ name: 'pods', clock, metrics });
  const value = (name: string, more = {}) =>
    metricValue(metrics, `workqueue_${name}`, { ...labels, ...more });
  return { clock, metrics, queue, value };
}

test('all series exist at zero before the first key', () => {
  const { value } = setUp();
  const names = [
    'adds_total',
    'retries_total',
    'unfinished_work_seconds',
    'longest_running_processor_seconds',
  ];
  const histograms = ['queue_duration_seconds_count', 'work_duration_seconds_count'];
  for (const name of [...names, ...histograms]) expect([name, value(name)]).toEqual([name, 0]);
  expect(value('depth', { priority: '0' })).toBe(0);
});

test('depth counts ready keys by the priority they were given', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a');
  queue.add('b', { priority: -100 });
  queue.add('c', { priority: -100 });
  queue.add('later', { after: 10 });
  expect(value('depth', { priority: '0' })).toBe(1);
  expect(value('depth', { priority: '-100' })).toBe(2);
  queue.add('b');
  await clock.advance(10);
  expect(value('depth', { priority: '0' })).toBe(3);
  expect(value('depth', { priority: '-100' })).toBe(1);
  while (queue.tryGet());
  expect(value('depth', { priority: '0' })).toBe(0);
  expect(value('depth', { priority: '-100' })).toBe(0);
});

test('adds count when a key becomes ready, once however often it was added', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a');
  queue.add('a');
  queue.add('later', { after: 10 });
  expect(value('adds_total')).toBe(1);
  await clock.advance(10);
  expect(value('adds_total')).toBe(2);
});

test('retries count rate-limited additions', () => {
  const { queue, value } = setUp();
  queue.add('a');
  queue.add('b', { rateLimited: true });
  expect(value('retries_total')).toBe(1);
});

test('the wait of a key counts from when it was due, also while it was in hand', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a', { after: 500 });
  await clock.advance(500);
  await clock.advance(1000);
  queue.tryGet();
  expect(value('queue_duration_seconds_sum')).toBe(1);
  queue.add('a');
  await clock.advance(2000);
  queue.done('a');
  expect(value('work_duration_seconds_sum')).toBe(2);
  queue.tryGet();
  expect(value('queue_duration_seconds_sum')).toBe(3);
  expect(value('queue_duration_seconds_count')).toBe(2);
});

test('unfinished work is the sum, the longest running is the maximum', async () => {
  const { clock, queue, value } = setUp();
  queue.add('a');
  queue.add('b');
  queue.tryGet();
  await clock.advance(3000);
  queue.tryGet();
  await clock.advance(1000);
  expect(value('unfinished_work_seconds')).toBe(5);
  expect(value('longest_running_processor_seconds')).toBe(4);
});
