/**
 * Three replicas of an operator, one API server, a network with faults, all on one virtual clock.
 *
 * In: seeded randomness and faults. Out: the history of writes as the server carried them out, and who led when.
 * Replicas elect a leader over the Lease; the leader writes through its fence at a given rate, and keeps trying after
 * it lost the Lease, as a careless program would.
 */
import { abortable } from '../client/abort.ts';
import type { Client } from '../client/client.ts';
import { ConnectionError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { type Clock, sleep, type Timer } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { KubernetesObject } from '../model/types.ts';
import { MemoryClient } from '../objects/memory-client.test.support.ts';
import type { Random } from '../testing/random.ts';
import { createElector, type LeaseElector } from './elector.ts';
import { FenceError, fencedClient } from './fence.ts';

const LEASE = { namespace: 'system', name: 'operator' };
const TARGETS: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const TARGET = { namespace: 'system', name: 'work' };

export interface Write {
  readonly replica: string;
  readonly epoch: number;
  readonly sentAt: number;
  /** Undefined if it never reached the server. */
  appliedAt?: number;
}

export interface Election {
  readonly at: number;
  readonly identity: string;
  readonly epoch: number;
}

/** A machine's clock that can be paused from outside: time passes, but nothing on the machine runs. */
class MachineClock implements Clock {
  readonly #base: Clock;
  #held: { callback: () => void }[] = [];
  #paused = false;

  constructor(base: Clock) {
    this.#base = base;
  }
  now = (): number => this.#base.now();
  monotonic = (): number => this.#base.monotonic();

  setTimeout(callback: () => void, ms: number): Timer {
    const entry = { callback };
    const timer = this.#base.setTimeout(() => (this.#paused ? this.#held.push(entry) : callback()), ms);
    return {
      cancel: () => {
        timer.cancel();
        this.#held = this.#held.filter((held) => held !== entry);
      },
    };
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (const entry of [...this.#held]) {
      if (!this.#held.includes(entry)) continue;
      this.#held = this.#held.filter((held) => held !== entry);
      entry.callback();
    }
  }

  /** Resolves when code of this machine can run. */
  awake(): Promise<void> {
    return this.#paused ? new Promise((callback) => this.#held.push({ callback })) : Promise.resolve();
  }
}

export interface Link {
  down: false | 'silent' | 'refusing';
  /** Whether only the Lease's connection is affected, or all. */
  scope: 'all' | 'lease';
  /** Extra latency of Lease requests, in each direction. */
  leaseDelay: { readonly there: number; readonly back: number };
}

export class Replica {
  readonly clock: MachineClock;
  readonly link: Link;
  elector: LeaseElector;
  stop = new AbortController();
  lost = 0;
  refused = 0;
  readonly #cluster: Cluster;
  readonly #name: string;
  #incarnation = 0;

  constructor(cluster: Cluster, name: string, rate: number) {
    this.#cluster = cluster;
    this.#name = name;
    this.clock = new MachineClock(
      cluster.clock.skewed({ rate, offsetMs: Math.floor(cluster.random() * 1e9) }),
    );
    this.link = { down: false, scope: 'all', leaseDelay: { there: 0, back: 0 } };
    this.elector = this.start();
  }

  /** A new process on this machine, as when a kubelet restarts a container. */
  start(): LeaseElector {
    const identity = `${this.#name}-${++this.#incarnation}`;
    const { random, clock } = this.#cluster;
    const client = this.#cluster.remote(this, identity);
    const elector = createElector({ client, lease: LEASE, identity, clock: this.clock, random });
    this.elector = elector;
    this.stop = new AbortController();
    const onStartedLeading = (): void => {
      const epoch = elector.fence()?.epoch ?? -1;
      this.#cluster.elections.push({ at: clock.monotonic(), identity, epoch });
      void this.#work(client, elector);
    };
    elector.run(this.stop.signal, { onStartedLeading }).catch(async () => {
      this.lost++;
      await sleep(this.clock, 1_000 + random() * 4_000);
      this.start();
    });
    return elector;
  }

  /** Writes, and keeps trying for a while after it lost the Lease, as a careless program would. */
  async #work(client: Client, elector: LeaseElector): Promise<void> {
    const fenced = fencedClient(client, elector, this.clock);
    const epoch = elector.fence()?.epoch;
    const body = { metadata: { annotations: { epoch: `${epoch}` } } };
    for (let afterLoss = 0; afterLoss < 50; afterLoss += elector.isLeader ? 0 : 1) {
      try {
        await fenced.patch(TARGETS, TARGET, { type: 'merge', body });
      } catch (error) {
        if (error instanceof FenceError) this.refused++;
      }
      await sleep(this.clock, this.#cluster.random() * this.#cluster.workPauseMs);
    }
  }
}

export interface ClusterOptions {
  readonly random: Random;
  /** Clock rates of the replicas. Default 1 for all three. */
  readonly rates?: readonly number[];
  readonly workPauseMs?: number;
}

export class Cluster {
  readonly clock = new VirtualClock();
  readonly random: () => number;
  readonly server = new MemoryClient();
  readonly writes: Write[] = [];
  readonly elections: Election[] = [];
  /** When each process sent its last Lease write that the server carried out. */
  readonly renewedAt = new Map<string, number>();
  readonly replicas: Replica[];
  readonly workPauseMs: number;

  constructor(options: ClusterOptions) {
    this.random = options.random.next;
    this.workPauseMs = options.workPauseMs ?? 1_000;
    this.server.seed(TARGETS, { metadata: TARGET });
    this.replicas = (options.rates ?? [1, 1, 1]).map(
      (rate, index) => new Replica(this, 'abc'[index] ?? '?', rate),
    );
  }

  get leader(): Replica {
    const last = this.elections.at(-1);
    const found = this.replicas.find(({ elector }) => elector.identity === last?.identity);
    if (!found) throw new Error('No replica leads');
    return found;
  }

  /** Runs until a new leader is elected; returns it, and how long that took. */
  async nextLeader(limitMs: number): Promise<number> {
    const before = this.elections.length;
    return this.clock.runUntil(() => this.elections.length > before, limitMs);
  }

  /** Cuts the leader off: silently or with refusals, from everything or from the Lease alone. */
  cut(replica: Replica): void {
    replica.link.down = this.random() < 0.5 ? 'silent' : 'refusing';
    replica.link.scope = this.random() < 0.5 ? 'all' : 'lease';
  }

  /** The server as seen by one process on `replica`: its Lease over one connection, its work over another. */
  remote(replica: Replica, identity: string): Client {
    const { server, link } = { server: this.server, link: replica.link };
    const lease = <T>(signal: AbortSignal | undefined, carryOut: () => Promise<T>): Promise<T> =>
      this.#call(replica, 'lease', signal, link.leaseDelay, carryOut);
    const leaseWrite = <T>(signal: AbortSignal | undefined, carryOut: () => Promise<T>): Promise<T> => {
      const sentAt = this.clock.monotonic();
      return lease(signal, async () => {
        const result = await carryOut();
        this.renewedAt.set(identity, sentAt);
        return result;
      });
    };
    return Object.assign(Object.create(server) as MemoryClient, {
      get: ((type, key, options) => lease(options?.signal, () => server.get(type, key))) as Client['get'],
      create: ((type, object, options) =>
        leaseWrite(options?.signal, () => server.create(type, object))) as Client['create'],
      update: ((type, object, options) =>
        leaseWrite(options?.signal, () => server.update(type, object))) as Client['update'],
      patch: ((type, key, patch, options) => {
        const body = patch.type === 'json' ? undefined : (patch.body as KubernetesObject);
        const epoch = Number(body?.metadata?.annotations?.epoch);
        const write: Write = { replica: identity, epoch, sentAt: this.clock.monotonic() };
        this.writes.push(write);
        // One in twenty hangs in a slow admission webhook.
        const there = this.random() < 0.05 ? this.random() * 9_000 : 0;
        return this.#call(replica, 'work', options?.signal, { there, back: 0 }, async () => {
          write.appliedAt = this.clock.monotonic();
          return server.get(type, key);
        });
      }) as Client['patch'],
    });
  }

  /** An abort cannot recall what is on the wire, but it ends requests that still wait inside the server. */
  async #call<T>(
    replica: Replica,
    scope: 'lease' | 'work',
    signal: AbortSignal | undefined,
    extra: Link['leaseDelay'],
    carryOut: () => Promise<T>,
  ): Promise<T> {
    const answer = (async () => {
      await this.#transit(replica.link, scope);
      await sleep(this.clock, extra.there, signal);
      const result = await carryOut();
      await this.#transit(replica.link, scope);
      await sleep(this.clock, extra.back, signal);
      return result;
    })();
    answer.catch(() => {});
    const outcome = signal ? abortable(answer, signal) : answer;
    await outcome.catch(() => {});
    await replica.clock.awake();
    return outcome;
  }

  async #transit(link: Link, scope: 'lease' | 'work'): Promise<void> {
    const cut = (): typeof link.down => (link.scope === 'all' || scope === 'lease' ? link.down : false);
    if (!cut()) await sleep(this.clock, 1 + this.random() * 39);
    if (cut() === 'refusing') throw new ConnectionError('connection refused');
    if (cut()) await new Promise(() => {});
  }
}

/**
 * Writes of an older epoch that were carried out after a newer epoch had begun to write: an election with a fence
 * must never allow them.
 */
export function overlaps(writes: readonly Write[]): string[] {
  const found: string[] = [];
  const began = new Map<number, number>();
  for (const { epoch, sentAt } of writes) began.set(epoch, Math.min(began.get(epoch) ?? Infinity, sentAt));
  for (const write of writes) {
    if (write.appliedAt === undefined) continue;
    for (const [epoch, at] of began) {
      if (epoch > write.epoch && at <= write.appliedAt) {
        found.push(
          `${write.replica} of epoch ${write.epoch} wrote at ${write.appliedAt} ms, epoch ${epoch} began at ${at} ms`,
        );
      }
    }
  }
  return found;
}
