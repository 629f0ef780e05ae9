import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { metricValue } from '../testing/metric-value.ts';
import type { Metrics } from './metrics.ts';
import { collectProcessMetrics } from './process-metrics.ts';
import { createRegistry } from './registry.ts';

function withProcessMetrics(check: (metrics: Metrics) => void): void {
  const registry = createRegistry();
  const stop = collectProcessMetrics(registry);
  try {
    check(registry);
  } finally {
    stop();
  }
}

test('reports memory, CPU, start time and heap of this process', () => {
  withProcessMetrics((metrics) => {
    const before = process.cpuUsage();
    const rss = metricValue(metrics, 'process_resident_memory_bytes') ?? 0;
    expect(rss).toBeGreaterThan(10e6);
    expect(metricValue(metrics, 'nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
    const cpu = metricValue(metrics, 'process_cpu_seconds_total');
    expect(cpu).toBeGreaterThanOrEqual((before.user + before.system) / 1e6);
    const started = metricValue(metrics, 'process_start_time_seconds') ?? 0;
    expect(started).toBeCloseTo(Date.now() / 1000 - process.uptime(), 0);
  });
});

test('CPU time never goes back from scrape to scrape, and is not counted twice', () => {
  withProcessMetrics((metrics) => {
    const seen = Array.from({ length: 5 }, () => metricValue(metrics, 'process_cpu_seconds_total') ?? 0);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const { user, system } = process.cpuUsage();
    expect(seen.at(-1)).toBeLessThanOrEqual((user + system) / 1e6);
  });
});

test.runIf(process.platform === 'linux')('counts open files', () => {
  withProcessMetrics((metrics) => {
    const files = Array.from({ length: 20 }, () => openSync('/dev/null', 'r'));
    const withFiles = metricValue(metrics, 'process_open_fds') ?? 0;
    for (const file of files) closeSync(file);
    const without = metricValue(metrics, 'process_open_fds') ?? 0;
    expect(withFiles - without).toBe(20);
  });
});

test('reports the lag of a given monitor, and leaves that one running', () => {
  let stopped = false;
  const eventLoop = {
    read: () => ({ maxSeconds: 0.5, p99Seconds: 0.25 }),
    stop: () => {
      stopped = true;
    },
  };
  const registry = createRegistry();
  const end = collectProcessMetrics(registry, { eventLoop });
  expect(metricValue(registry, 'nodejs_eventloop_lag_seconds')).toBe(0.5);
  expect(metricValue(registry, 'nodejs_eventloop_lag_p99_seconds')).toBe(0.25);
  end();
  expect(stopped).toBe(false);
});
