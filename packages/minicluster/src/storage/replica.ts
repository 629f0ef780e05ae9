/**
 * One front end of the cluster: the store as seen by a watch cache that may lag.
 *
 * In: the store's events. Out: reads and events up to this replica's own revision. Guarantees: a replica never goes
 * back, and delivers every event once and in order, however long it was held. Writes and consistent reads bypass it.
 */
import type { Snapshot } from './collection.ts';
import type { StoredEvent } from './event-log.ts';
import type { Store } from './store.ts';

export interface WatchTarget {
  onEvent(event: StoredEvent): void;
  /** Events that this watch would need have expired. */
  onLost(): void;
}

interface Watching {
  readonly resource: string;
  readonly target: WatchTarget;
  /** The last revision this watch has seen: prevents delivering an event twice, by replay and by notification. */
  seen: number;
}

interface Waiting {
  readonly revision: number;
  readonly resolve: () => void;
}

/** A front end that lags behind the store, as a real API server's cache can. */
export class Replica {
  readonly #store: Store;
  readonly #watching = new Set<Watching>();
  readonly #waiting = new Set<Waiting>();
  #held: number | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The newest revision that this replica knows of. */
  get revision(): number {
    return this.#held ?? this.#store.revision;
  }

  get watchers(): number {
    return this.#watching.size;
  }

  /** Stops following the store: later writes are not visible here. */
  hold(): void {
    this.#held ??= this.#store.revision;
  }

  /** Catches up to `revision` and stays held there. */
  advanceTo(revision: number): void {
    if (this.#held === undefined || revision <= this.#held) return;
    this.#held = Math.min(revision, this.#store.revision);
    this.#progress();
  }

  /** Catches up and follows the store again. */
  release(): void {
    if (this.#held === undefined) return;
    this.#held = undefined;
    this.#progress();
  }

  /**
   * Resolves once this replica has seen `revision`, or with false as soon as `giveUp` resolves. No listener is left
   * behind either way.
   */
  async reached(revision: number, giveUp: Promise<void>): Promise<boolean> {
    if (this.revision >= revision) return true;
    let waiting: Waiting | undefined;
    const stop = this.#store.subscribe(() => this.#wake());
    const seen = new Promise<true>((resolve) => {
      waiting = { revision, resolve: () => resolve(true) };
      this.#waiting.add(waiting);
    });
    try {
      return await Promise.race([seen, giveUp.then(() => false)]);
    } finally {
      stop();
      if (waiting) this.#waiting.delete(waiting);
    }
  }

  snapshot(resource: string): Snapshot | undefined {
    return this.#held === undefined ? this.#store.now(resource) : this.#store.at(resource, this.#held);
  }

  /**
   * Watches `resource` from `revision` on, starting with past events. Undefined if those have expired. Returns a
   * function that stops it.
   */
  watch(resource: string, revision: number, target: WatchTarget): (() => void) | undefined {
    if (this.#store.eventsSince(resource, revision) === undefined) return undefined;
    const watching: Watching = { resource, target, seen: revision };
    this.#watching.add(watching);
    const stopStore = this.#store.subscribe((event) => {
      if (this.#held === undefined) this.#deliver(watching, event);
    }, resource);
    const stop = (): void => {
      stopStore();
      this.#watching.delete(watching);
    };
    this.#catchUp(watching);
    return stop;
  }

  #progress(): void {
    for (const watching of this.#watching) this.#catchUp(watching);
    this.#wake();
  }

  #wake(): void {
    for (const waiting of this.#waiting) if (waiting.revision <= this.revision) waiting.resolve();
  }

  #catchUp(watching: Watching): void {
    const events = this.#store.eventsSince(watching.resource, watching.seen);
    if (!events) watching.target.onLost();
    for (const event of events ?? []) {
      if (event.revision <= this.revision) this.#deliver(watching, event);
    }
  }

  #deliver(watching: Watching, event: StoredEvent): void {
    if (event.revision <= watching.seen || !this.#watching.has(watching)) return;
    watching.seen = event.revision;
    watching.target.onEvent(event);
  }
}
