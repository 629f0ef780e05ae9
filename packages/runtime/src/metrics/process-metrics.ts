/**
 * Process metrics that Prometheus users expect, plus Node's own: heap and event loop lag. All are read at the scrape.
 */
import { readdirSync } from 'node:fs';
import { createEventLoopMonitor, type EventLoopMonitor } from './event-loop-lag.ts';
import type { Metrics } from './metrics.ts';

/** Options of the process metrics. */
export interface ProcessMetricsOptions {
  /** Shared with a health check; one of its own unless given. */
  readonly eventLoop?: EventLoopMonitor | undefined;
}

/** Returns a function that ends it. */
export function collectProcessMetrics(metrics: Metrics, options: ProcessMetricsOptions = {}): () => void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help });
  const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'User and system CPU time spent' });
  const resident = gauge('process_resident_memory_bytes', 'Resident memory size');
  const start = gauge('process_start_time_seconds', 'Start time of the process since the epoch');
  const openFiles = gauge('process_open_fds', 'Open file descriptors');
  const heapUsed = gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'JavaScript heap reserved');
  const external = gauge('nodejs_external_memory_bytes', 'Memory of buffers and bound C++ objects');
  const lagMax = gauge('nodejs_eventloop_lag_seconds', 'Longest event-loop delay of the recent past');
  const lagP99 = gauge('nodejs_eventloop_lag_p99_seconds', 'p99 event-loop delay of the recent past');

  start.set((Date.now() - process.uptime() * 1000) / 1000);
  // At the first scrape: without scrapes, the monitor's timers and histograms are not worth their cost.
  let eventLoop = options.eventLoop;
  let counted = 0;
  const endRefresh = metrics.onScrape(() => {
    const { user, system } = process.cpuUsage();
    const spent = (user + system) / 1e6;
    cpu.inc({}, Math.max(0, spent - counted));
    counted = Math.max(counted, spent);

    const memory = process.memoryUsage();
    resident.set(memory.rss);
    heapUsed.set(memory.heapUsed);
    heapTotal.set(memory.heapTotal);
    external.set(memory.external);
    openFiles.set(countOpenFiles());

    eventLoop ??= createEventLoopMonitor();
    const lag = eventLoop.read();
    lagMax.set(lag.maxSeconds);
    lagP99.set(lag.p99Seconds);
  });

  return () => {
    endRefresh();
    if (!options.eventLoop) eventLoop?.stop();
  };
}

/** Only Linux exposes this; elsewhere the gauge is NaN, which Prometheus reads as "not known". */
function countOpenFiles(): number {
  try {
    // One of them is the directory being read.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return Number.NaN;
  }
}
