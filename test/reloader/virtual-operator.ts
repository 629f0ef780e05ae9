/**
 * An operator in this process, on the stage's clock: the whole product except sockets and the exit of the command. It
 * can be killed at any request, and take part in an election.
 */
import { getEventListeners } from 'node:events';
import {
  type Client,
  type Clock,
  createClient,
  createElector,
  createRegistry,
  type LeaseElector,
  type LogLevel,
  type Metrics,
  type Transport,
} from '@reloader/runtime';
import {
  type CapturingLogger,
  createCapturingLogger,
  createRandom,
  type Random,
  type VirtualClock,
} from '@reloader/runtime/testing';
import { createOperator } from '../../packages/operator/src/operator.ts';
// The operator loads this module on demand. Reading it from disk then would take real time, and the first storm of a
// process would differ from later runs of the same seed.
import '../../packages/operator/src/podconfig/controller.ts';
import { watchLeadership } from '../../packages/operator/src/server/leadership.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import { inlineRenderer } from '../../packages/operator/src/template/renderer.ts';
import { inlineChecker } from '../../packages/operator/src/validate/checker.ts';
import type { LogLine, Operator } from './stage.ts';

export interface VirtualOperatorOptions {
  readonly clock: VirtualClock;
  /** This operator's connection to the server. */
  readonly transport: Transport;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  /** Unique for each process. */
  readonly number: number;
  /** Seed of its random numbers. */
  readonly seed: number;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The lowest level of the log lines that are kept; `debug` by default. */
  readonly keepLog?: LogLevel;
  /** Milliseconds by which its clock is ahead of the server's. */
  readonly skewMs?: number;
  /** Called when it has exited without being killed or stopped. */
  readonly onEnd?: (operator: VirtualOperator) => void;
}

export interface PendingChange {
  readonly workload: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly why: string;
  readonly change: string | undefined;
}

/** Longer than any grace period of the manager. */
const STOP_MS = 60_000;

export class VirtualOperator implements Operator {
  readonly namespace: string;
  readonly user: string;
  readonly name: string;
  readonly number: number;
  failure: string | undefined;
  /** Milliseconds since the epoch; undefined while it runs. */
  diedAt: number | undefined;
  readonly #clock: VirtualClock;
  readonly #captured: CapturingLogger;
  readonly #registry: Metrics = createRegistry();
  readonly #kill = new AbortController();
  readonly #stop = new AbortController();
  readonly #operator: ReturnType<typeof createOperator>;
  #ended = false;

  constructor(options: VirtualOperatorOptions) {
    const { namespace, name, user, number, skewMs = 0 } = options;
    const clock = options.clock.skewed({ rate: 1, offsetMs: skewMs });
    this.namespace = namespace;
    this.name = name;
    this.user = user;
    this.number = number;
    this.#clock = options.clock;
    this.#captured = createCapturingLogger(options.keepLog ?? 'debug', options.clock);
    const random = createRandom(options.seed);
    const { logger } = this.#captured;
    const metrics = this.#registry;
    const settings = parseSettings([...options.args], {
      POD_NAMESPACE: namespace,
      POD_NAME: name,
      RELOADER_NAMESPACE: namespace,
      RELOADER_DEPLOYMENT_NAME: 'reloader',
      ...options.env,
    });
    const client = this.#connect(options, clock, random);
    const elector =
      settings.election &&
      createElector({
        client: this.#connect(options, clock, random),
        lease: settings.election.lease,
        identity: `${name}_${number}`,
        clock,
        random: () => random.next(),
        logger,
        metrics,
      });
    this.#operator = createOperator({
      templates: inlineRenderer,
      contents: inlineChecker,
      client,
      settings,
      clock,
      logger,
      metrics,
      ...(elector && partsOf(elector)),
    });
    this.#operator.run(this.#stop.signal).then(
      () => this.#end(undefined, options),
      (error: unknown) => this.#end(error, options),
    );
  }

  /** A dead operator sends nothing more. */
  get isDead(): boolean {
    return this.diedAt !== undefined;
  }

  /** How many parts of it listen for its end: a leak check. */
  get listeners(): number {
    return getEventListeners(this.#stop.signal, 'abort').length;
  }

  get log(): readonly LogLine[] {
    return this.#captured.entries;
  }

  logText(): string {
    return this.log
      .map(({ level, message, values }) => `${level} ${message} ${JSON.stringify(values)}\n`)
      .join('');
  }

  async metrics(): Promise<string> {
    return this.#registry.render();
  }

  async ready(): Promise<boolean> {
    if (this.#ended) throw new Error(`The operator ended: ${this.failure ?? 'without an error'}`);
    return this.#operator.ready();
  }

  /** Pending changes, as `reloader status` shows them; none unless it leads. */
  async pending(): Promise<readonly PendingChange[]> {
    if (this.#ended) return [];
    const { pending = [] } = (await this.#operator.operatorView()?.status()) ?? {};
    return pending.map(({ workload, wait }) => ({ workload, why: wait.why, change: wait.change }));
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopped'));
    for (let waited = 0; !this.#ended && waited < STOP_MS; waited += 100) await this.#clock.advance(100);
    if (!this.#ended) throw new Error('The operator did not end when it was told to');
    if (this.failure) throw new Error(`The operator ended with an error: ${this.failure}`);
  }

  async kill(): Promise<void> {
    this.strike();
    await this.#clock.settle();
  }

  /** Kills it at once, in the middle of any work. */
  strike(): void {
    this.diedAt ??= this.#clock.now();
    this.#kill.abort(new Error('killed'));
    this.#stop.abort(new Error('killed'));
  }

  #connect({ transport }: VirtualOperatorOptions, clock: Clock, random: Random): Client {
    const dead = this.#kill.signal;
    return createClient({
      transport: {
        request: (request) => (dead.aborted ? Promise.reject(dead.reason) : transport.request(request)),
        close: () => transport.close(),
      },
      clock,
      random: () => random.next(),
      userAgent: 'reloader-operator/test',
      fieldManager: 'Reloader',
      logger: this.#captured.logger,
    });
  }

  #end(error: unknown, { onEnd }: VirtualOperatorOptions): void {
    this.#ended = true;
    this.diedAt ??= this.#clock.now();
    if (this.#kill.signal.aborted) return;
    if (error !== undefined) this.failure = String(error);
    if (!this.#stop.signal.aborted) onEnd?.(this);
  }
}

function partsOf(elector: LeaseElector): {
  elector: LeaseElector;
  leadership: ReturnType<typeof watchLeadership>;
} {
  return { elector, leadership: watchLeadership(elector) };
}
