/** The metrics of one queue, under the names that dashboards for Go controllers already use. */
import type { Labels, Metrics } from '../metrics/metrics.ts';

/** 10 ns to 1000 s, in factors of ten. */
const DURATION_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Read at each scrape. */
export interface QueueSnapshot {
  readonly depthByPriority: ReadonlyMap<number, number>;
  /** Milliseconds since processing started, for each key in process. */
  readonly runningMs: Iterable<number>;
}

export interface QueueMetrics {
  added(): void;
  retried(): void;
  waited(ms: number): void;
  worked(ms: number): void;
  /** Removes the refreshed values; totals stay. */
  stop(): void;
}

export function createQueueMetrics(
  metrics: Metrics,
  name: string,
  snapshot: () => QueueSnapshot,
): QueueMetrics {
  const labels: Labels = { name, controller: name };
  const shape = { labelNames: ['name', 'controller'], initial: [labels] };
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Keys that are ready to be worked on, by priority',
    labelNames: ['name', 'controller', 'priority'],
    initial: [{ ...labels, priority: '0' }],
  });
  const adds = metrics.counter({
    name: 'workqueue_adds_total',
    help: 'Keys that became ready to be worked on',
    ...shape,
  });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Keys put back with a backoff',
    ...shape,
  });
  const queueDuration = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a ready key waits for a worker',
    buckets: DURATION_BUCKETS,
    ...shape,
  });
  const workDuration = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long a key is worked on',
    buckets: DURATION_BUCKETS,
    ...shape,
  });
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Time already spent on keys in hand, summed; large values point at stuck workers',
    ...shape,
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long the oldest key in hand has been worked on',
    ...shape,
  });

  const stop = metrics.onScrape(() => {
    const { depthByPriority, runningMs } = snapshot();
    for (const [priority, count] of depthByPriority)
      depth.set(count, { ...labels, priority: String(priority) });
    let sum = 0;
    let most = 0;
    for (const ms of runningMs) {
      sum += ms;
      most = Math.max(most, ms);
    }
    unfinished.set(sum / 1000, labels);
    longest.set(most / 1000, labels);
  });

  return {
    added: () => adds.inc(labels),
    retried: () => retries.inc(labels),
    waited: (ms) => queueDuration.observe(ms / 1000, labels),
    worked: (ms) => workDuration.observe(ms / 1000, labels),
    stop,
  };
}
