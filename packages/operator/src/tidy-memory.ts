/**
 * Returns the memory of finished work to the system. The first lists are garbage as soon as they are hashed, but an
 * idle V8 does not collect them, or does not return the pages.
 *
 * A collection on request (`gc()`) stops the event loop until it is done: 40 to 60 ms of processor time beside ten
 * thousand workloads, and several times that on a busy machine. So this only makes V8 begin one by itself, which it does
 * in small steps and in other threads, and waits with that until the event loop is idle: the steps of a collection that
 * returns pages are small only if little is allocated meanwhile.
 */
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { type Clock, type Runnable, sleep } from '@reloader/runtime';

/** By then the writes of a first start are done. */
const QUIET_MS = 5_000;
/** A collection that was under way keeps its pages, and each returns what the one before it has moved. */
const TIMES = 3;
const APART_MS = 2_000;
/** The share of the time between two of them in which the event loop may be at work. */
const IDLE_SHARE = 0.1;
/**
 * When buffers have grown by 64 MB, V8 begins to collect. This one is never written to, so that the system gives it no
 * memory, and it is dropped at once. Beyond half of the heap's limit V8 would not take small steps, so it is no larger.
 */
const PRESSURE_BYTES = 65 * 1024 * 1024;

/** Starts with the controllers, when the caches are synced. */
export function tidyMemory(clock: Clock, tidy: () => void = collectWhenIdle({ clock })): Runnable {
  return {
    name: 'memory',
    async start({ stopping }) {
      await sleep(clock, QUIET_MS, stopping).then(tidy, () => undefined);
    },
  };
}

export interface CollectOptions {
  readonly clock: Clock;
  /** Begins a collection. */
  readonly collect?: () => void;
  /** Whether the event loop had little to do since the last call. */
  readonly isIdle?: () => boolean;
}

/** The returned function makes V8 collect a few times from now on, whenever the event loop is idle. */
export function collectWhenIdle(options: CollectOptions): () => void {
  const { clock, collect = collectInSteps, isIdle = idleLoop() } = options;
  let left = 0;
  const next = (): void => {
    clock.setTimeout(look, APART_MS).unref?.();
  };
  const look = (): void => {
    if (isIdle()) {
      left -= 1;
      collect();
    }
    if (left > 0) next();
  };
  return () => {
    const isAtWork = left > 0;
    left = TIMES;
    if (isAtWork) return;
    isIdle();
    next();
  };
}

function idleLoop(): () => boolean {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization < IDLE_SHARE;
  };
}

/** Returns before the collection is done. */
export function collectInSteps(): void {
  // A collection that begins with this set moves objects together, and returns the pages that become empty.
  setFlagsFromString('--optimize-for-size');
  try {
    new ArrayBuffer(PRESSURE_BYTES);
  } catch {
    // A limit on virtual memory. V8 collects when it has to.
  } finally {
    setFlagsFromString('--no-optimize-for-size');
  }
}
