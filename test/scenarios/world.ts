/**
 * A small world under a virtual clock: a minicluster with injected faults, a user who edits, and an operator process
 * that can be killed and restarted. Nothing in it uses sockets or real time, so a seed determines the run.
 */
import {
  createFaults,
  type FaultInjector,
  type FaultOptions,
  History,
  startMinicluster,
} from '@reloader/minicluster';
import { createClient } from '@reloader/runtime';
import { createCapturingLogger, createRandom, VirtualClock } from '@reloader/runtime/testing';
import { INDEX, NAMESPACE, runOperator } from './copy-operator.ts';

const CONFIG_MAPS = { group: '', plural: 'configmaps' };

export interface WorldOptions {
  readonly seed: number;
  readonly faults?: Omit<FaultOptions, 'clock' | 'seed'>;
  readonly watchList?: boolean;
}

/** The user agent of the operator's requests; those of the user are never hit by faults. */
const OPERATOR_AGENT = 'scenario-operator/1';

export class World {
  readonly clock: VirtualClock;
  readonly history: History;
  readonly faults: FaultInjector;
  readonly #cluster: Awaited<ReturnType<typeof startMinicluster>>;
  readonly #seed: number;
  readonly #captured = createCapturingLogger();
  #process: { readonly kill: AbortController; readonly ended: Promise<void> } | undefined;
  #starts = 0;

  static async create(options: WorldOptions): Promise<World> {
    const clock = new VirtualClock();
    const history = new History(clock);
    const faults = createFaults({
      clock,
      seed: options.seed,
      only: ({ headers }) => headers['user-agent'] === OPERATOR_AGENT,
      ...options.faults,
    });
    const cluster = await startMinicluster({
      clock,
      seed: options.seed,
      features: { watchList: options.watchList ?? true },
      middleware: [history.middleware, faults.middleware],
    });
    history.follow(cluster.store);
    return new World(options, clock, history, faults, cluster);
  }

  private constructor(
    options: WorldOptions,
    clock: VirtualClock,
    history: History,
    faults: FaultInjector,
    cluster: Awaited<ReturnType<typeof startMinicluster>>,
  ) {
    this.#seed = options.seed;
    this.clock = clock;
    this.history = history;
    this.faults = faults;
    this.#cluster = cluster;
  }

  get replica() {
    return this.#cluster.replica;
  }

  get revision(): number {
    return this.#cluster.store.revision;
  }

  /** Starts an operator process; only one runs at a time. */
  startOperator(): void {
    const kill = new AbortController();
    const random = createRandom(this.#seed * 1000 + ++this.#starts);
    const transport = this.#cluster.transport();
    const client = createClient({
      transport: {
        ...transport,
        request: (request) =>
          kill.signal.aborted ? Promise.reject(kill.signal.reason) : transport.request(request),
      },
      clock: this.clock,
      random: () => random.next(),
      userAgent: OPERATOR_AGENT,
      fieldManager: 'copies',
      logger: this.#captured.logger,
    });
    const options = { client, clock: this.clock, random: () => random.next(), logger: this.#captured.logger };
    const ended = runOperator(options, kill.signal).catch((error: unknown) => {
      if (!kill.signal.aborted) throw error;
    });
    this.#process = { kill, ended };
  }

  /** As SIGKILL does: the process sends nothing more. */
  killOperator(): void {
    this.#process?.kill.abort(new Error('killed'));
    this.#process = undefined;
  }

  write(name: string, data: Record<string, string>): void {
    const key = { namespace: NAMESPACE, name };
    const live = this.#cluster.api.get(CONFIG_MAPS, key);
    if (live) this.#cluster.api.update(CONFIG_MAPS, { ...live, data });
    else {
      const metadata = { ...key, labels: { copy: 'yes' } };
      this.#cluster.api.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    }
  }

  remove(name: string): void {
    this.#cluster.api.delete(CONFIG_MAPS, { namespace: NAMESPACE, name });
  }

  data(name: string): Record<string, string> | undefined {
    return this.#cluster.api.get(CONFIG_MAPS, { namespace: NAMESPACE, name })?.data as
      | Record<string, string>
      | undefined;
  }

  /** The state that a user can see at the end: contents and counts, without versions and identities. */
  state(): Record<string, unknown> {
    const maps = this.#cluster.api
      .list(CONFIG_MAPS, NAMESPACE)
      .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
      .map(({ metadata, data }) => [
        metadata.name,
        {
          data: metadata.name === INDEX.name ? Object.keys((data as object | undefined) ?? {}).sort() : data,
          finalizers: metadata.finalizers ?? [],
          owners: (metadata.ownerReferences ?? []).map(({ name }) => name),
        },
      ]);
    return Object.fromEntries(maps);
  }

  get writes(): number {
    return this.faults.writes;
  }

  get log(): readonly string[] {
    return this.#captured.entries.map(
      ({ level, message, values }) => `${level} ${message} ${JSON.stringify(values)}`,
    );
  }

  async stop(): Promise<void> {
    const process = this.#process;
    this.killOperator();
    await this.clock.settle();
    await process?.ended;
    await this.#cluster.stop();
  }
}
