/** What a controller can be told, and what it tells. */
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ObjectKey } from '../model/types.ts';
import type { KeyInspection, WorkQueueOptions } from '../queue/options.ts';
import type { KeyCodec } from './keys.ts';
import type { Reconciler } from './reconciler.ts';
import type { Source } from './sources.ts';

export interface BaseControllerOptions<R extends ObjectKey> {
  /** Stands in logs and metrics; unique within a program. */
  readonly name: string;
  readonly sources: readonly Source<R>[];
  readonly reconcile: Reconciler<R>;
  /** How many keys are worked on at once; never two runs of one key. 1 unless given. */
  readonly concurrency?: number | undefined;
  /** After this long the signal of a run aborts. 60 s unless given; 0 for never. */
  readonly timeoutMs?: number | undefined;
  /** How long `start` waits for all sources to be in sync. 2 minutes unless given. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Retries after a failure before the key is left until its next event. No limit unless given. */
  readonly maxRetries?: number | undefined;
  /** Waits before each run, under the same signal: for instance until the cache shows our own last write. */
  readonly beforeReconcile?: ((request: R, signal: AbortSignal) => Promise<void>) | undefined;
  /** Work only while this process leads. True unless given. */
  readonly needsLeaderElection?: boolean | undefined;
  /** Fill the queue while another process leads, so that taking over takes no time. True unless given. */
  readonly warmup?: boolean | undefined;
  readonly queue?: Pick<WorkQueueOptions, 'backoff' | 'overallLimit' | 'startLimit' | 'debounce'> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
}

/** A request with more than a namespace and a name needs to say how it becomes a key. */
export type ControllerOptions<R extends ObjectKey> = BaseControllerOptions<R> &
  (ObjectKey extends R ? { readonly keys?: KeyCodec<R> } : { readonly keys: KeyCodec<R> });

/** Why a key does or does not run. */
export interface KeyReport extends Omit<KeyInspection, 'state' | 'reason'> {
  /** `idle`: failed for good, and waits for its next event. */
  readonly state: KeyInspection['state'] | 'idle';
  /** What asked for the run that is next, or that runs. */
  readonly reason: string | undefined;
  readonly lastError: string | undefined;
  /** Milliseconds since the epoch. */
  readonly lastErrorAt: number | undefined;
  /** It runs on although its signal aborted. */
  readonly ignoresAbort: boolean;
}
