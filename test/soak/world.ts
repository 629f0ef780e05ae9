/**
 * A cluster with an operator on one virtual clock, for runs that are too long to keep their history. Nothing in this
 * harness grows, so any growth is a leak of the operator or of minicluster.
 */
import {
  type ApiRequest,
  type ApiResponse,
  ConnectionLostError,
  type Minicluster,
  type Sink,
  startMinicluster,
} from '@reloader/minicluster';
import { type Client, createClient, kinds, managedCertificates } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { inProcessTransport } from '../../packages/minicluster/src/server/in-process.ts';
import { podConfigMapConfigCrd } from '../../packages/operator/src/crds/pod-config-map-config.ts';
import { installDefinitions } from '../reloader/definitions.ts';
import { permitAccount } from '../reloader/permissions.ts';
import { VirtualOperator } from '../reloader/virtual-operator.ts';
import { CountedClock } from './counted.ts';
import { OPERATOR_NAMESPACE as NAMESPACE, SOAK_PERMISSIONS } from './permissions.ts';

/** Like kube-apiserver's `--event-ttl`. */
const EVENT_TTL_MS = 3_600_000;
/** A certificate of six hours is renewed after four. */
const CERTIFICATE_DAYS = 0.25;
const READY_WITHIN_MS = 60_000;

export class SoakWorld {
  readonly clock: VirtualClock;
  readonly cluster: Minicluster;
  readonly client: Client;
  readonly operator: VirtualOperator;
  /** The number of new serving certificates that were loaded. */
  renewals = 0;
  /** The number of watches that the operator has opened so far. */
  watchesOpened = 0;
  readonly #serverClock: CountedClock;
  readonly #streams = new Set<Sink>();
  readonly #stop = new AbortController();
  readonly #certificates: Promise<void>;

  static async begin(seed: number): Promise<SoakWorld> {
    const clock = new VirtualClock();
    const serverClock = new CountedClock(clock);
    const cluster = await startMinicluster({ clock: serverClock, seed });
    const client = createClient({ transport: cluster.transport(), clock, fieldManager: 'user' });
    await installDefinitions(client);
    await client.create(kinds.CustomResourceDefinition, podConfigMapConfigCrd);
    await client.create(kinds.Namespace, { metadata: { name: NAMESPACE } });
    await permitAccount(client, NAMESPACE, 'reloader', SOAK_PERMISSIONS);
    await clock.advance(1_000);
    const world = new SoakWorld({ clock, serverClock, cluster, client, seed });
    for (let waited = 0; !(await world.operator.ready()); waited += 100) {
      if (waited > READY_WITHIN_MS)
        throw new Error(`The operator is not ready:\n${world.operator.logText()}`);
      await clock.advance(100);
    }
    return world;
  }

  private constructor({
    clock,
    serverClock,
    cluster,
    client,
    seed,
  }: Pick<SoakWorld, 'clock' | 'cluster' | 'client'> & { serverClock: CountedClock; seed: number }) {
    this.clock = clock;
    this.#serverClock = serverClock;
    this.cluster = cluster;
    this.client = client;
    const user = `system:serviceaccount:${NAMESPACE}:reloader`;
    cluster.addToken('soak', { name: user, groups: ['system:serviceaccounts'] });
    this.operator = new VirtualOperator({
      clock,
      transport: inProcessTransport((request) => this.#answer(request), { token: 'soak' }),
      namespace: NAMESPACE,
      name: 'reloader',
      user,
      number: 1,
      seed,
      args: ['--controllers=reloader,podconfig', '--leader-elect', '--verify=true'],
      keepLog: 'error',
    });
    this.#certificates = this.#rotate();
  }

  /** The number of pending timers of the operator. */
  get timers(): number {
    return this.clock.pendingTimers - this.#serverClock.pendingTimers;
  }

  /** The number of open watches of the operator. */
  get openWatches(): number {
    return this.#streams.size;
  }

  /** Breaks every watch, and none can resume: the server has compacted its history. */
  expireWatches(): void {
    this.cluster.store.compact();
    for (const sink of this.#streams) sink.fail(new ConnectionLostError('The connection broke'));
    this.#streams.clear();
  }

  /** kube-apiserver lets Events expire; minicluster keeps them. */
  expireEvents(): void {
    const { store } = this.cluster;
    for (const resource of ['events', 'events.events.k8s.io']) {
      const events = store.now(resource);
      for (const key of events.keys('')) {
        const age = this.clock.now() - Date.parse(String(events.get(key)?.metadata.creationTimestamp));
        if (age > EVENT_TTL_MS) store.remove(resource, key);
      }
    }
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#certificates;
    await this.operator.stop();
    await this.cluster.stop();
    await this.clock.settle();
  }

  async #rotate(): Promise<void> {
    const { clock, client } = this;
    const source = managedCertificates({
      client,
      clock,
      secret: { namespace: NAMESPACE, name: 'webhook-certificates' },
      service: { namespace: NAMESPACE, name: 'reloader' },
      configurations: [],
      authorityDays: 4 * CERTIFICATE_DAYS,
      servingDays: CERTIFICATE_DAYS,
    });
    await source.first(this.#stop.signal);
    await source.watch(() => {
      this.renewals += 1;
    }, this.#stop.signal);
  }

  async #answer(request: ApiRequest): Promise<ApiResponse> {
    const answer = await this.cluster.handler(request);
    const { body } = answer;
    if (!('open' in body)) return answer;
    this.watchesOpened += 1;
    const open = (sink: Sink): (() => void) => {
      // One object for the set, whichever way the stream ends.
      const own: Sink = {
        ...sink,
        write: (chunk) => sink.write(chunk),
        end: () => {
          this.#streams.delete(own);
          sink.end();
        },
        fail: (error) => {
          this.#streams.delete(own);
          sink.fail(error);
        },
      };
      this.#streams.add(own);
      const stop = body.open(own);
      return () => {
        this.#streams.delete(own);
        stop();
      };
    };
    return { ...answer, body: { open } };
  }
}
