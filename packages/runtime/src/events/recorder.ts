/**
 * Records Events without ever making the caller wait.
 *
 * In: `record`, from anywhere, at any rate. Out: Events on the server, written one after the other by `run`.
 * Guarantees: `record` returns at once and never throws; a repetition of an Event that is still waiting is merged
 * into it; with `quietMs` nothing is written while more is being recorded, for a bounded time; at most `queueLimit`
 * Events wait, further ones are dropped and counted; while the server cannot be reached, each is tried at most 12
 * times, 10 s apart; when `run` is aborted it writes the waiting Events, for at most `flushTimeoutMs`. Does not
 * guarantee delivery: Events are best effort.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { abortable } from '../client/abort.ts';
import type { Client } from '../client/client.ts';
import {
  AlreadyExistsError,
  ApiError,
  ConnectionError,
  NotFoundError,
  RequestTimeoutError,
} from '../client/errors.ts';
import { type Clock, sleep, systemClock, type Timer } from '../clock/clock.ts';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import type { Counter, Metrics } from '../metrics/metrics.ts';
import type { ObjectKey } from '../model/types.ts';
import { EventCorrelator, type Remembered, type Series } from './correlator.ts';
import type { EventType, ObjectReference, RecordedEvent } from './event.ts';
import { coreEvents, type EventFormat, type EventSource } from './format.ts';

/** Records Events: it returns at once, merges repetitions and never fails its caller. */
export interface EventRecorder {
  /** Records an Event about an object, and returns at once. */
  record(
    regarding: ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    extra?: EventExtra,
  ): void;
}

/** Optional fields of an Event. */
export type EventExtra = Pick<RecordedEvent, 'action' | 'annotations' | 'standing'>;

/** Reporter and limits. */
export interface EventRecorderOptions {
  readonly client: Client;
  /** The controller's name, shown as the Event's source. */
  readonly component: string;
  /** Default: the host name, which in a pod is the pod's name. */
  readonly instance?: string | undefined;
  /** Default `coreEvents`, which kubectl sorts by time. */
  readonly format?: EventFormat | undefined;
  /** How many Events may wait. Default 1 000. */
  readonly queueLimit?: number | undefined;
  /**
   * Events wait until nothing was recorded for this long, at most ten times as long, so that they do not compete with
   * a burst of work. Default 0: write at once.
   */
  readonly quietMs?: number | undefined;
  /** Timeout of the final flush. Default 5 s. */
  readonly flushTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly random?: (() => number) | undefined;
}

/** Also a runnable: a manager starts it first and stops it last, so that it records everything in between. */
export interface EventWriter extends EventRecorder, Runnable {
  /** Writes until the signal aborts and the waiting Events are written or dropped. */
  run(signal: AbortSignal): Promise<void>;
}

const TRIES = 12;
const RETRY_MS = 10_000;
const LONGEST_QUIETS = 10;
/** Leaves room for the suffix within the 253 characters of a name. */
const LONGEST_NAME = 236;
const RESULTS = ['written', 'filtered', 'dropped', 'failed'] as const;

/**
 * Writes Events in the background. It is an `EventWriter`: add it to a manager, which runs it and
 * lets it flush at the end; pass it as an `EventRecorder` to code that only records.
 *
 * @example
 * ```ts
 * const events: EventWriter = createEventRecorder({ client, component: 'my-operator' });
 * manager.add(events);
 * events.record(referenceTo(WebApps, app), 'Warning', 'DeploymentFailed', 'No image given');
 * ```
 */
export function createEventRecorder(options: EventRecorderOptions): EventWriter {
  return new QueuedRecorder(options);
}

class QueuedRecorder implements EventWriter {
  readonly name = 'event recorder';
  readonly stage = 'http';
  readonly #client: Client;
  readonly #source: EventSource;
  readonly #format: EventFormat;
  readonly #limit: number;
  readonly #quietMs: number;
  readonly #flushTimeoutMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #random: () => number;
  readonly #counter: Counter | undefined;
  readonly #correlator: EventCorrelator;
  /** The newest occurrence of each series, in the order in which they started to wait. */
  readonly #waiting = new Map<Remembered, RecordedEvent>();
  /** On the monotonic clock: when the first and the last of the waiting Events were recorded. */
  #firstAt = 0;
  #lastAt = 0;
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(options: EventRecorderOptions) {
    this.#client = options.client;
    this.#source = { component: options.component, instance: options.instance ?? hostname() };
    this.#format = options.format ?? coreEvents;
    this.#limit = options.queueLimit ?? 1000;
    this.#quietMs = options.quietMs ?? 0;
    this.#flushTimeoutMs = options.flushTimeoutMs ?? 5_000;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#random = options.random ?? Math.random;
    this.#correlator = new EventCorrelator(this.#clock);
    this.#counter = options.metrics?.counter({
      name: 'event_recorder_events_total',
      help: 'Events by what became of them: written, filtered (too many), dropped (queue full), failed',
      labelNames: ['result'],
      initial: RESULTS.map((result) => ({ result })),
    });
  }

  record(
    regarding: ObjectReference,
    type: EventType,
    reason: string,
    message: string,
    extra?: EventExtra,
  ): void {
    const { series, event } = this.#correlator.correlate({ regarding, type, reason, message, ...extra });
    // Already waiting: it will be written with its newest count, at no further cost.
    if (this.#waiting.has(series)) {
      this.#waiting.set(series, event);
      return;
    }
    const refusal = this.#refusal(event);
    if (refusal) {
      this.#count(refusal);
      return;
    }
    this.#lastAt = this.#clock.monotonic();
    if (this.#waiting.size === 0) this.#firstAt = this.#lastAt;
    this.#waiting.set(series, event);
    this.#wake?.();
  }

  #refusal(event: RecordedEvent): 'dropped' | 'filtered' | undefined {
    if (this.#ended || this.#waiting.size >= this.#limit) return 'dropped';
    return this.#correlator.mayWrite(event) ? undefined : 'filtered';
  }

  async run(signal: AbortSignal): Promise<void> {
    const hard = new AbortController();
    let timer: Timer | undefined;
    const onAbort = (): void => {
      timer = this.#clock.setTimeout(
        () => hard.abort(new Error('No time left to write Events')),
        this.#flushTimeoutMs,
      );
      this.#wake?.();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    while (!hard.signal.aborted && (this.#waiting.size > 0 || !signal.aborted)) {
      const [next] = this.#waiting;
      if (next) {
        const pauseMs = this.#pauseMs();
        if (pauseMs > 0 && !signal.aborted) await sleep(this.#clock, pauseMs, signal).catch(() => {});
        else await this.#deliver(...next, signal, hard.signal);
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    timer?.cancel();
    signal.removeEventListener('abort', onAbort);
    this.#ended = true;
    this.#count('dropped', this.#waiting.size);
    this.#waiting.clear();
  }

  /** Waits for quiet, at most ten times `quietMs`. */
  #pauseMs(): number {
    const quietAt = Math.min(this.#lastAt + this.#quietMs, this.#firstAt + this.#quietMs * LONGEST_QUIETS);
    return quietAt - this.#clock.monotonic();
  }

  start({ stopping }: RunSignals): Promise<void> {
    return this.run(stopping);
  }

  /** Retries until it is written or no retry can help. Never throws. */
  async #deliver(
    remembered: Remembered,
    event: RecordedEvent,
    stopping: AbortSignal,
    hard: AbortSignal,
  ): Promise<void> {
    this.#waiting.delete(remembered);
    for (let tries = 1; ; tries++) {
      try {
        await abortable(this.#write(remembered, event, hard), hard);
        return this.#count('written');
      } catch (error) {
        // During shutdown there is time for one attempt each.
        if (tries >= TRIES || !mayPass(error) || stopping.aborted) {
          const { reason, regarding } = event;
          this.#logger.warn('Gave up writing an Event', { reason, regarding, tries, error });
          return this.#count('failed');
        }
      }
      // The first pause is random, so that many processes do not retry in step.
      const pause = tries === 1 ? RETRY_MS * this.#random() : RETRY_MS;
      await sleep(this.#clock, pause, stopping).catch(() => {});
    }
  }

  async #write(remembered: Remembered, event: RecordedEvent, signal: AbortSignal): Promise<void> {
    const series: Series = { ...remembered, event };
    const { written } = remembered;
    if (written && !(await this.#update(series, written, signal))) remembered.written = undefined;
    // Never written, or expired: the server keeps Events for an hour only.
    remembered.written ??= await this.#create(series, signal);
  }

  async #update(series: Series, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    try {
      const body = this.#format.update(series);
      await this.#client.patch(this.#format.type, key, { type: 'merge', body }, { signal });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #create(
    series: Series,
    signal: AbortSignal,
  ): Promise<{ readonly namespace: string; readonly name: string }> {
    const { regarding, annotations } = series.event;
    const key = {
      // An Event about a cluster-scoped object needs a namespace; people look in `default`.
      namespace: regarding.namespace ?? 'default',
      name: `${regarding.name.slice(0, LONGEST_NAME)}.${suffixOf(series.event)}`,
    };
    const metadata = { ...key, ...(annotations && { annotations: { ...annotations } }) };
    const body = this.#format.create(series, metadata, this.#source);
    try {
      await this.#client.create(this.#format.type, body, { signal });
    } catch (error) {
      if (!series.event.standing || !(error instanceof AlreadyExistsError)) throw error;
    }
    return key;
  }

  #count(result: (typeof RESULTS)[number], by = 1): void {
    this.#counter?.inc({ result }, by);
  }
}

/** A lasting state has a fixed name, whichever process records it. */
function suffixOf({ standing, regarding, type, reason, message }: RecordedEvent): string {
  if (!standing) return randomBytes(8).toString('hex');
  const parts = [regarding.kind, regarding.uid ?? '', type, reason, message];
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
}

/** Whether a retry makes sense: no answer, or an overloaded server. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError))
    return error instanceof ConnectionError || error instanceof RequestTimeoutError;
  return error.code === 429 || error.code >= 500;
}
