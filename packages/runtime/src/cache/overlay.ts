/**
 * Read-your-writes: a thin layer of write results over an informer that has not seen them yet.
 *
 * In: the server's answers to our writes. Out: a store that shows them at once, a check whether an event is only the
 * echo of our write, and a barrier that waits until the informer has caught up with a key.
 *
 * Guarantees: a read never returns a state older than our last write of that key; an entry is dropped as soon as the
 * informer reaches its version, so nothing is kept for long. It does not apply label or field selectors: an object
 * that a write moved out of the informer's selection is shown until then.
 */
import { resourceName } from '../client/resource.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Gauge, Metrics } from '../metrics/metrics.ts';
import { type KubernetesObject, keyString, type ObjectKey, type Stored } from '../model/types.ts';
import { copyJson } from '../objects/copy-json.ts';
import { hasReached, isOlder } from '../reflector/versions.ts';
import type { CachingInformer } from './caching-informer.ts';
import type { Cached, Informer, InformerEvent, InformerHandler, ReadonlyStore } from './informer.ts';
import { OverlayStore } from './overlay-store.ts';
import { type Pending, PendingWrites } from './pending-writes.ts';

/** Options of an overlay. */
export interface OverlayOptions {
  readonly clock?: Clock | undefined;
  readonly metrics?: Metrics | undefined;
  /** Longest wait of `waitFor`. */
  readonly barrierMs?: number | undefined;
  /**
   * How long a deletion hides an object that the informer still shows. It is needed only for objects that live on
   * with finalizers, behind a projection that drops their deletionTimestamp.
   */
  readonly tombstoneMs?: number | undefined;
  /** The program changes no object that a write or read returned, so none is copied before it is projected. */
  readonly answersStay?: boolean | undefined;
}

/** `timeout`: do not trust the cache for this key; read it from the server. */
export type CatchUp = 'caught-up' | 'timeout';

const BARRIER_MS = 5000;
const TOMBSTONE_MS = 60_000;

/** A layer over an informer that shows our own writes before the watch delivers them. */
export class Overlay<C extends Cached> {
  readonly informer: CachingInformer<C>;
  /** The informer's store with our writes applied. */
  readonly store: ReadonlyStore<C>;
  readonly #clock: Clock;
  readonly #options: OverlayOptions;
  readonly #gauge: Gauge | undefined;
  readonly #type: string;
  readonly #pending: PendingWrites<C>;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Writes without an answer yet, and the events held back until their outcome is known. */
  readonly #inFlight = new Map<string, { writes: number; readonly held: (() => void)[] }>();
  readonly #detach: () => void;

  constructor(informer: CachingInformer<C>, options: OverlayOptions = {}) {
    this.informer = informer;
    this.#pending = new PendingWrites(informer);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#type = resourceName(informer.type);
    this.#gauge = options.metrics?.gauge({
      name: 'pending_writes',
      help: 'Own writes that the cache does not show yet, by resource',
      labelNames: ['type'],
    });
    this.#gauge?.add(0, { type: this.#type });
    this.store = new OverlayStore(informer, this.#pending, (pending) => this.#isSettled(pending));
    this.#detach = informer.onProgress(() => this.#settleAll());
  }

  /** How many keys the informer has not caught up with. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Records the server's answer to a create, update, patch or apply by `writer`. */
  onWritten(object: Stored<KubernetesObject>, writer = ''): void {
    this.#learn(object, writer);
    this.#settle(object.metadata);
  }

  /** Records the server's answer to a live read: visible like a write, but not treated as our own. */
  onRead(object: Stored<KubernetesObject>): void {
    this.#learn(object, undefined);
    this.#settle(object.metadata);
  }

  /** Records that the server deleted the object, or answered 404. */
  onDeleted(key: ObjectKey, uid?: string): void {
    const known = this.#pending.get(keyString(key));
    const cached = this.informer.store.get(key)?.metadata;
    const latest = known && !isOlder(known.version, cached?.resourceVersion) ? known : undefined;
    // An entry without a uid only records that a write ended without an answer.
    const newest = latest?.uid ? { uid: latest.uid, resourceVersion: latest.version } : cached;
    if (!newest) {
      this.#forget(key);
      return;
    }
    // The deletion may be of an earlier object with the same name.
    if (uid !== undefined && uid !== newest.uid) return;
    this.#set({
      key,
      uid: newest.uid,
      version: newest.resourceVersion,
      object: undefined,
      own: known?.own ?? new Map(),
      uncertain: false,
      expires: this.#clock.monotonic() + (this.#options.tombstoneMs ?? TOMBSTONE_MS),
    });
    this.#settle(key);
  }

  /**
   * Records that a write ended without an answer. Until this key is read from the server, the barrier returns
   * `timeout`.
   */
  onUnknownOutcome(key: ObjectKey): void {
    const known = this.#pending.get(keyString(key)) ?? {
      key,
      uid: '',
      version: '',
      object: undefined,
      own: new Map(),
    };
    const expires = this.#clock.monotonic() + (this.#options.tombstoneMs ?? TOMBSTONE_MS);
    this.#set({ ...known, uncertain: true, expires });
    this.#release(key);
  }

  /**
   * Announces a write of this key. Its event often arrives before its answer; handlers made by `withoutOwn` hold such
   * events back. Call the returned function after the answer was recorded.
   */
  begin(key: ObjectKey): () => void {
    const name = keyString(key);
    const flight = this.#inFlight.get(name) ?? { writes: 0, held: [] };
    flight.writes++;
    this.#inFlight.set(name, flight);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      if (--flight.writes > 0) return;
      this.#inFlight.delete(name);
      for (const judge of flight.held) judge();
      this.#settle(key);
    };
  }

  /**
   * Whether an event is only the echo of a write by `writer`. Never for an event of a relist, which may hide other
   * writes, and never for a deletion.
   */
  isOwnWrite(event: InformerEvent<C>, writer = ''): boolean {
    if (event.type === 'delete' || event.relisted) return false;
    if (event.type === 'add' ? event.initial : event.resync) return false;
    const { metadata } = event.object;
    const known = this.#pending.get(keyString(metadata));
    return known?.uid === metadata.uid && known.own.get(metadata.resourceVersion) === writer;
  }

  /** A handler that does not get the echoes of `writer`'s own writes. */
  withoutOwn(handler: InformerHandler<C>, writer = ''): InformerHandler<C> {
    return (event) => {
      const judge = (): void => {
        if (!this.isOwnWrite(event, writer)) handler(event);
      };
      const flight = this.#inFlight.get(keyString(event.object.metadata));
      if (flight) flight.held.push(judge);
      else judge();
    };
  }

  /** The informer as seen by one writer: its own writes are in the store at once and cause no events. */
  asInformer(writer = ''): Informer<C> {
    const { informer, store } = this;
    return {
      type: informer.type,
      namespace: informer.namespace,
      store,
      get synced() {
        return informer.synced;
      },
      addHandler: (handler) => informer.addHandler(this.withoutOwn(handler, writer)),
      whenSynced: (signal) => informer.whenSynced(signal),
      health: () => informer.health(),
      run: (signal) => informer.run(signal),
    };
  }

  /** Resolves when the cache shows all our finished writes of this key, or with `timeout`. */
  waitFor(key: ObjectKey, signal?: AbortSignal): Promise<CatchUp> {
    this.#settle(key);
    const name = keyString(key);
    const pending = this.#pending.get(name);
    if (!pending) return Promise.resolve('caught-up');
    if (pending.uncertain) return Promise.resolve('timeout');
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const waiters = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiters);
      const leave = (): void => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
        waiters.delete(onCaughtUp);
        if (waiters.size === 0) this.#waiting.delete(name);
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const onCaughtUp = (): void => {
        leave();
        resolve(this.#pending.get(name)?.uncertain ? 'timeout' : 'caught-up');
      };
      const timer = this.#clock.setTimeout(() => {
        leave();
        resolve('timeout');
      }, this.#options.barrierMs ?? BARRIER_MS);
      signal?.addEventListener('abort', onAbort, { once: true });
      waiters.add(onCaughtUp);
    });
  }

  /** Unsubscribes from the informer and drops all entries. */
  detach(): void {
    this.#detach();
    for (const { key } of [...this.#pending.values()]) this.#forget(key);
  }

  #learn(object: Stored<KubernetesObject>, writer: string | undefined): void {
    const { metadata } = object;
    if (!this.informer.covers(metadata)) return;
    const known = this.#pending.get(keyString(metadata));
    const same = known?.uid === metadata.uid;
    const own = new Map(same ? known.own : []);
    if (writer !== undefined) own.set(metadata.resourceVersion, writer);
    // Answers may arrive out of order.
    const overtaken = known !== undefined && isOlder(metadata.resourceVersion, known.version);
    const key = metadata.namespace
      ? { namespace: metadata.namespace, name: metadata.name }
      : { name: metadata.name };
    this.#set(
      overtaken
        ? { ...known, own: same ? own : known.own, uncertain: false }
        : {
            key,
            uid: metadata.uid,
            version: metadata.resourceVersion,
            object: this.#shown(key, metadata.resourceVersion) ?? this.#project(object),
            own,
            uncertain: false,
            expires: Number.POSITIVE_INFINITY,
          },
    );
  }

  #project(object: Stored<KubernetesObject>): C {
    return this.informer.project(this.#options.answersStay ? object : copyJson(object));
  }

  /**
   * The informer's version, if the event of a write came before its answer. With many writes that is the usual case.
   */
  #shown(key: ObjectKey, version: string): C | undefined {
    return hasReached(this.informer.reached(key), version) ? this.informer.store.get(key) : undefined;
  }

  #isSettled(pending: Pending<C>): boolean {
    const { key, uid, version, object, uncertain, expires } = pending;
    if (!this.informer.covers(key) || this.#clock.monotonic() >= expires) return true;
    if (uncertain || !hasReached(this.informer.reached(key), version)) return false;
    if (object) return true;
    const cached = this.informer.store.get(key)?.metadata;
    return cached?.uid !== uid || isTerminating(cached);
  }

  #settleAll(): void {
    if (this.#pending.size > 0) for (const { key } of this.#pending.reached()) this.#settle(key);
  }

  #settle(key: ObjectKey): void {
    const name = keyString(key);
    const pending = this.#pending.get(name);
    // Events that are held back are still compared with the entry of this key.
    if (pending && this.#isSettled(pending) && !this.#inFlight.has(name)) this.#forget(key);
    else if (!pending || this.#isSettled(pending)) this.#release(key);
  }

  #set(pending: Pending<C>): void {
    const name = keyString(pending.key);
    if (!this.#pending.has(name)) this.#gauge?.add(1, { type: this.#type });
    this.#pending.set(pending);
  }

  #forget(key: ObjectKey): void {
    if (this.#pending.delete(keyString(key))) this.#gauge?.add(-1, { type: this.#type });
    this.#release(key);
  }

  #release(key: ObjectKey): void {
    for (const waiter of [...(this.#waiting.get(keyString(key)) ?? [])]) waiter();
  }
}

function isTerminating(metadata: Cached['metadata']): boolean {
  return 'deletionTimestamp' in metadata && metadata.deletionTimestamp !== undefined;
}
