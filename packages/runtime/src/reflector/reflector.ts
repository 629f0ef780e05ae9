/**
 * Keeps a sink in sync with a collection on the server.
 *
 * In: a `ReflectorApi`. Out: calls to a `ReflectorSink`: a complete state, then every change in order, and a complete
 * state again if that is the only way. `step` makes all decisions; this class performs them.
 *
 * Guarantees: never ends because of the server; no partial state reaches the sink's consumers; every wait and request
 * ends with the signal; no timer or listener is left after `run`. It does not retry if a sink throws: that is a bug,
 * and `run` rejects with it.
 */

import type { TakesEvent, WatchEvent } from '../client/client.ts';
import { type ResourceType, resourceName } from '../client/resource.ts';
import { type Clock, sleep, systemClock, type Timer } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { KubernetesObject, Stored } from '../model/types.ts';
import type { ReflectorApi } from './api.ts';
import { Backoff, type BackoffOptions, type Random } from './backoff.ts';
import { Exchange, type Outcome } from './exchange.ts';
import { failureFrom } from './failure.ts';
import { type ReflectorObserver, reportTransition } from './report.ts';
import {
  DEFAULT_CONFIG,
  type Effect,
  type Input,
  initialState,
  type MachineConfig,
  type Output,
  phaseOf,
  type ReflectorPhase,
  type State,
} from './state.ts';
import { step } from './step.ts';

export type DataEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Receives the state. All calls are synchronous and in order. */
export interface ReflectorSink<T extends KubernetesObject> {
  /** Start to collect a complete state beside the current one; drop what was collected before. */
  begin(): void;
  collect(type: DataEventType, object: Stored<T>): void;
  /** Drop what was collected. */
  discard(): void;
  /** The collected objects become the state at `version`. */
  replace(version: string, byWatchList: boolean): void;
  /** One change. The state is at `version` after it. */
  apply(type: DataEventType, object: Stored<T>, version: string): void;
  /** Nothing changed up to `version`. */
  progress(version: string): void;
}

/** Tunable settings with their defaults. */
export interface ReflectorTuning extends Partial<MachineConfig> {
  readonly backoff?: BackoffOptions;
  /**
   * Idle time after which a connection is considered dead. Servers send a bookmark about every 60 s; use `Infinity`
   * for an API server that sends none.
   */
  readonly idleTimeoutMs?: number;
}

export interface ReflectorOptions<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly api: ReflectorApi<T>;
  readonly sink: ReflectorSink<T>;
  readonly observer?: ReflectorObserver | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  readonly tuning?: ReflectorTuning | undefined;
}

const IDLE_TIMEOUT_MS = 70_000;
const WARN_WITHOUT_END_MS = 10_000;
/** Watches end after 5 to 10 minutes, so that they spread over the servers again. */
const WATCH_SECONDS = { least: 300, spread: 300 };

type Iteration<T extends KubernetesObject> = IteratorResult<WatchEvent<T>>;
type Events<T extends KubernetesObject> = AsyncIterator<WatchEvent<T>, undefined, TakesEvent<T> | undefined>;

export class Reflector<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #config: MachineConfig;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #idleMs: number;
  #state: State;
  #running = false;
  #lastReceived: number | undefined;
  #exchange: Exchange | undefined;
  #events: Events<T> | undefined;
  #endWarning: Timer | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    const { backoff: _, idleTimeoutMs, ...machine } = options.tuning ?? {};
    this.#config = { ...DEFAULT_CONFIG, ...machine };
    this.#idleMs = idleTimeoutMs ?? IDLE_TIMEOUT_MS;
    this.#state = initialState(this.#config);
  }

  get phase(): ReflectorPhase {
    return phaseOf(this.#state);
  }

  /** Idle timeouts in a row. */
  get stalls(): number {
    return this.#state.memory.stalls;
  }

  /** Monotonic time at which something was last received. */
  get lastReceived(): number | undefined {
    return this.#lastReceived;
  }

  /** Runs until the signal aborts. Can be called again afterwards, and then continues from the sink's state. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new TypeError(`The reflector of ${this.#name} already runs`);
    this.#running = true;
    this.#state = initialState(this.#config, this.#state.memory.version);
    const backoff = new Backoff(this.#clock, this.#random, this.#options.tuning?.backoff);
    const stop = (): void => this.#exchange?.end();
    signal.addEventListener('abort', stop, { once: true });
    try {
      let input: Input<T> | undefined = { type: 'go', at: this.#clock.monotonic() };
      while (input && !signal.aborted) {
        const effect = this.#take(input);
        forget(input);
        if (signal.aborted) break;
        input = await this.#perform(effect, backoff, signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#hangUp();
      this.#options.sink.discard();
      this.#running = false;
    }
  }

  #take(input: Input<T>): Effect {
    const before = this.#state;
    const transition = step(this.#config, before, input);
    this.#state = transition.state;
    reportTransition(this.#options, before, transition);
    if (transition.output) this.#deliver(transition.output);
    return transition.effect;
  }

  #deliver(output: Output<T>): void {
    const { sink } = this.#options;
    switch (output.type) {
      case 'begin':
        sink.begin();
        break;
      case 'collect':
        sink.collect(output.event.type, output.event.object);
        break;
      case 'discard':
        sink.discard();
        break;
      case 'replace':
        this.#endWarning?.cancel();
        sink.replace(output.version, output.byWatchList);
        break;
      case 'apply':
        sink.apply(output.event.type, output.event.object, output.version);
        break;
      case 'progress':
        sink.progress(output.version);
        break;
    }
  }

  /** The outcome as an input; `undefined` if the signal ended it. */
  async #perform(effect: Effect, backoff: Backoff, signal: AbortSignal): Promise<Input<T> | undefined> {
    switch (effect.type) {
      case 'receive':
        return this.#receive();
      case 'list':
        return this.#list(effect.request);
      case 'watch':
        return this.#open(effect.resourceVersion, effect.initial);
      case 'wait':
        this.#hangUp();
        await sleep(this.#clock, backoff.next(effect.retryAfterMs), signal).catch(() => {});
        return { type: 'go', at: this.#clock.monotonic() };
    }
  }

  async #list(request: Parameters<ReflectorApi<T>['listPage']>[0]): Promise<Input<T> | undefined> {
    const { api, sink } = this.#options;
    const exchange = this.#begin();
    const onItem = (item: Stored<T>): void => {
      // An abandoned request may still have buffered items.
      if (exchange !== this.#exchange) return;
      this.#touch(exchange);
      if (this.#isObject(item)) sink.collect('ADDED', item);
    };
    const outcome = await exchange.guard(attempt(() => api.listPage(request, onItem, exchange.signal)));
    if (outcome.type !== 'done') return this.#unfinished(outcome);
    this.#touch(exchange);
    return { type: 'page', meta: outcome.value, at: this.#clock.monotonic() };
  }

  async #open(resourceVersion: string, initial: boolean): Promise<Input<T> | undefined> {
    const { api } = this.#options;
    const exchange = this.#begin();
    const timeoutSeconds = WATCH_SECONDS.least + Math.floor(WATCH_SECONDS.spread * this.#random());
    const request = { resourceVersion, timeoutSeconds };
    if (initial)
      this.#endWarning = this.#clock.setTimeout(() => this.#warnOfMissingEnd(), WARN_WITHOUT_END_MS);
    const outcome = await exchange.guard(
      attempt(() =>
        initial ? api.watchList(request, exchange.signal) : api.watch(request, exchange.signal),
      ),
    );
    if (outcome.type !== 'done') return this.#unfinished(outcome);
    this.#events = outcome.value[Symbol.asyncIterator]();
    exchange.touch();
    return { type: 'opened', at: this.#clock.monotonic() };
  }

  async #receive(): Promise<Input<T> | undefined> {
    const exchange = this.#exchange;
    const events = this.#events;
    if (!exchange || !events) throw new TypeError('There is no open stream to receive from');
    const takes = this.#state.name === 'watch-listing' ? this.#collecting(exchange) : undefined;
    for (;;) {
      const outcome: Outcome<Iteration<T>> = await exchange.guard(attempt(() => events.next(takes)));
      if (outcome.type !== 'done') return this.#unfinished(outcome);
      const at = this.#clock.monotonic();
      if (outcome.value.done) return { type: 'closed', at };
      this.#touch(exchange);
      const event = outcome.value.value;
      if (event.type === 'BOOKMARK' || this.#isObject(event.object)) return { type: 'event', event, at };
    }
  }

  /** The objects of a watch-list need no decision: like the items of a list they go to the sink directly. */
  #collecting(exchange: Exchange): TakesEvent<T> {
    const { sink } = this.#options;
    return (event) => {
      const { name, memory } = this.#state;
      if (event.type === 'BOOKMARK' || name !== 'watch-listing' || memory.stalls > 0) return false;
      // An abandoned request may still have buffered events.
      if (exchange !== this.#exchange) return true;
      this.#touch(exchange);
      if (!this.#isObject(event.object)) return true;
      try {
        sink.collect(event.type, event.object);
        return true;
      } catch {
        // Collected once more outside of the request: a sink that throws is no failure of the server.
        return false;
      }
    };
  }

  #unfinished(outcome: Exclude<Outcome<unknown>, { type: 'done' }>): Input<T> | undefined {
    const at = this.#clock.monotonic();
    if (outcome.type === 'stopped') return undefined;
    if (outcome.type === 'idle') return { type: 'idle', at };
    return { type: 'failed', failure: failureFrom(outcome.error), at };
  }

  #touch(exchange: Exchange): void {
    exchange.touch();
    this.#lastReceived = this.#clock.monotonic();
  }

  #isObject(object: Stored<T>): boolean {
    const reason = this.#options.api.reject(object);
    if (reason === undefined) return true;
    this.#options.observer?.malformed?.(reason);
    this.#options.logger?.error(`Skipped a value that is no object of ${this.#name}: ${reason}`);
    return false;
  }

  #begin(): Exchange {
    this.#hangUp();
    this.#exchange = new Exchange(this.#clock, this.#idleMs);
    return this.#exchange;
  }

  #hangUp(): void {
    this.#endWarning?.cancel();
    this.#exchange?.end();
    this.#exchange = undefined;
    const events = this.#events;
    this.#events = undefined;
    // The request was already aborted; this only lets a generator run its `finally`. Its errors concern an abandoned
    // stream.
    void attempt(async () => events?.return?.()).catch(() => {});
  }

  #warnOfMissingEnd(): void {
    this.#options.logger?.warn(
      `The initial state of ${this.#name} is not complete after ${WARN_WITHOUT_END_MS / 1000} s: waiting for the end mark of the watch-list`,
    );
  }

  get #name(): string {
    return resourceName(this.#options.type);
  }
}

/**
 * A suspended frame keeps its last values alive, even in a register that is no longer read: for minutes that would be
 * a whole Secret. So the event drops its object.
 */
function forget<T extends KubernetesObject>(input: Input<T>): void {
  if (input.type === 'event' && input.event.type !== 'BOOKMARK') {
    (input.event as { object: Stored<T> | undefined }).object = undefined;
  }
}

/** Also turns a synchronous throw into a rejection. */
async function attempt<R>(work: () => Promise<R>): Promise<R> {
  return work();
}
