/** A controller's options, and what it reports. */
import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ObjectKey } from '../model/types.ts';
import type { KeyInspection, WorkQueueOptions } from '../queue/options.ts';
import type { KeyCodec } from './keys.ts';
import type { Reconciler } from './reconciler.ts';
import type { Source } from './sources.ts';

export interface BaseControllerOptions<R extends ObjectKey> {
  /** Name in logs and metrics; unique within a program. */
  readonly name: string;
  readonly sources: readonly Source<R>[];
  readonly reconcile: Reconciler<R>;
  /** How many keys run concurrently; never two runs of one key. 1 unless given. */
  readonly concurrency?: number | undefined;
  /** Timeout of a run: then its signal aborts. 60 s unless given; 0 for none. */
  readonly timeoutMs?: number | undefined;
  /** How long `start` waits for all sources to be in sync. 2 minutes unless given. */
  readonly cacheSyncTimeoutMs?: number | undefined;
  /** Retries after a failure before the key is dropped until its next event. No limit unless given. */
  readonly maxRetries?: number | undefined;
  /** Awaited before each run, under the same signal: for instance until the cache shows our own last write. */
  readonly beforeReconcile?: ((request: R, signal: AbortSignal) => Promise<void>) | undefined;
  /** Work only while this process leads. True unless given. */
  readonly needsLeaderElection?: boolean | undefined;
  /** Fill the queue while another process leads, so that a takeover is immediate. True unless given. */
  readonly warmup?: boolean | undefined;
  readonly queue?: Pick<WorkQueueOptions, 'backoff' | 'overallLimit' | 'startLimit' | 'debounce'> | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock?: Clock | undefined;
}

/** A request with more than a namespace and a name needs a codec for its key. */
export type ControllerOptions<R extends ObjectKey> = BaseControllerOptions<R> &
  (ObjectKey extends R ? { readonly keys?: KeyCodec<R> } : { readonly keys: KeyCodec<R> });

/** Why a key runs or does not run. */
export interface KeyReport extends Omit<KeyInspection, 'state' | 'reason'> {
  /** `idle`: retries are exhausted, and the key waits for its next event. */
  readonly state: KeyInspection['state'] | 'idle';
  /** The causes of the next or the current run. */
  readonly reason: string | undefined;
  readonly lastError: string | undefined;
  /** Milliseconds since the epoch. */
  readonly lastErrorAt: number | undefined;
  /** It still runs although its signal aborted. */
  readonly ignoresAbort: boolean;
}
