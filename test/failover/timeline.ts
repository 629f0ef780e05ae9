/**
 * The history of a counter and of the Lease that guards it, in the order in which the server stored them.
 *
 * All resourceVersions of a server come from one sequence, so a write of the counter is before or after a change of the
 * Lease, independent of clocks. A write is legitimate while the Lease names its writer and its epoch.
 */
import {
  type Client,
  GoneError,
  type KubernetesObject,
  kinds,
  type ResourceType,
  type Stored,
  sleep,
  systemClock,
} from '@reloader/runtime';
import { poll } from '../control-plane/poll.ts';
import { COUNTER } from './contract.ts';

export interface Tick {
  readonly revision: number;
  readonly count: number;
  readonly writer: string;
  readonly epoch: number;
  /** When its writer began it, in milliseconds since the epoch. */
  readonly begun: number;
}

export interface Holding {
  readonly revision: number;
  /** Undefined after the Lease was released. */
  readonly holder: string | undefined;
  readonly epoch: number;
}

/** Writes by replicas that did not hold the Lease when the server stored them. */
export function overlapping(ticks: readonly Tick[], holdings: readonly Holding[]): Tick[] {
  return ticks.filter((tick) => {
    const holding = holdings.findLast(({ revision }) => revision < tick.revision);
    return holding?.holder !== tick.writer || holding.epoch !== tick.epoch;
  });
}

/** A process that was stopped, and when, in milliseconds since the epoch. */
export interface Stopped {
  readonly writer: string;
  readonly at: number;
}

/**
 * A write that its process had begun when it was stopped, and that left it when it went on: after the last check, a
 * request waits in the buffers of Node until the next turn of its event loop. No client can call it back, which is why
 * writes that must not be late need a precondition.
 */
export function wasUnderWay({ writer, begun }: Tick, stops: readonly Stopped[]): boolean {
  return stops.some((stopped) => stopped.writer === writer && begun <= stopped.at);
}

/** True if each write is one more than the one before: none was lost, none was based on an old read. */
export function isContiguous(ticks: readonly Tick[]): boolean {
  return ticks.every(({ count }, index) => index === 0 || count === (ticks[index - 1]?.count ?? 0) + 1);
}

export class Timeline {
  readonly ticks: Tick[] = [];
  readonly holdings: Holding[] = [];
  /** How often history was lost between two reads: only after an outage of the API server itself. */
  gaps = 0;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #stop = new AbortController();
  readonly #following: Promise<unknown>;

  constructor(client: Client, namespace: string, lease: string) {
    this.#client = client;
    this.#namespace = namespace;
    const onCounter = (map: Stored<kinds.ConfigMapObject>): void => {
      const { count, writer = '', epoch, begun } = map.data ?? {};
      if (count === undefined) return;
      this.ticks.push({
        revision: revisionOf(map),
        count: Number(count),
        writer,
        epoch: Number(epoch),
        begun: Number(begun),
      });
    };
    const onLease = (object: Stored<kinds.LeaseObject>): void => {
      const { holderIdentity, leaseTransitions = 0 } = object.spec ?? {};
      const holder = holderIdentity || undefined;
      this.holdings.push({ revision: revisionOf(object), holder, epoch: leaseTransitions });
    };
    this.#following = Promise.all([
      this.#follow(kinds.ConfigMap, COUNTER, onCounter),
      this.#follow(kinds.Lease, lease, onLease),
    ]);
  }

  get overlapping(): Tick[] {
    return overlapping(this.ticks, this.holdings);
  }

  /** Resolves when this many writes of this writer were seen. */
  async counted(writer: string, atLeast: number, timeout = 30_000): Promise<void> {
    const what = `${atLeast} writes of ${writer} to the counter`;
    const seen = () => this.ticks.filter((tick) => tick.writer === writer).length >= atLeast;
    await poll(seen, { what, timeout, every: 5 });
  }

  /** Resolves when everything that is stored now was seen. */
  async caughtUp(): Promise<void> {
    const key = { namespace: this.#namespace, name: COUNTER };
    const newest = revisionOf(await this.#client.get(kinds.ConfigMap, key));
    await poll(() => (this.ticks.at(-1)?.revision ?? 0) >= newest, {
      what: `the watch to show revision ${newest} of the counter`,
      timeout: 20_000,
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #follow<T extends KubernetesObject>(
    type: ResourceType<T>,
    name: string,
    onVersion: (object: Stored<T>) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    const selection = { namespace: this.#namespace, fieldSelector: `metadata.name=${name}`, signal };
    let seen = 0;
    let from: string | undefined;
    const see = (object: Stored<T>): void => {
      if (revisionOf(object) > seen) onVersion(object);
      seen = Math.max(seen, revisionOf(object));
    };
    while (!signal.aborted) {
      try {
        if (from === undefined) {
          const { metadata, items } = await this.#client.list(type, selection);
          items.forEach(see);
          from = metadata.resourceVersion ?? '';
        }
        const watch = await this.#client.watch(type, { ...selection, resourceVersion: from });
        for await (const event of watch) {
          if (event.type === 'BOOKMARK') continue;
          from = event.object.metadata.resourceVersion;
          see(event.object);
        }
      } catch (error) {
        if (error instanceof GoneError) {
          this.gaps += 1;
          from = undefined;
        }
        await sleep(systemClock, 50, signal).catch(() => undefined);
      }
    }
  }
}

function revisionOf(object: Stored<KubernetesObject>): number {
  return Number(object.metadata.resourceVersion);
}
