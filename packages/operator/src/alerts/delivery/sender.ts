/**
 * Delivers messages without blocking the caller.
 *
 * In: `send`, from anywhere, at any rate. Out: POSTs, in order for each receiver and independent of all others.
 * Guarantees: `send` returns at once and never throws; messages for one receiver within the window are grouped by
 * event; at most 1 000 messages wait, beyond that the oldest is dropped and counted; each is tried at most five times;
 * a message that has waited for ten minutes is dropped, because old news mislead; on stop, waiting messages are sent at
 * once, for at most five seconds. Does not guarantee delivery, and keeps nothing across a restart.
 */
import {
  type Clock,
  type Logger,
  type Metrics,
  type Runnable,
  type RunSignals,
  sleep,
} from '@reloader/runtime';
import type { Alert, AlertMessage, Body, LateFormat } from '../message.ts';
import { DeliveryError } from './error.ts';
import { type AlertMetrics, type ChannelLabel, createAlertMetrics } from './metrics.ts';
import type { Post } from './post.ts';
import { Slots } from './slots.ts';

/** One receiver. */
export interface Destination {
  /** Messages with the same id are sent in order. */
  readonly id: string;
  readonly channel: ChannelLabel;
  /** For log lines: `slack of ReloaderConfig shop/rules`. */
  readonly name: string;
  /** The ReloaderConfig that has it; undefined for the global receiver. */
  readonly config: { readonly namespace: string; readonly name: string } | undefined;
  /** Messages within the window are grouped into one. */
  readonly grouped: boolean;
  /** The current URL. Rejects with a `DeliveryError`. */
  url(signal: AbortSignal): Promise<URL>;
  /** Configured by the operator's administrator, not by a tenant: it may be in a private network. */
  readonly trusted: boolean;
  /** May throw; then the message is not sent. */
  format(url: URL): LateFormat;
}

export interface SenderOptions {
  readonly post: Post;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly additionalInfo: string | undefined;
  readonly groupWindowMs: number;
  /** With the reason why the user's template could not be used, if so: then the usual message was sent. */
  readonly onSent?: (destination: Destination, complaint: string | undefined) => void;
  /** Called when a message is given up. */
  readonly onFailed?: (destination: Destination, why: string) => void;
}

interface Parcel {
  readonly lane: Lane;
  readonly destination: Destination;
  readonly message: AlertMessage;
  /** Monotonic, in milliseconds. */
  readonly since: number;
  /** Called when the message was sent, given up or dropped. */
  readonly onSettled: () => void;
}

interface Lane {
  readonly id: string;
  readonly waiting: Set<Parcel>;
}

const MOST_WAITING = 1_000;
const LONGEST_WAIT_MS = 600_000;
const MOST_AT_ONCE = 16;
const TRIES = 5;
const FIRST_BACKOFF_MS = 1_000;
const FLUSH_MS = 5_000;

export class AlertSender implements Runnable {
  readonly name = 'alerts';
  /**
   * Stops after all controllers, so that it gets their last reports, and before the state that is written at the very
   * end.
   */
  readonly stage = 'webhooks';
  readonly #options: SenderOptions;
  readonly #metrics: AlertMetrics;
  /** In the order of their arrival. */
  readonly #waiting = new Set<Parcel>();
  readonly #lanes = new Map<string, Lane>();
  readonly #running = new Set<Promise<void>>();
  readonly #slots = new Slots(MOST_AT_ONCE);
  readonly #end = new AbortController();
  readonly #hurry = new AbortController();
  #started = false;
  #isDropping = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#metrics = createAlertMetrics(options.metrics, () => this.#waiting.size);
  }

  send(destination: Destination, message: AlertMessage, onSettled: () => void = () => undefined): void {
    const lane = this.#lanes.get(destination.id) ?? { id: destination.id, waiting: new Set() };
    const parcel = { lane, destination, message, since: this.#options.clock.monotonic(), onSettled };
    lane.waiting.add(parcel);
    this.#waiting.add(parcel);
    this.#dropOldest();
    if (this.#lanes.has(lane.id)) return;
    this.#lanes.set(lane.id, lane);
    if (this.#started) this.#run(lane);
  }

  async start({ stopping, abort }: RunSignals): Promise<void> {
    this.#started = true;
    for (const lane of this.#lanes.values()) this.#run(lane);
    await aborted(stopping);
    this.#hurry.abort();
    const end = (): void => this.#end.abort();
    const deadline = this.#options.clock.setTimeout(end, FLUSH_MS);
    abort.addEventListener('abort', end, { once: true });
    if (abort.aborted) end();
    while (this.#running.size > 0) await Promise.all(this.#running);
    deadline.cancel();
    abort.removeEventListener('abort', end);
  }

  #run(lane: Lane): void {
    const run = this.#drain(lane)
      .catch((error: unknown) => this.#options.logger.error('Alerts failed; reloads go on', { error }))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #drain(lane: Lane): Promise<void> {
    const { groupWindowMs } = this.#options;
    while (lane.waiting.size > 0) {
      if ([...lane.waiting].at(-1)?.destination.grouped) await this.#pause(groupWindowMs, this.#hurry.signal);
      this.#dropStale(lane);
      const parcels = this.#take(lane);
      await this.#deliver(parcels);
      for (const { onSettled } of parcels) onSettled();
    }
    this.#lanes.delete(lane.id);
  }

  /** Takes the oldest, and if messages are grouped, all others of the same event. */
  #take(lane: Lane): Parcel[] {
    const [first] = lane.waiting;
    const isTaken = ({ destination, message }: Parcel): boolean =>
      destination.grouped && this.#options.groupWindowMs > 0 && message.event === first?.message.event;
    const taken = [...lane.waiting].filter((parcel) => parcel === first || isTaken(parcel));
    for (const parcel of taken) this.#remove(parcel);
    return taken;
  }

  async #deliver(parcels: readonly Parcel[]): Promise<void> {
    const [first, ...others] = parcels.map(({ message }) => message);
    const destination = parcels.at(-1)?.destination;
    if (!first || !destination) return;
    const { channel } = destination;
    const { logger, additionalInfo, onSent, onFailed } = this.#options;
    const alert: Alert = { messages: [first, ...others], additionalInfo };
    const make = madeOnce(destination, alert);
    let complaint: string | undefined;
    const bodyFor = async (url: URL): Promise<Body> => {
      const body = await make(url);
      complaint = body.complaint;
      return body;
    };
    let before: DeliveryError | undefined;
    for (let tries = 1; ; tries += 1) {
      const failure = await this.#try(destination, bodyFor);
      if (!failure) {
        this.#metrics.count(channel, 'sent');
        if (complaint !== undefined)
          logger.warn('The usual alert was sent: its template cannot be used', {
            to: destination.name,
            why: complaint,
          });
        onSent?.(destination, complaint);
        return;
      }
      if (!failure.retry || tries === TRIES || this.#end.signal.aborted) {
        // An abort by the stop is not the reason of the failure: the earlier error is reported.
        const { message: why, told } = this.#end.signal.aborted ? (before ?? failure) : failure;
        this.#metrics.count(channel, 'failed');
        logger.warn('An alert could not be sent', { to: destination.name, tries, why });
        onFailed?.(destination, told);
        return;
      }
      before = failure;
      this.#metrics.count(channel, 'retried');
      logger.debug('An alert is tried again', { to: destination.name, tries, why: failure.message });
      await this.#pause(failure.retryAfterMs ?? FIRST_BACKOFF_MS * 2 ** (tries - 1), this.#end.signal);
    }
  }

  async #try(
    destination: Destination,
    bodyFor: (url: URL) => Promise<Body>,
  ): Promise<DeliveryError | undefined> {
    const { signal } = this.#end;
    const free = await this.#slots.take();
    try {
      if (signal.aborted) return new DeliveryError('the operator stops', { retry: false, told: 'as it is' });
      const url = await destination.url(signal);
      const { trusted } = destination;
      await this.#options.post({ url, trusted }, () => bodyFor(url), signal);
      return undefined;
    } catch (error) {
      if (error instanceof DeliveryError) return error;
      const { name, message } = error instanceof Error ? error : new Error('unknown error');
      // Only the error of a template is shown: other messages may contain what must not be shown.
      const why = name === 'TemplateError' ? message : name;
      return new DeliveryError(`the message could not be made: ${why}`, { retry: false, told: 'as it is' });
    } finally {
      free();
    }
  }

  #dropOldest(): void {
    if (this.#waiting.size <= MOST_WAITING) {
      if (this.#waiting.size < MOST_WAITING / 2) this.#isDropping = false;
      return;
    }
    const [oldest] = this.#waiting;
    if (oldest) this.#drop(oldest);
    if (this.#isDropping) return;
    this.#isDropping = true;
    this.#options.logger.warn('Too many alerts wait: the oldest are dropped', { waiting: MOST_WAITING });
  }

  #dropStale({ waiting }: Lane): void {
    const { clock, logger } = this.#options;
    const stale = [...waiting].filter(({ since }) => clock.monotonic() - since >= LONGEST_WAIT_MS);
    for (const parcel of stale) this.#drop(parcel);
    const [first] = stale;
    if (first)
      logger.warn('Alerts that waited too long are dropped', {
        to: first.destination.name,
        count: stale.length,
      });
  }

  #drop(parcel: Parcel): void {
    this.#remove(parcel);
    this.#metrics.count(parcel.destination.channel, 'dropped');
    parcel.onSettled();
  }

  #remove(parcel: Parcel): void {
    parcel.lane.waiting.delete(parcel);
    this.#waiting.delete(parcel);
  }

  /** Ends early if the signal aborts, without an error. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await sleep(this.#options.clock, ms, signal).catch(() => undefined);
  }
}

/** A retry sends the body of the first attempt, unless the URL has changed in between. */
function madeOnce(destination: Destination, alert: Alert): (url: URL) => Promise<Body> {
  let made: { readonly href: string; readonly body: Body } | undefined;
  return async (url) => {
    if (made?.href !== url.href) made = { href: url.href, body: await destination.format(url)(alert) };
    return made.body;
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
