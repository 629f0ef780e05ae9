/** What a work queue can be told, and what it tells. */
import type { Clock } from '../clock/clock.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { RetryBackoff } from './backoff.ts';
import type { StartLimitOptions } from './start-limit.ts';
import type { TokenBucketOptions } from './token-bucket.ts';

/** When and how urgently a key is wanted. */
export interface AddOptions {
  /** Wait this many milliseconds. An earlier time asked for the same key wins. */
  readonly after?: number | undefined;
  /** Wait for the backoff of this key, which grows with each such call. With `after`, the shorter wait counts. */
  readonly rateLimited?: boolean | undefined;
  /** With `rateLimited`: wait at least this many milliseconds, whatever the backoff says. */
  readonly notBefore?: number | undefined;
  /** An integer, 0 unless given. Higher goes first; see `ready-keys.ts`. */
  readonly priority?: number | undefined;
  /** Kept with the key and handed out with it, for logs. The latest plain addition's counts. */
  readonly reason?: unknown | undefined;
}

/** How long a queue waits for quiet. */
export interface DebounceOptions {
  /** A key becomes ready when this long nobody added it. */
  readonly quietMs: number;
  /** At the latest this long after it was first added, however busy it is. */
  readonly maxWaitMs: number;
}

/** What a work queue can be told. */
export interface WorkQueueOptions {
  /** Stands in the labels `name` and `controller` of its metrics. */
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
  /** Whose turn a key uses up; the part before the first `/` unless given. */
  readonly namespaceOf?: ((key: string) => string) | undefined;
}

export interface QueueItem {
  readonly key: string;
  readonly priority: number;
  readonly reason: unknown;
}

/** How it stands with one key. */
export interface KeyInspection extends QueueItem {
  readonly state: 'waiting' | 'ready' | 'processing';
  /** Milliseconds until it is due; 0 when ready; undefined when in hand and not asked for again. */
  readonly dueInMs: number | undefined;
  /** Milliseconds for which it has been worked on. */
  readonly runningMs: number | undefined;
  readonly failures: number;
}
