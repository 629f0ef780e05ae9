/**
 * The work queue of a controller: which key is processed next, and when.
 *
 * In: keys, now or later, with a priority. Out: one key at a time to each worker.
 *
 * Guarantees
 * - A key is never with two workers at once.
 * - A key added while it waits is processed once; a key added while it is processed is processed again.
 * - No added key is lost, except by `shutdown`.
 * - Additions of the same key merge: the higher priority and the earlier time win.
 * - `ready-keys.ts` defines the order of ready keys, `retries.ts` what a failure costs.
 *
 * Nothing is persisted: after a restart the initial list of every source fills it again.
 */
import { type Clock, systemClock } from '../clock/clock.ts';
import { exponentialBackoff } from './backoff.ts';
import { DelayHeap } from './delay-heap.ts';
import { type KeyState, wantedAt } from './key-state.ts';
import { KeyStates } from './key-states.ts';
import type { AddOptions, DebounceOptions, KeyInspection, QueueItem, WorkQueueOptions } from './options.ts';
import { createQueueMetrics, type QueueMetrics } from './queue-metrics.ts';
import { ReadyKeys } from './ready-keys.ts';
import { Retries } from './retries.ts';
import { StartLimit } from './start-limit.ts';
import { TokenBucket } from './token-bucket.ts';
import { Waiters } from './waiters.ts';

/** Longer delays are cut to this: a key due in a year is simply processed earlier. */
const LONGEST_DELAY_MS = 365 * 24 * 3_600_000;

/** A queue that holds every key once and gives it to one worker at a time, with delays, priorities and fairness. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #namespaceOf: (key: string) => string;
  readonly #debounce: DebounceOptions | undefined;
  readonly #retries: Retries;
  readonly #startLimit: StartLimit | undefined;
  readonly #metrics: QueueMetrics | undefined;
  readonly #keys = new KeyStates();
  readonly #waiting = new DelayHeap<KeyState>();
  readonly #ready = new ReadyKeys<KeyState>();
  readonly #waiters = new Waiters<QueueItem | undefined>();
  readonly #watchers = new Waiters<boolean>();
  /** Workers that know of a ready key and have not taken one yet. */
  #called = 0;
  readonly #drained: (() => void)[] = [];
  readonly #take = (): QueueItem | undefined => this.tryGet();
  #processing = 0;
  #timer: { readonly firesAt: number; cancel(): void } | undefined;
  #phase: 'open' | 'draining' | 'closed' = 'open';

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#namespaceOf = options.namespaceOf ?? namespaceOfKey;
    this.#debounce = checkDebounce(options.debounce);
    const bucket = options.overallLimit && new TokenBucket(this.#clock, options.overallLimit);
    this.#retries = new Retries(this.#clock, options.backoff ?? exponentialBackoff(), bucket);
    this.#startLimit = options.startLimit && new StartLimit(options.startLimit);
    this.#metrics =
      options.metrics &&
      createQueueMetrics(options.metrics, options.name, () => ({
        depthByPriority: this.#ready.countByPriority,
        runningMs: this.#runningMs(),
      }));
  }

  /** How many keys are ready. */
  get length(): number {
    return this.#ready.size;
  }

  /** How many keys are being processed. */
  get processing(): number {
    return this.#processing;
  }

  get isShutDown(): boolean {
    return this.#phase !== 'open';
  }

  add(key: string, options: AddOptions = {}): void {
    if (this.#phase !== 'open') return;
    const { priority = 0 } = options;
    if (!Number.isSafeInteger(priority))
      throw new RangeError(`Priority ${priority} of "${key}" is not an integer`);
    const now = this.#clock.monotonic();
    const delay = this.#delayOf(key, options);
    const state = this.#keys.use(key, this.#namespaceOf);
    if (delay === undefined || state.reason === undefined) state.reason = options.reason ?? state.reason;
    if (state.isReady) {
      if (priority > state.priority) this.#raise(state, priority);
      return;
    }
    state.priority = wantedAt(state) === Infinity ? priority : Math.max(state.priority, priority);
    if (delay === undefined) this.#addEvent(state, now);
    else state.timerAt = Math.min(state.timerAt, now + delay);
    if (!state.isProcessing) this.#schedule(state, now);
  }

  /** The next key, at once or when there is one; undefined after shutdown. Call `done` when finished with it. */
  get(signal?: AbortSignal): Promise<QueueItem | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    // Earlier waiters go first.
    const item = this.#waiters.size === 0 ? this.tryGet() : undefined;
    if (item || this.#isOver()) return Promise.resolve(item);
    return this.#waiters.wait(signal);
  }

  /**
   * Resolves when a key is ready for this worker; false after shutdown. The worker then calls `take`, at once or a
   * little later: a more important key that comes meanwhile is taken instead.
   */
  whenReady(): Promise<boolean> {
    if (this.#isOver()) return Promise.resolve(false);
    return this.#watchers.size === 0 && this.#call() ? Promise.resolve(true) : this.#watchers.wait();
  }

  /** After `whenReady`: the next key; undefined if it was removed or given to another worker meanwhile. */
  take(): QueueItem | undefined {
    this.#called -= 1;
    return this.tryGet();
  }

  /** The next key, if one is ready. */
  tryGet(): QueueItem | undefined {
    if (this.#phase === 'closed') return undefined;
    const now = this.#clock.monotonic();
    const state = this.#ready.take(now);
    if (!state) return undefined;
    this.#metrics?.waited(Math.max(0, now - state.readySince));
    this.#startLimit?.started(state.key, now);
    state.isReady = false;
    state.isProcessing = true;
    state.startedAt = now;
    state.eventAt = Infinity;
    state.timerAt = Infinity;
    this.#processing++;
    const { key, priority, reason } = state;
    state.reason = undefined;
    return { key, priority, reason };
  }

  /** The worker is finished with the key. No effect for a key that is not being processed. */
  done(key: string): void {
    const state = this.#keys.get(key);
    if (!state?.isProcessing) return;
    const now = this.#clock.monotonic();
    this.#metrics?.worked(now - state.startedAt);
    state.isProcessing = false;
    this.#processing--;
    if (this.#phase === 'closed' || wantedAt(state) === Infinity) this.#keys.retire(state);
    else this.#schedule(state, now);
    this.#endIfDrained();
  }

  /** The key succeeded: resets its backoff. */
  forget(key: string): void {
    this.#retries.forget(key);
  }

  /** The counted failures in a row of the key. */
  failures(key: string): number {
    return this.#retries.failures(key);
  }

  /** The key's backoff still has more than 5 s to run: a failure now would neither count nor move it. */
  isRetryPending(key: string): boolean {
    return this.#retries.isPending(key);
  }

  /** Ends at once: waiting and ready keys are dropped, `get` returns undefined, keys in process may still finish. */
  shutdown(): void {
    this.#close();
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  /**
   * Accepts no additions, drops delayed keys, and hands out the ready ones. Resolves when all of them are done, or
   * when `shutdown` cuts it short. Rejects when the signal aborts, after ending at once.
   */
  shutdownWithDrain(signal?: AbortSignal): Promise<void> {
    if (this.#phase === 'open') {
      this.#phase = 'draining';
      this.#dropTimers();
    }
    const drained = new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#close();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#drained.push(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      if (signal?.aborted) onAbort();
    });
    this.#endIfDrained();
    return drained;
  }

  /** The state of every key, to explain why one runs or does not run. */
  *inspect(): IterableIterator<KeyInspection> {
    const now = this.#clock.monotonic();
    for (const state of this.#keys.active()) {
      const due = wantedAt(state);
      yield {
        key: state.key,
        priority: state.priority,
        reason: state.reason,
        state: state.isProcessing ? 'processing' : state.isReady ? 'ready' : 'waiting',
        dueInMs: state.isReady
          ? 0
          : due === Infinity
            ? undefined
            : Math.max(0, this.#notBefore(state, due) - now),
        runningMs: state.isProcessing ? now - state.startedAt : undefined,
        failures: this.#retries.failures(state.key),
      };
    }
  }

  readonly #call = (): true | undefined => {
    if (this.#ready.size <= this.#called) return undefined;
    this.#called += 1;
    return true;
  };

  #delayOf(key: string, options: AddOptions): number | undefined {
    const { after, rateLimited, notBefore = 0 } = options;
    if (Number.isNaN(after) || Number.isNaN(notBefore))
      throw new RangeError(`The delay for "${key}" is not a number`);
    let delay = after === undefined ? undefined : Math.max(0, after);
    if (rateLimited) {
      this.#metrics?.retried();
      delay = Math.min(delay ?? Infinity, this.#retries.next(key, notBefore));
    }
    return delay === undefined ? undefined : Math.min(delay, LONGEST_DELAY_MS);
  }

  #addEvent(state: KeyState, now: number): void {
    if (!this.#debounce) {
      state.eventAt = Math.min(state.eventAt, now);
      return;
    }
    if (state.eventAt === Infinity) state.firstEventAt = now;
    const { quietMs, maxWaitMs } = this.#debounce;
    state.eventAt = Math.min(now + quietMs, state.firstEventAt + maxWaitMs);
  }

  #notBefore(state: KeyState, due: number): number {
    return this.#startLimit ? Math.max(due, this.#startLimit.allowedAt(state.key)) : due;
  }

  /** Puts a key that is neither ready nor in process into the heap or the ready keys by its due time. */
  #schedule(state: KeyState, now: number): void {
    const due = this.#notBefore(state, wantedAt(state));
    if (due > now) {
      this.#waiting.set(state, due);
      this.#armTimer();
      return;
    }
    this.#waiting.remove(state);
    state.isReady = true;
    state.readySince = due;
    this.#ready.push(state);
    this.#metrics?.added();
    this.#waiters.offer(this.#take);
    this.#watchers.offer(this.#call);
  }

  #raise(state: KeyState, priority: number): void {
    this.#ready.remove(state);
    state.priority = priority;
    this.#ready.push(state);
  }

  #armTimer(): void {
    const first = this.#waiting.first;
    if (!first || (this.#timer && this.#timer.firesAt <= first.dueAt)) return;
    this.#timer?.cancel();
    const timer = this.#clock.setTimeout(() => this.#onTimer(), first.dueAt - this.#clock.monotonic());
    this.#timer = { firesAt: first.dueAt, cancel: () => timer.cancel() };
  }

  #onTimer(): void {
    // A timer may fire a fraction of a millisecond early, or differ by rounding: the key is due all the same.
    const now = Math.max(this.#clock.monotonic(), this.#timer?.firesAt ?? 0);
    this.#timer = undefined;
    for (let first = this.#waiting.first; first && first.dueAt <= now; first = this.#waiting.first) {
      this.#waiting.remove(first);
      this.#schedule(first, now);
    }
    this.#armTimer();
  }

  *#runningMs(): IterableIterator<number> {
    const now = this.#clock.monotonic();
    for (const state of this.#keys.active()) if (state.isProcessing) yield now - state.startedAt;
  }

  #isOver(): boolean {
    return (
      this.#phase === 'closed' || (this.#phase === 'draining' && this.#ready.size + this.#processing === 0)
    );
  }

  /** Drops delays and backoffs; debounced events become due. */
  #dropTimers(): void {
    const now = this.#clock.monotonic();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting.clear();
    for (const state of this.#keys.active()) {
      if (state.isReady) continue;
      if (state.timerAt > now) state.timerAt = Infinity;
      if (state.eventAt < Infinity) state.eventAt = Math.min(state.eventAt, now);
      if (state.isProcessing) continue;
      if (wantedAt(state) < Infinity) this.#schedule(state, now);
      else this.#keys.retire(state);
    }
  }

  #close(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#timer?.cancel();
    this.#waiting.clear();
    for (const state of this.#keys.active()) {
      this.#ready.remove(state);
      if (!state.isProcessing) this.#keys.retire(state);
    }
    this.#waiters.releaseAll(undefined);
    this.#watchers.releaseAll(false);
    this.#metrics?.stop();
  }

  #endIfDrained(): void {
    if (this.#phase === 'open' || this.#ready.size + this.#processing > 0) return;
    this.#close();
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

function namespaceOfKey(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}

function checkDebounce(options: DebounceOptions | undefined): DebounceOptions | undefined {
  if (options && !(options.quietMs >= 0 && options.maxWaitMs >= options.quietMs)) {
    throw new RangeError(
      `Debounce needs 0 <= quietMs <= maxWaitMs, got ${options.quietMs} and ${options.maxWaitMs}`,
    );
  }
  return options;
}
