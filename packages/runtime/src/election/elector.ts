/**
 * Leader election over one Lease object.
 *
 * In: its own client (so that no other traffic delays a renewal), the Lease's name, timings. Out: `run` campaigns,
 * calls `onStartedLeading` once, renews until aborted; `fence()` bounds writes.
 *
 * Guarantees, given clocks whose rates differ by less than leaseDuration / renewDeadline and a Lease that nobody
 * deletes by hand: at most one process is inside its fence at any moment. A follower judges expiry only by its own
 * monotonic clock, from the moment at which it last saw the record change; the timestamps in the Lease are for
 * people. A leader counts its renewal from before the request was sent. Does not guarantee a leader at all times:
 * after a crash the next one leads within leaseDuration plus 2.2 retry periods, after `release` within 2.2 retry
 * periods.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { type Deadline, deadline } from '../client/abort.ts';
import type { Client } from '../client/client.ts';
import { NotFoundError } from '../client/errors.ts';
import { type Clock, sleep, systemClock } from '../clock/clock.ts';
import { type Elector, type ElectorCallbacks, LeaseLostError } from '../lifecycle/election-contract.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { keyString, type Stored } from '../model/types.ts';
import type { Fence, FenceSource } from './fence.ts';
import { holderOf, type Lease, transitionsOf } from './lease.ts';
import { LeaseCalls } from './lease-calls.ts';
import { type ElectionMetrics, electionMetrics } from './metrics.ts';
import { ObservedLease } from './observed-lease.ts';
import { releaseLease } from './release.ts';
import { DEFAULT_TIMINGS, type ElectionTimings, nextAttempt, validateTimings } from './timings.ts';

/** The Lease, and the election's options. */
export interface ElectorOptions extends Partial<ElectionTimings> {
  /** Not shared with anything else: a renewal must never wait behind other requests. */
  readonly client: Client;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Must differ between processes, also between a process and its successor. Default: host name and a UUID. */
  readonly identity?: string | undefined;
  /** How long after the Lease's expiry `check` still passes. Default 20 s. */
  readonly healthToleranceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  readonly random?: (() => number) | undefined;
}

/** An elector that holds a Lease, and knows until when its holder may write. */
export interface LeaseElector extends Elector, FenceSource {
  readonly identity: string;
  /** The holder last seen, if any. */
  readonly leader: string | undefined;
}

/**
 * Leader election by a Lease: at most one process leads, and it knows until when for sure.
 *
 * @example
 * ```ts
 * const elector = createElector({
 *   client: createClient({ config }), // a connection of its own
 *   lease: { namespace: 'team', name: 'my-operator' },
 * });
 * const writer = fencedClient(client, elector, systemClock);
 * const manager = new Manager({ elector });
 * ```
 */
export function createElector(options: ElectorOptions): LeaseElector {
  return new LeaseElection(options);
}

/** One term of leading, from acquiring the Lease to losing or releasing it. */
interface Term {
  readonly epoch: number;
  readonly ended: AbortController;
  /** When the last successful renewal was sent. */
  renewedAt: number;
}

function beginTerm(epoch: number, renewedAt: number): Term {
  const ended = new AbortController();
  // Every write under way listens, and there may be any number of them.
  setMaxListeners(0, ended.signal);
  return { epoch, ended, renewedAt };
}

class LeaseElection implements LeaseElector {
  readonly name: string;
  readonly identity: string;
  readonly #timings: ElectionTimings;
  readonly #toleranceMs: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: ElectionMetrics;
  readonly #random: () => number;
  readonly #calls: LeaseCalls;
  readonly #observed: ObservedLease;
  #callbacks: ElectorCallbacks | undefined;
  #term: Term | undefined;

  constructor(options: ElectorOptions) {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = { ...DEFAULT_TIMINGS, ...options };
    this.#timings = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    validateTimings(this.#timings);
    this.name = `lease ${keyString(options.lease)}`;
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.#toleranceMs = options.healthToleranceMs ?? 20_000;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).with({
      lease: keyString(options.lease),
      identity: this.identity,
    });
    this.#metrics = electionMetrics(options.metrics, options.lease.name);
    const { client, lease: key } = options;
    this.#calls = new LeaseCalls({
      client,
      key,
      clock: this.#clock,
      identity: this.identity,
      leaseDurationMs,
    });
    this.#observed = new ObservedLease(this.#clock, leaseDurationMs, (holder) => this.#onNewHolder(holder));
  }

  get isLeader(): boolean {
    return this.#term !== undefined;
  }

  get leader(): string | undefined {
    return this.#observed.holder;
  }

  fence(): Fence | undefined {
    const term = this.#term;
    if (!term) return undefined;
    const end = term.renewedAt + this.#timings.renewDeadlineMs;
    return { epoch: term.epoch, deadline: end, signal: term.ended.signal };
  }

  check(): void {
    if (!this.#term) return;
    const age = this.#clock.monotonic() - this.#term.renewedAt;
    if (age > this.#timings.leaseDurationMs + this.#toleranceMs) {
      throw new Error(
        `Believes to hold ${this.name} but has not renewed it for ${Math.round(age / 1000)} s: the process must be restarted`,
      );
    }
  }

  async run(signal: AbortSignal, callbacks: ElectorCallbacks): Promise<void> {
    if (this.#callbacks)
      throw new Error(`The election for ${this.name} was already run: create another elector`);
    this.#callbacks = callbacks;
    try {
      const term = await this.#campaign(signal);
      callbacks.onStartedLeading();
      await this.#keep(term, signal);
    } catch (error) {
      if (!signal.aborted || error instanceof LeaseLostError) throw error;
    }
  }

  async release(): Promise<void> {
    if (!this.#term) return;
    const { epoch } = this.#term;
    // First stop our own writes, then release the Lease.
    this.#endTerm(new Error(`Gave up ${this.name}`));
    const { retryPeriodMs } = this.#timings;
    const limit = this.#limit('Giving up');
    try {
      await releaseLease({
        calls: this.#calls,
        lease: this.#observed.lease,
        isOurs: (lease) => this.#isOurs(lease, epoch),
        pause: () => sleep(this.#clock, retryPeriodMs, limit.signal),
        signal: limit.signal,
      });
      this.#logger.info('Released the lease');
    } catch (error) {
      this.#logger.warn('Could not release the lease; other replicas wait until it expires', { error });
    } finally {
      limit.dispose();
    }
  }

  /** Tries until the Lease is ours. Ends only by success or by the signal. */
  async #campaign(signal: AbortSignal): Promise<Term> {
    let complaint: string | undefined;
    for (;;) {
      const start = this.#clock.monotonic();
      const limit = this.#limit('Acquiring', signal);
      try {
        const term = await this.#tryAcquire(limit.signal);
        if (term) return term;
        complaint = undefined;
      } catch (error) {
        if (signal.aborted) throw error;
        const message = error instanceof Error ? error.message : String(error);
        // Log a repeated failure only once.
        this.#logger[message === complaint ? 'debug' : 'warn']('Could not acquire the lease; retrying', {
          error,
        });
        complaint = message;
      } finally {
        limit.dispose();
      }
      const now = this.#clock.monotonic();
      const next = nextAttempt(this.#timings.retryPeriodMs, start, this.#observed.expiry, now, this.#random);
      await sleep(this.#clock, Math.max(1, next - now), signal);
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<Term | undefined> {
    const lease = await this.#read(signal);
    const seen = this.#observed.lease;
    if (!this.#observed.expired && this.#observed.holder !== this.identity) return undefined;
    const start = this.#clock.monotonic();
    // A Lease that already names us means that the answer to our write was lost, not that the leader changed.
    const transitions = (base: Lease): number =>
      transitionsOf(base) + (holderOf(base) === this.identity ? 0 : 1);
    // The Lease was deleted: continue its transition count, so that epochs never repeat.
    const taken = lease
      ? await this.#calls.take(lease, transitions(lease), signal)
      : await this.#calls.create(seen ? transitions(seen) : 0, signal);
    this.#observed.observe(taken);
    this.#term = beginTerm(transitionsOf(taken), start);
    this.#metrics.leading(true);
    this.#logger.info('Acquired the lease', { epoch: this.#term.epoch });
    return this.#term;
  }

  /** Renews until the signal aborts; rejects if the Lease is lost. */
  async #keep(term: Term, signal: AbortSignal): Promise<void> {
    const { retryPeriodMs, leaseDurationMs } = this.#timings;
    for (;;) {
      // Measured from the start of the last request, so that a slow API server does not stretch the interval.
      await sleep(this.#clock, Math.max(0, term.renewedAt + retryPeriodMs - this.#clock.monotonic()), signal);
      const age = this.#clock.monotonic() - term.renewedAt;
      if (age >= leaseDurationMs) this.#loseAsleep(age);
      await this.#renewInTime(term, signal);
    }
  }

  async #renewInTime(term: Term, signal: AbortSignal): Promise<void> {
    const { renewDeadlineMs, retryPeriodMs } = this.#timings;
    const limit = this.#limit('Renewing', signal);
    const start = this.#clock.monotonic();
    let last: unknown;
    try {
      for (;;) {
        try {
          return await this.#renew(term, limit.signal);
        } catch (error) {
          if (error instanceof LeaseLostError || limit.signal.aborted) throw error;
          last = error;
          this.#logger.warn('Could not renew the lease; retrying', { error });
        }
        await sleep(this.#clock, retryPeriodMs, limit.signal);
      }
    } catch (error) {
      if (error instanceof LeaseLostError || signal.aborted) throw error;
      // A timer that fires a whole period late means that this process was paused, not that the server failed.
      const late = this.#clock.monotonic() - start - renewDeadlineMs;
      if (late >= retryPeriodMs) this.#loseAsleep(renewDeadlineMs + late);
      this.#lose(`it could not be renewed for ${renewDeadlineMs / 1000} s`, last ?? error);
    } finally {
      limit.dispose();
    }
  }

  async #renew(term: Term, signal: AbortSignal): Promise<void> {
    const known = this.#observed.lease;
    if (known && (await this.#renewKnown(term, known, signal))) return;
    this.#metrics.slowPath();
    const lease = await this.#read(signal);
    if (lease && !this.#isOurs(lease, term.epoch)) {
      this.#lose(`it is now held by ${holderOf(lease) ?? 'nobody'}`);
    }
    const start = this.#clock.monotonic();
    this.#renewed(
      term,
      start,
      lease ? await this.#calls.renew(lease, signal) : await this.#calls.create(term.epoch, signal),
    );
  }

  /** The usual case: one PUT with the version of our own last write, no read. */
  async #renewKnown(term: Term, known: Stored<Lease>, signal: AbortSignal): Promise<boolean> {
    const start = this.#clock.monotonic();
    try {
      this.#renewed(term, start, await this.#calls.renew(known, signal));
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#logger.debug('Could not renew with the last known resourceVersion; reading the lease', { error });
      return false;
    }
  }

  #renewed(term: Term, start: number, lease: Stored<Lease>): void {
    term.renewedAt = start;
    this.#observed.observe(lease);
  }

  /** Undefined if the Lease does not exist. */
  async #read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      const lease = await this.#calls.get(signal);
      this.#observed.observe(lease);
      return lease;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /** Each attempt may take as long as the renew deadline. */
  #limit(what: string, parent?: AbortSignal): Deadline {
    const { renewDeadlineMs } = this.#timings;
    const error = () => new Error(`${what} ${this.name} did not end within ${renewDeadlineMs / 1000} s`);
    return deadline(this.#clock, renewDeadlineMs, error, parent);
  }

  /** The epoch must match too: the name alone would not show that others led in between. */
  #isOurs(lease: Lease, epoch: number): boolean {
    return holderOf(lease) === this.identity && transitionsOf(lease) === epoch;
  }

  #loseAsleep(ms: number): never {
    this.#lose(`this process did not run for ${Math.round(ms / 1000)} s, longer than the lease allows`);
  }

  #lose(why: string, cause?: unknown): never {
    const error = new LeaseLostError(`Lost ${this.name}: ${why}`, cause === undefined ? {} : { cause });
    this.#endTerm(error);
    throw error;
  }

  #endTerm(reason: Error): void {
    const term = this.#term;
    this.#term = undefined;
    this.#metrics.leading(false);
    term?.ended.abort(reason);
  }

  #onNewHolder(holder: string): void {
    this.#logger.info(holder === this.identity ? 'This process leads' : 'Another process leads', {
      leader: holder,
    });
    this.#callbacks?.onNewLeader?.(holder);
  }
}
