/** Stakater's metrics of its queue, filled from ours: a queue that gets these `Metrics` counts under both names. */
import type { Counter, Gauge, Histogram, Labels, Metrics } from '@reloader/runtime';

const LATENCY_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export function mirrorQueue(metrics: Metrics): Metrics {
  const adds = metrics.counter({
    name: 'reloader_workqueue_adds_total',
    help: 'Workloads put into the queue',
  });
  const retries = metrics.counter({
    name: 'reloader_retries_total',
    help: 'Workloads tried again after a failure',
  });
  const depth = metrics.gauge({ name: 'reloader_workqueue_depth', help: 'Workloads that wait in the queue' });
  const latency = metrics.histogram({
    name: 'reloader_workqueue_latency_seconds',
    help: 'How long a workload waits in the queue',
    buckets: LATENCY_BUCKETS,
  });
  const copies: Readonly<Record<string, Counter>> = {
    workqueue_adds_total: adds,
    workqueue_retries_total: retries,
  };
  return {
    counter(options): Counter {
      const own = metrics.counter(options);
      const copy = copies[options.name];
      if (!copy) return own;
      return {
        inc(labels, by) {
          own.inc(labels, by);
          copy.inc({}, by);
        },
      };
    },
    gauge(options): Gauge {
      const own = metrics.gauge(options);
      return options.name === 'workqueue_depth' ? summed(own, depth) : own;
    },
    histogram(options): Histogram {
      const own = metrics.histogram(options);
      if (options.name !== 'workqueue_queue_duration_seconds') return own;
      return {
        observe(value, labels) {
          own.observe(value, labels);
          latency.observe(value);
        },
      };
    },
    onScrape: (refresh) => metrics.onScrape(refresh),
    render: () => metrics.render(),
  };
}

/** Our depth has one series per priority; the copy is their sum. */
function summed(own: Gauge, copy: Gauge): Gauge {
  const parts = new Map<string, number>();
  const keep = (labels: Labels | undefined, value: number): void => {
    parts.set(labels?.priority ?? '', value);
    copy.set([...parts.values()].reduce((sum, part) => sum + part, 0));
  };
  return {
    set(value, labels) {
      own.set(value, labels);
      keep(labels, value);
    },
    add(delta, labels) {
      own.add(delta, labels);
      keep(labels, (parts.get(labels?.priority ?? '') ?? 0) + delta);
    },
    remove(labels) {
      own.remove(labels);
      keep(labels, 0);
    },
  };
}
