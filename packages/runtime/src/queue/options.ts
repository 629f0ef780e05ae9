/** A work queue's options, and what it reports. */
import type { Clock } from '../clock/clock.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { RetryBackoff } from './backoff.ts';
import type { StartLimitOptions } from './start-limit.ts';
import type { TokenBucketOptions } from './token-bucket.ts';

/** When and with which priority a key is added. */
export interface AddOptions {
  /** Wait this many milliseconds. An earlier time asked for the same key wins. */
  readonly after?: number | undefined;
  /** Wait for this key's backoff, which grows with each such call. With `after`, the shorter wait wins. */
  readonly rateLimited?: boolean | undefined;
  /** With `rateLimited`: wait at least this many milliseconds, whatever the backoff. */
  readonly notBefore?: number | undefined;
  /** An integer, 0 unless given. Higher goes first; see `ready-keys.ts`. */
  readonly priority?: number | undefined;
  /** Kept with the key and returned with it, for logs. That of the latest plain addition is kept. */
  readonly reason?: unknown | undefined;
}

/** Debounce times. */
export interface DebounceOptions {
  /** A key becomes ready when it was not added for this long. */
  readonly quietMs: number;
  /** Maximum delay after the first addition, however often the key is added. */
  readonly maxWaitMs: number;
}

/** Options of a work queue. */
export interface WorkQueueOptions {
  /** Value of the labels `name` and `controller` of its metrics. */
  readonly name: string;
  readonly clock?: Clock | undefined;
  readonly metrics?: Metrics | undefined;
  /** 5 ms, doubled by each failure, at most 1000 s, unless given. */
  readonly backoff?: RetryBackoff | undefined;
  /** Limits rate-limited additions of all keys together. None unless given. */
  readonly overallLimit?: TokenBucketOptions | undefined;
  /** Limits how often one key is handed out. None unless given. */
  readonly startLimit?: StartLimitOptions | undefined;
  /** Delays plain additions until a key is quiet. None unless given. */
  readonly debounce?: DebounceOptions | undefined;
  /** The group whose turn a key uses up; the part before the first `/` unless given. */
  readonly namespaceOf?: ((key: string) => string) | undefined;
}

export interface QueueItem {
  readonly key: string;
  readonly priority: number;
  readonly reason: unknown;
}

/** The state of one key. */
export interface KeyInspection extends QueueItem {
  readonly state: 'waiting' | 'ready' | 'processing';
  /** Milliseconds until it is due; 0 if ready; undefined if it is being processed and was not added again. */
  readonly dueInMs: number | undefined;
  /** Milliseconds since its processing started. */
  readonly runningMs: number | undefined;
  readonly failures: number;
}
