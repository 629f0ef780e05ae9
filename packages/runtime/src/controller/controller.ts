/**
 * Calls a reconciler to keep the objects of a kind in their wanted state.
 *
 * In: sources of requests. Out: calls of the reconciler, repeated as its results and failures require.
 *
 * Guarantees
 * - Never two concurrent runs for one key; an event during a run causes another run.
 * - No run before every source has delivered its initial objects.
 * - An exception or rejection in a reconciler affects only its own key.
 * - After `stopping` no run starts; running ones may finish until `abort`.
 * - The event loop stays responsive, however many keys wait and however short each run is.
 *
 * The queue is not persisted: at the next start the initial list enqueues every key again.
 */

import { type Clock, systemClock } from '../clock/clock.ts';
import { EventLoopBudget } from '../clock/event-loop-budget.ts';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';
import { silentLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import type { ObjectKey } from '../model/types.ts';
import type { QueueItem } from '../queue/options.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { type ControllerMetrics, createControllerMetrics } from './controller-metrics.ts';
import { errorInWords, isPanic, ShutdownError } from './errors.ts';
import { Failures } from './failures.ts';
import { type KeyCodec, objectKeys } from './keys.ts';
import { logOutcome } from './log-outcome.ts';
import type { ControllerOptions, KeyReport } from './options.ts';
import { ReconcileRun } from './reconcile-run.ts';
import { reportKeys } from './report.ts';
import { type Outcome, outcomeOf, outcomeOfError } from './result.ts';
import {
  type AnyInformer,
  causeInWords,
  type EnqueueOptions,
  type RequestCause,
  type Source,
} from './sources.ts';
import { type AttachedSource, waitForSources } from './sync.ts';

/**
 * A controller over any sources, with your own reconciler. `operator` does most of this for you.
 *
 * @example
 * ```ts
 * const controller = createController({
 *   name: 'webapp',
 *   sources: [
 *     forKind(webApps, { when: generationChanged() }),
 *     owns(deployments, WebApps),
 *     watches(configMaps, (configMap) => webAppsUsing(configMap)),
 *   ],
 *   concurrency: 4,
 *   async reconcile(key, { logger, signal }) {
 *     const app = webApps.store.get(key);
 *     if (!app) return; // deleted: nothing to do
 *     await ensureDeployment(app, signal);
 *     logger.info('Up to date');
 *     return { requeueAfterMs: 600_000 };
 *   },
 * });
 * manager.add(controller);
 * ```
 */
export function createController<R extends ObjectKey = ObjectKey>(
  options: ControllerOptions<R>,
): Controller<R> {
  return new Controller(options);
}

/** Calls a reconciler for every key from its sources; see `createController`. */
export class Controller<R extends ObjectKey = ObjectKey> implements Runnable {
  readonly name: string;
  readonly needsLeaderElection: boolean;
  /** Defined only if wanted, because the manager checks for its presence. */
  readonly warmup?: (signals: RunSignals) => Promise<void>;
  readonly #options: ControllerOptions<R>;
  readonly #keys: KeyCodec<R>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: ControllerMetrics | undefined;
  readonly #queue: WorkQueue;
  readonly #concurrency: number;
  readonly #sources: Source<R>[];
  readonly #running = new Map<string, ReconcileRun>();
  readonly #failures = new Failures();
  readonly #loopBudget: EventLoopBudget;
  #attached: AttachedSource<R>[] | undefined;
  #started = false;

  constructor(options: ControllerOptions<R>) {
    const { name, concurrency = 1, clock = systemClock, metrics } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new RangeError(`The concurrency of controller "${name}" must be at least 1, got ${concurrency}`);
    }
    this.name = name;
    this.needsLeaderElection = options.needsLeaderElection ?? true;
    if (options.warmup ?? true) this.warmup = (signals) => this.#prepare(signals.stopping);
    this.#options = options;
    // The options' type requires `keys` for every other type of request.
    this.#keys = options.keys ?? (objectKeys as unknown as KeyCodec<R>);
    this.#clock = clock;
    this.#logger = (options.logger ?? silentLogger).with({ controller: name });
    this.#concurrency = concurrency;
    this.#loopBudget = new EventLoopBudget(clock);
    this.#sources = [...options.sources];
    this.#queue = new WorkQueue({
      name,
      clock,
      namespaceOf: (key) => this.#keys.namespaceOf(key),
      ...(metrics ? { metrics } : {}),
      ...options.queue,
    });
    this.#metrics =
      metrics &&
      createControllerMetrics(metrics, name, concurrency, () => ({
        activeWorkers: this.#running.size,
        ignoringAbort: [...this.#running.values()].filter((run) => run.ignoresAbort).length,
      }));
  }

  /** All informers that the sources need running. */
  get informers(): readonly AnyInformer[] {
    return [...new Set(this.#sources.flatMap(({ informer }) => informer ?? []))];
  }

  /** Runs until `stopping` aborts and the last reconcile has ended. */
  async start(signals: RunSignals): Promise<void> {
    if (this.#started) throw new TypeError(`Controller "${this.name}" was started before: make a new one`);
    this.#started = true;
    const onStopping = (): void => this.#queue.shutdown();
    const onAbort = (): void => this.#abortAll();
    signals.stopping.addEventListener('abort', onStopping, { once: true });
    signals.abort.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#prepare(signals.stopping);
      if (signals.stopping.aborted) onStopping();
      this.#logger.info('Controller started', { concurrency: this.#concurrency });
      await Promise.all(Array.from({ length: this.#concurrency }, () => this.#work()));
      this.#logger.info('Controller stopped');
    } finally {
      this.#queue.shutdown();
      this.#metrics?.stop();
      for (const { registration } of this.#attached ?? []) registration.remove();
      signals.stopping.removeEventListener('abort', onStopping);
      signals.abort.removeEventListener('abort', onAbort);
    }
  }

  /** Adds a source, also while the controller runs. Returns a function that removes it. */
  addSource(source: Source<R>): () => void {
    this.#sources.push(source);
    const attached = this.#attached && this.#attach(source);
    if (attached) this.#attached?.push(attached);
    return () => {
      remove(this.#sources, (each) => each === source);
      for (const { registration } of remove(this.#attached ?? [], (each) => each.source === source)) {
        registration.remove();
      }
    };
  }

  /** Requests a run from outside. */
  enqueue(request: R, options: { readonly afterMs?: number; readonly priority?: number } = {}): void {
    const cause: RequestCause = { event: 'enqueue', source: this.name };
    const { afterMs, priority = 0 } = options;
    if (afterMs === undefined) this.#enqueue(request, { priority, cause, replay: false });
    else this.#queue.add(this.#keys.encode(request), { after: afterMs, priority, reason: cause });
  }

  /** Reports which keys wait, run and fail, and why. */
  inspect(): KeyReport[] {
    return reportKeys(this.#queue.inspect(), this.#failures, (key) => this.#running.get(key));
  }

  /**
   * Attaches all sources and waits for them; a second call returns at once. Resolves quietly when stopped meanwhile.
   */
  async #prepare(stopping: AbortSignal): Promise<void> {
    this.#attached ??= this.#sources.map((source) => this.#attach(source));
    const { cacheSyncTimeoutMs = 120_000 } = this.#options;
    try {
      await waitForSources(this.#attached, {
        clock: this.#clock,
        timeoutMs: cacheSyncTimeoutMs,
        signal: stopping,
        waiter: `Controller "${this.name}"`,
      });
    } catch (error) {
      if (!stopping.aborted) throw error;
    }
  }

  #attach(source: Source<R>): AttachedSource<R> {
    const registration = source.attach({
      enqueue: (request, options) => this.#enqueue(request, options),
      report: (error, cause) => {
        this.#metrics?.mappingFailed();
        this.#logger.error('An event could not be turned into requests', {
          error,
          event: causeInWords(cause),
        });
      },
    });
    return { source, registration };
  }

  #enqueue(request: R, { priority, cause, replay }: EnqueueOptions): void {
    const key = this.#keys.encode(request);
    if (!replay) this.#running.get(key)?.supersede(causeInWords(cause));
    this.#queue.add(key, { priority, reason: cause });
  }

  async #work(): Promise<void> {
    while (await this.#queue.whenReady()) {
      // Reconciles with nothing to do never await, but timers, sockets and probes need their turn. Checked before
      // each run: all workers may be free at once, and would otherwise all run in one turn. The key is taken after
      // the pause: with as many expensive keys as workers, a more important one would wait for all of them.
      const pause = this.#loopBudget.pause();
      if (pause) await pause;
      const item = this.#queue.take();
      if (item) await this.#process(item);
    }
  }

  async #process({ key, priority, reason }: QueueItem): Promise<void> {
    const { timeoutMs = 60_000, reconcile, beforeReconcile, maxRetries = Infinity } = this.#options;
    const failures = this.#queue.failures(key);
    // While a retry is pending, a failure of this run is not the last one, whatever the count says.
    const retriesLeft = this.#queue.isRetryPending(key) ? Infinity : maxRetries - failures;
    const run = new ReconcileRun({
      clock: this.#clock,
      logger: this.#logger.with({ object: key }),
      timeoutMs,
      attempt: failures + 1,
      isLastAttempt: retriesLeft <= 0,
      cause: reason as RequestCause | undefined,
    });
    this.#running.set(key, run);
    const began = this.#clock.monotonic();
    if (run.debugs) run.logger.debug('Reconcile started', { reason: run.reason });
    const ended = await run.execute(async (context) => {
      const request = this.#keys.decode(key);
      if (beforeReconcile) await beforeReconcile(request, context.signal);
      return reconcile(request, context);
    });
    const pass = { priority, retriesLeft };
    const outcome = 'error' in ended ? outcomeOfError(ended.error, pass) : outcomeOf(ended.result, pass);
    this.#running.delete(key);
    this.#settle(key, run, outcome, this.#clock.monotonic() - began);
  }

  #settle(key: string, run: ReconcileRun, outcome: Outcome, tookMs: number): void {
    if (outcome.label === 'error' && run.aborted && !run.timedOut) {
      // We cancelled it ourselves: that says nothing about the object and is not logged as a failure.
      run.logger.info('Reconcile was interrupted because the program stops', { durationMs: tookMs });
      this.#queue.done(key);
      return;
    }
    if (outcome.forget) this.#queue.forget(key);
    if (outcome.add) {
      const cause: RequestCause = { event: outcome.label, source: 'result of the run before' };
      this.#queue.add(key, { ...outcome.add, reason: cause });
    }
    this.#queue.done(key);
    this.#count(run, outcome, tookMs);
    this.#remember(key, outcome);
    logOutcome(run, outcome, tookMs);
  }

  #count(run: ReconcileRun, outcome: Outcome, tookMs: number): void {
    const metrics = this.#metrics;
    if (!metrics) return;
    metrics.reconciled(outcome.label, tookMs / 1000);
    if (run.timedOut) metrics.timedOut();
    if (outcome.terminal) metrics.terminal();
    if (outcome.label === 'error' && isPanic(outcome.error)) metrics.panicked();
  }

  #remember(key: string, { label, error }: Outcome): void {
    if (label === 'error') {
      const message = errorInWords(error);
      this.#failures.set(key, { message, at: this.#clock.now() });
    } else {
      this.#failures.clear(key);
    }
  }

  #abortAll(): void {
    for (const run of this.#running.values()) run.abort(new ShutdownError('The program stops'));
  }
}

/** Removes and returns the matching elements. */
function remove<T>(items: T[], matches: (item: T) => boolean): T[] {
  const removed = items.filter(matches);
  for (const item of removed) items.splice(items.indexOf(item), 1);
  return removed;
}
