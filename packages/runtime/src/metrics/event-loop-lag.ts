/**
 * Measures the lag of the event loop.
 *
 * In: Node's own delay histogram, sampled outside JavaScript every 20 ms. Out: the longest and the p99 lag of the
 * recent past. Guarantees: readers do not affect each other, and no delay falls between two windows. Node's histogram
 * drops the first interval after a reset, which is exactly the one a blocked loop would show; therefore two
 * histograms run and are reset in turns, and the one that was reset longer ago is read.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Clock, systemClock } from '../clock/clock.ts';

const RESOLUTION_MS = 20;

/** How late timers are. */
export interface EventLoopLag {
  readonly maxSeconds: number;
  readonly p99Seconds: number;
}

/** Measures the lag of the event loop. */
export interface EventLoopMonitor {
  /** Covers at least the last window, and at most two (longer if nobody read for longer). */
  read(): EventLoopLag;
  stop(): void;
}

/** The part of `IntervalHistogram` that is used, in nanoseconds. */
export interface DelayHistogram {
  readonly max: number;
  percentile(percentile: number): number;
  reset(): void;
  enable(): void;
  disable(): void;
}

export interface EventLoopMonitorOptions {
  /** 10 s unless given. */
  readonly windowMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly createHistogram?: (() => DelayHistogram) | undefined;
}

/** Starts to measure the lag of the event loop. */
export function createEventLoopMonitor(options: EventLoopMonitorOptions = {}): EventLoopMonitor {
  const { windowMs = 10_000, clock = systemClock } = options;
  const create = options.createHistogram ?? (() => monitorEventLoopDelay({ resolution: RESOLUTION_MS }));
  let [older, newer] = [create(), create()];
  older.enable();
  newer.enable();
  let turnedAt = clock.monotonic();
  return {
    read() {
      const lag = { maxSeconds: lagOf(older.max), p99Seconds: lagOf(older.percentile(99)) };
      if (clock.monotonic() - turnedAt >= windowMs) {
        older.reset();
        [older, newer] = [newer, older];
        turnedAt = clock.monotonic();
      }
      return lag;
    },
    stop() {
      older.disable();
      newer.disable();
    },
  };
}

/** The histogram holds whole intervals between samples; the lag is the part above the configured one. */
function lagOf(nanoseconds: number): number {
  const lag = nanoseconds / 1e9 - RESOLUTION_MS / 1000;
  return Number.isFinite(lag) ? Math.max(0, lag) : 0;
}
