/** An operator in this process, on the stage's clock: the whole product but its sockets and its command line's exit. */
import type { InProcessTransport } from '@reloader/minicluster';
import { createClient, createElector, createRegistry, type Metrics } from '@reloader/runtime';
import { createCapturingLogger, createRandom, type VirtualClock } from '@reloader/runtime/testing';
import { createOperator } from '../../packages/operator/src/operator.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import type { LogLine, Operator } from './stage.ts';

export interface VirtualOperatorOptions {
  readonly clock: VirtualClock;
  readonly transport: InProcessTransport;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  /** Each start has its own random numbers. */
  readonly number: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Longer than any grace period of the manager. */
const STOP_MS = 60_000;

export class VirtualOperator implements Operator {
  readonly namespace: string;
  readonly user: string;
  failure: string | undefined;
  readonly #clock: VirtualClock;
  readonly #captured = createCapturingLogger('debug');
  readonly #registry: Metrics = createRegistry();
  readonly #kill = new AbortController();
  readonly #stop = new AbortController();
  readonly #operator: Awaited<ReturnType<typeof createOperator>>;
  #ended = false;

  constructor(options: VirtualOperatorOptions) {
    const { clock, namespace, name, user, transport } = options;
    this.namespace = namespace;
    this.user = user;
    this.#clock = clock;
    const random = createRandom(options.number);
    const dead = this.#kill.signal;
    const client = createClient({
      transport: {
        ...transport,
        request: (request) => (dead.aborted ? Promise.reject(dead.reason) : transport.request(request)),
      },
      clock,
      random: () => random.next(),
      userAgent: 'reloader-operator/test',
      fieldManager: 'Reloader',
      logger: this.#captured.logger,
    });
    const settings = parseSettings([...options.args], {
      POD_NAMESPACE: namespace,
      POD_NAME: name,
      RELOADER_NAMESPACE: namespace,
      RELOADER_DEPLOYMENT_NAME: 'reloader',
      ...options.env,
    });
    const { logger } = this.#captured;
    const { election } = settings;
    const identity = `${name}-${options.number}`;
    const elector =
      election &&
      createElector({ client, lease: election.lease, identity, clock, logger, random: () => random.next() });
    this.#operator = createOperator({
      client,
      settings,
      clock,
      logger,
      metrics: this.#registry,
      ...(elector && { elector }),
    });
    this.#operator.run(this.#stop.signal).then(
      () => this.#end(undefined),
      (error: unknown) => this.#end(error),
    );
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

  async stop(): Promise<void> {
    this.#stop.abort(new Error('stopped'));
    for (let waited = 0; !this.#ended && waited < STOP_MS; waited += 100) await this.#clock.advance(100);
    if (!this.#ended) throw new Error('The operator did not end when it was told to');
    if (this.failure) throw new Error(`The operator ended with an error: ${this.failure}`);
  }

  async kill(): Promise<void> {
    this.#kill.abort(new Error('killed'));
    this.#stop.abort(new Error('killed'));
    await this.#clock.settle();
  }

  #end(error: unknown): void {
    this.#ended = true;
    if (error !== undefined && !this.#kill.signal.aborted) this.failure = String(error);
  }
}
