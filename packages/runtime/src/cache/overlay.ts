/**
 * Read your own writes: a thin layer of results over an informer that has not seen them yet.
 *
 * In: what the server answered to our writes. Out: a store that shows them at once, a test whether an event is
 * nothing but the echo of a write, and a barrier that waits until the informer has caught up with a key.
 *
 * Guarantees: a read never shows a state older than our last write of that key; a layer entry goes as soon as the
 * informer has reached its version, however it got there, so nothing is kept for long. It does not apply label or
 * field selectors: an object that a write moved out of the informer's selection is shown until then.
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

/** What an overlay can be told. */
export interface OverlayOptions {
  readonly clock?: Clock | undefined;
  readonly metrics?: Metrics | undefined;
  /** How long `waitFor` waits at most. */
  readonly barrierMs?: number | undefined;
  /**
   * How long a deletion hides an object that the informer still shows. It is needed only for objects that live on
   * with finalizers, behind a projection that drops their deletionTimestamp.
   */
  readonly tombstoneMs?: number | undefined;
}

/** `timeout`: what the cache holds of this key cannot be trusted; read it from the server. */
export type CatchUp = 'caught-up' | 'timeout';

const BARRIER_MS = 5000;
const TOMBSTONE_MS = 60_000;

/** A layer over an informer that shows our own writes before its watch does. */
export class Overlay<C extends Cached> {
  readonly informer: CachingInformer<C>;
  /** The informer's store as our writes have left it. */
  readonly store: ReadonlyStore<C>;
  readonly #clock: Clock;
  readonly #options: OverlayOptions;
  readonly #gauge: Gauge | undefined;
  readonly #type: string;
  readonly #pending: PendingWrites<C>;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Writes that were sent and not answered, and the events that wait to be judged by their outcome. */
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

  /** How many keys the informer has still to catch up with. */
  get pending(): number {
    return this.#pending.size;
  }

  /** The server's answer to a create, update, patch or apply by `writer`. */
  onWritten(object: Stored<KubernetesObject>, writer = ''): void {
    this.#learn(object, writer);
    this.#settle(object.metadata);
  }

  /** The server's answer to a live read: shown like a write, but not taken for one of ours. */
  onRead(object: Stored<KubernetesObject>): void {
    this.#learn(object, undefined);
    this.#settle(object.metadata);
  }

  /** The server has deleted it, or answered that it is not there. */
  onDeleted(key: ObjectKey, uid?: string): void {
    const known = this.#pending.get(keyString(key));
    const cached = this.informer.store.get(key)?.metadata;
    const latest = known && !isOlder(known.version, cached?.resourceVersion) ? known : undefined;
    // An entry without a uid only says that a write ended without an answer.
    const newest = latest?.uid ? { uid: latest.uid, resourceVersion: latest.version } : cached;
    if (!newest) {
      this.#forget(key);
      return;
    }
    // What was deleted may be an earlier object of that name.
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

  /** A write ended without an answer. Until this key is read from the server, the barrier says `timeout`. */
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
   * Says that a write of this key is on its way. Its event often arrives before its answer; handlers made by
   * `withoutOwn` hold such events back. Call the returned function when the answer was reported.
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
   * Whether an event is nothing but the echo of a write by `writer`. Never for what a relist found, since other
   * writes may hide in it, and never for deletions.
   */
  isOwnWrite(event: InformerEvent<C>, writer = ''): boolean {
    if (event.type === 'delete' || event.relisted) return false;
    if (event.type === 'add' ? event.initial : event.resync) return false;
    const { metadata } = event.object;
    const known = this.#pending.get(keyString(metadata));
    return known?.uid === metadata.uid && known.own.get(metadata.resourceVersion) === writer;
  }

  /** A handler that is not shown the echoes of `writer`'s own writes. */
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

  /** The informer as one writer should see it: own writes at once in its store, and no echoes of them as events. */
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

  /** Resolves when the cache shows all our finished writes of this key, or says in time that it does not. */
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

  /** Stops following the informer; nothing is kept. */
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
    // Answers may overtake each other.
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
            object: this.#shown(key, metadata.resourceVersion) ?? this.informer.project(copyJson(object)),
            own,
            uncertain: false,
            expires: Number.POSITIVE_INFINITY,
          },
    );
  }

  /** What the informer has, where the event of a write came before its answer: most of the time, when many are written. */
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
    // Events that are held back are still to be judged by what is known of this key.
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
