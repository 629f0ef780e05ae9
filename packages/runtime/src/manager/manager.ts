/**
 * Starts all runnables of a program in order, and stops them in the reverse order.
 *
 * Start: servers, webhooks, caches (each stage waits until the one before is ready), work that every replica does,
 * then the election; leader work starts when the Lease is held.
 *
 * Stop, within one grace period: leader work, other work, caches, webhooks, servers, and last the Lease.
 * - `stopping` comes first: nothing new starts, running work may finish.
 * - `abort` follows when the grace period is over. The error names everything that has not ended soon after.
 * - The Lease is released only when all leader work has ended. After a lost Lease there is no grace period.
 *
 * Guarantees: `run` resolves after an ordered stop and otherwise rejects with the first failure, so that a main
 * program only needs to set its exit code. It never ends the process itself.
 */
import { type Clock, sleep, systemClock } from '../clock/clock.ts';
import type { Elector } from '../lifecycle/election-contract.ts';
import { type Runnable, STAGES, type Stage } from '../lifecycle/runnable.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { RunnableGroup } from './group.ts';
import { Health } from './health.ts';

/** Options of a manager. */
export interface ManagerOptions {
  readonly elector?: Elector | undefined;
  /** Closed after everything else has ended, also after a failure: the manager owns them. */
  readonly clients?: readonly Closable[] | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /** Grace period for running work. 30 s unless given. */
  readonly gracePeriodMs?: number | undefined;
  /** How long cancelled work may take to end before the manager gives up on it. 2 s unless given. */
  readonly abortPeriodMs?: number | undefined;
}

/** The part of a `Client` that a manager needs. */
export interface Closable {
  close(): Promise<void>;
}

/** A runnable did not end although it was cancelled; the message names it. */
export class ShutdownTimeoutError extends Error {
  override name = 'ShutdownTimeoutError';
}

interface Stop {
  readonly reason: unknown;
  /** Undefined for an ordered stop. */
  readonly error: unknown;
}

/**
 * Starts the parts of a program in order and stops them in the reverse, with or without leader election.
 *
 * @example
 * ```ts
 * const server = new HttpServer({ address: ':9090', logger });
 * const manager = new Manager({ logger, elector, clients: [client, leaseClient] });
 * serveHealth(server, manager.health);
 * serveMetrics(server, metrics);
 * manager.health.addReadiness('caches', cachesAlive(() => cache.health()));
 * manager.add(server, cacheRunnable(cache), controller);
 * await runProgram(manager, { logger }); // stops at SIGTERM and sets the exit code
 * ```
 */
export class Manager {
  /** Checks for probes. `ping`, `shutdown` and `leader-election` are there from the start. */
  readonly health: Health;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #elector: Elector | undefined;
  readonly #clients: readonly Closable[];
  readonly #gracePeriodMs: number;
  readonly #abortPeriodMs: number;
  readonly #runnables: Runnable[] = [];
  readonly #abort = new AbortController();
  readonly #stages: Readonly<Record<Stage, RunnableGroup>>;
  readonly #leaderWork: RunnableGroup;
  readonly #electionGroup: RunnableGroup;
  #stop: Stop | undefined;
  #leaseLost = false;
  #onStop: () => void = () => undefined;
  #phase: 'new' | 'running' | 'stopping' = 'new';

  constructor(options: ManagerOptions = {}) {
    const { clock = systemClock, logger = silentLogger, elector } = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#elector = elector;
    this.#clients = options.clients ?? [];
    this.#gracePeriodMs = options.gracePeriodMs ?? 30_000;
    this.#abortPeriodMs = options.abortPeriodMs ?? 2_000;
    const group = (): RunnableGroup =>
      new RunnableGroup(this.#abort.signal, (name, error) => this.#fail(name, error));
    this.#stages = { http: group(), webhooks: group(), caches: group(), work: group() };
    this.#leaderWork = group();
    this.#electionGroup = new RunnableGroup(this.#abort.signal, (_name, error) => this.#loseLease(error));
    this.health = new Health({ clock, logger });
    this.health.addReadiness('shutdown', () => {
      if (this.#phase === 'stopping') throw new Error('the program stops');
    });
    if (elector) this.health.addLiveness('leader-election', () => elector.check());
  }

  /** Only before `run`. */
  add(...runnables: readonly Runnable[]): void {
    if (this.#phase !== 'new') {
      const names = runnables.map(({ name }) => `"${name}"`).join(', ');
      throw new TypeError(`Cannot add ${names}: the manager runs already`);
    }
    this.#runnables.push(...runnables);
  }

  /** Runs until the signal aborts, a runnable fails or the Lease is lost; then stops everything. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== 'new') throw new TypeError('The manager ran before: make a new one');
    this.#phase = 'running';
    const stopped = new Promise<void>((resolve) => {
      this.#onStop = resolve;
    });
    const onSignal = (): void => this.#requestStop({ reason: signal.reason, error: undefined });
    signal.addEventListener('abort', onSignal, { once: true });
    try {
      if (signal.aborted) onSignal();
      await Promise.race([this.#startAll(), stopped]);
      await stopped;
    } finally {
      signal.removeEventListener('abort', onSignal);
    }
    try {
      await this.#stopAll();
    } finally {
      await this.#closeClients();
    }
  }

  async #closeClients(): Promise<void> {
    for (const result of await Promise.allSettled(this.#clients.map((client) => client.close()))) {
      if (result.status === 'rejected') {
        this.#logger.warn('A client could not be closed', { error: result.reason });
      }
    }
  }

  async #startAll(): Promise<void> {
    for (const stage of STAGES) {
      if (this.#stop) return;
      const group = this.#stages[stage];
      const runnables = this.#of(stage).filter((each) => !this.#waitsForLease(each));
      for (const runnable of runnables) group.start(runnable);
      await Promise.all(runnables.map((runnable) => group.ready(runnable)));
    }
    if (!this.#stop) this.#takePart();
  }

  #takePart(): void {
    const elector = this.#elector;
    if (!elector) return;
    const led = STAGES.flatMap((stage) => this.#of(stage)).filter((each) => this.#waitsForLease(each));
    for (const runnable of led) this.#leaderWork.warmUp(runnable);
    this.#electionGroup.start({
      name: elector.name,
      start: async ({ stopping }) => {
        await elector.run(stopping, {
          onStartedLeading: () => {
            if (this.#stop) return;
            this.#logger.info('This process leads', { lease: elector.name });
            for (const runnable of led) this.#leaderWork.start(runnable);
          },
          onNewLeader: (identity) => this.#logger.info('The leader changed', { leader: identity }),
        });
        if (!stopping.aborted) throw new Error(`The election of ${elector.name} ended by itself`);
      },
    });
  }

  async #stopAll(): Promise<void> {
    this.#phase = 'stopping';
    const { reason } = this.#stop as Stop;
    const graceMs = this.#leaseLost ? 0 : this.#gracePeriodMs;
    this.#logger.info('Stopping', { graceMs });
    const grace = this.#clock.setTimeout(
      () => this.#abort.abort(new Error('The grace period is over')),
      graceMs,
    );
    const hung: string[] = [];
    for (const group of [this.#leaderWork, ...STAGES.toReversed().map((stage) => this.#stages[stage])]) {
      group.stop(reason);
      await this.#endOf(group);
      hung.push(...group.running);
    }
    grace.cancel();
    await this.#endElection(reason);
    this.#logger.info('Stopped', hung.length > 0 ? { hung } : {});
    // Read again: the Lease may have been lost in the meantime.
    const { error } = this.#stop as Stop;
    if (error !== undefined) throw error;
    if (hung.length > 0) {
      const seconds = (graceMs + this.#abortPeriodMs) / 1000;
      throw new ShutdownTimeoutError(`Did not end within ${seconds} s of the stop: ${hung.join(', ')}`);
    }
  }

  /** Waits for a group to end, at most until shortly after `abort`. */
  async #endOf(group: RunnableGroup): Promise<void> {
    const waiting = new AbortController();
    const afterAbort = async (): Promise<void> => {
      await aborted(this.#abort.signal, waiting.signal);
      await sleep(this.#clock, this.#leaseLost ? 0 : this.#abortPeriodMs, waiting.signal);
    };
    await Promise.race([group.ended(), afterAbort().catch(() => undefined)]);
    waiting.abort();
  }

  async #endElection(reason: unknown): Promise<void> {
    const elector = this.#elector;
    if (!elector) return;
    this.#electionGroup.stop(reason);
    if (this.#leaseLost) return;
    if (this.#leaderWork.running.length > 0) {
      this.#logger.warn('The lease is not released: leader work has not ended', { lease: elector.name });
      return;
    }
    try {
      await this.#electionGroup.ended();
      await elector.release();
    } catch (error) {
      this.#logger.warn('The lease could not be released; other replicas take over when it expires', {
        error,
      });
    }
  }

  #fail(name: string, error: unknown): void {
    this.#logger.error('A runnable failed', { runnable: name, error });
    const failure = error instanceof Error ? error : new Error(`"${name}" failed: ${String(error)}`);
    this.#requestStop({ reason: failure, error: failure });
  }

  /** The new leader may act at once, so we must stop: no grace period, even if we are already stopping. */
  #loseLease(error: unknown): void {
    this.#leaseLost = true;
    this.#logger.error('The lease is lost: everything is cancelled', { lease: this.#elector?.name, error });
    this.#abort.abort(error);
    this.#stop = { reason: this.#stop?.reason ?? error, error: this.#stop?.error ?? error };
    this.#onStop();
  }

  /** The first reason wins. */
  #requestStop(stop: Stop): void {
    this.#stop ??= stop;
    this.#onStop();
  }

  #of(stage: Stage): Runnable[] {
    return this.#runnables.filter((runnable) => (runnable.stage ?? 'work') === stage);
  }

  #waitsForLease(runnable: Runnable): boolean {
    return this.#elector !== undefined && (runnable.needsLeaderElection ?? false);
  }
}

/** Resolves when `signal` aborts; rejects, which nobody has to handle, when `giveUp` does. */
function aborted(signal: AbortSignal, giveUp: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    const clean = (): void => {
      signal.removeEventListener('abort', onAbort);
      giveUp.removeEventListener('abort', onGiveUp);
    };
    const onAbort = (): void => {
      clean();
      resolve();
    };
    const onGiveUp = (): void => {
      clean();
      reject(giveUp.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    giveUp.addEventListener('abort', onGiveUp, { once: true });
  });
}
