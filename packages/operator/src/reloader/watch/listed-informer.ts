/**
 * An informer for a kind that RBAC lets us list and not watch.
 *
 * In: one list of everything at the start, then calls of `refresh` for a namespace. Out: the same store and events as
 * from any informer, as fresh as the last list.
 *
 * Guarantees: `refresh` resolves when a list that began after the call is in the store and its events are delivered;
 * waiting calls share one list; only a few lists run at once; a failed list is retried with exponential backoff, so
 * nothing is lost. A refresh never rejects: it resolves at the latest when the informer stops.
 */
import { setMaxListeners } from 'node:events';
import {
  type Cached,
  type CachingInformer,
  type Client,
  type Clock,
  DEFAULT_PAGE_SIZE,
  exponentialBackoff,
  ForbiddenError,
  type HandlerRegistration,
  type IndexFunctions,
  type InformerEvent,
  type InformerHandler,
  type InformerHealth,
  type InformerState,
  type KubernetesObject,
  type Logger,
  NotFoundError,
  type ObjectKey,
  type Projection,
  type ResourceType,
  resourceName,
  type Stored,
  SyncGate,
  sleep,
} from '@reloader/runtime';
import { KeyedWork } from './keyed-work.ts';
import { ListedStore } from './listed-store.ts';

export interface ListedInformerOptions<T extends KubernetesObject, C extends Cached> {
  readonly client: Pick<Client, 'listEach'>;
  readonly type: ResourceType<T>;
  readonly project: Projection<T, C>;
  readonly indexes: IndexFunctions<C>;
  /** Empty for all. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Maximum number of concurrent lists of one kind. */
const AT_ONCE = 4;
/** Delay before a list: changes come in bursts, for example when a user applies a directory. */
const GATHER_MS = 100;
const backoff = exponentialBackoff({ baseMs: 1000, maxMs: 60_000 });

export class ListedInformer<T extends KubernetesObject, C extends Cached> implements CachingInformer<C> {
  readonly type: ResourceType<T>;
  readonly namespace = undefined;
  readonly store: ListedStore<C>;
  readonly #options: ListedInformerOptions<T, C>;
  readonly #handlers = new Set<{ handle: InformerHandler<C> }>();
  readonly #progress = new Set<() => void>();
  readonly #work = new KeyedWork(AT_ONCE);
  /** Queued lists, by namespace. */
  readonly #queued = new Map<string, Promise<void>>();
  readonly #versions = new Map<string, string>();
  #version: string | undefined;
  #state: InformerState = { phase: 'stopped' };
  #signal: AbortSignal | undefined;
  readonly #gate = new SyncGate();

  constructor(options: ListedInformerOptions<T, C>) {
    this.#options = options;
    this.type = options.type;
    this.store = new ListedStore(options.indexes);
  }

  get synced(): boolean {
    return this.#gate.isOpen;
  }

  addHandler(handle: InformerHandler<C>): HandlerRegistration {
    const entry = { handle };
    for (const object of [...this.store.list()]) this.#hand(entry, { type: 'add', object, initial: true });
    this.#handlers.add(entry);
    const isSynced = (): boolean => this.synced;
    return {
      get synced() {
        return isSynced();
      },
      remove: () => void this.#handlers.delete(entry),
    };
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#gate.wait(signal);
  }

  /** Whether a list of this namespace has completed. */
  syncedIn(namespace: string): boolean {
    return this.reached({ namespace, name: '' }) !== undefined;
  }

  health(): InformerHealth {
    return { state: this.#state, synced: this.synced, lastEventAgeMs: undefined, consecutiveStalls: 0 };
  }

  addIndexes(functions: IndexFunctions<C>): void {
    this.store.addIndexes(functions);
  }

  indexValues(index: string, object: C): readonly string[] {
    return this.store.indexValues(index, object);
  }

  project(object: Stored<KubernetesObject>): C {
    // The caller passes an object of this informer's kind.
    return this.#options.project(object as Stored<T>);
  }

  covers({ namespace = '' }: ObjectKey): boolean {
    const { namespaces } = this.#options;
    return namespaces.length === 0 || namespaces.includes(namespace);
  }

  reached({ namespace = '' }: ObjectKey): string | undefined {
    return this.#versions.get(namespace) ?? this.#version;
  }

  placeOf({ namespace = '' }: ObjectKey): string {
    return namespace;
  }

  onProgress(listener: () => void): () => void {
    this.#progress.add(listener);
    return () => void this.#progress.delete(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#signal) throw new TypeError(`The informer of ${resourceName(this.type)} already runs`);
    const own = new AbortController();
    // Every namespace may have a list or a sleep that listens to this signal: no leak.
    setMaxListeners(0, own.signal);
    const stop = (): void => own.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#signal = own.signal;
    this.#state = { phase: 'listing' };
    try {
      await this.#listAll();
      this.#gate.open();
      await aborted(own.signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      own.abort(signal.reason);
      this.#signal = undefined;
      this.#state = { phase: 'stopped' };
      this.#gate.turnAway(signal.reason);
    }
  }

  /** Lists one namespace again. Does nothing before the first list, or for a namespace that is not covered. */
  refresh(namespace: string): Promise<void> {
    if (!this.synced || !this.covers({ namespace, name: '' })) return Promise.resolve();
    const waiting = this.#queued.get(namespace);
    if (waiting) return waiting;
    const turn = this.#gather().then(() =>
      this.#work.enter(namespace, async () => {
        this.#queued.delete(namespace);
        // Rejects only when the informer stops: then the wait ends, too.
        await this.#list(namespace).catch(() => {});
      }),
    );
    this.#queued.set(namespace, turn);
    return turn;
  }

  /** Lets other calls join the same list. */
  async #gather(): Promise<void> {
    await sleep(this.#options.clock, GATHER_MS, this.#signal).catch(() => {});
  }

  async #listAll(): Promise<void> {
    const { namespaces } = this.#options;
    if (namespaces.length === 0) return this.#list(undefined);
    // A namespace that may not be read does not delay the others; it is retried in the background.
    const first = (namespace: string): Promise<void> =>
      new Promise((resolve, reject) => this.#list(namespace, resolve).then(resolve, reject));
    await Promise.all(namespaces.map(first));
  }

  /** Retries until a list succeeds; rejects when the informer stops. */
  async #list(namespace: string | undefined, onBlocked: () => void = () => {}): Promise<void> {
    for (let failures = 1; ; failures++) {
      const signal = this.#signal;
      if (!signal || signal.aborted)
        throw new Error(`The informer of ${resourceName(this.type)} does not run`);
      try {
        await this.#listOnce(namespace, signal);
        this.#state = { phase: 'watching' };
        return;
      } catch (error) {
        if (signal.aborted) throw error;
        this.#failed(error, failures, namespace);
        if (error instanceof ForbiddenError || error instanceof NotFoundError) onBlocked();
        await sleep(this.#options.clock, backoff(failures), signal);
      }
    }
  }

  async #listOnce(namespace: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, type } = this.#options;
    const found: C[] = [];
    let token: string | undefined;
    let version: string | undefined;
    do {
      const page = await client.listEach(type, (item) => this.#keep(item, found), {
        ...(namespace === undefined ? {} : { namespace }),
        ...(token === undefined ? {} : { continue: token }),
        limit: DEFAULT_PAGE_SIZE,
        signal,
      });
      token = page.continue || undefined;
      version = page.resourceVersion ?? version;
    } while (token !== undefined);
    this.#replace(namespace, found, version);
  }

  /** An object that cannot be projected must not look deleted. */
  #keep(item: Stored<T>, found: C[]): void {
    try {
      found.push(this.#options.project(item));
    } catch (error) {
      const { namespace, name } = item.metadata;
      this.#options.logger.error('An object could not be projected: the cache keeps what it had of it', {
        resource: resourceName(this.type),
        namespace,
        name,
        error,
      });
      const known = this.store.get(item.metadata);
      if (known) found.push(known);
    }
  }

  #replace(namespace: string | undefined, found: readonly C[], version: string | undefined): void {
    const initial = !this.synced;
    const events: InformerEvent<C>[] = [];
    const gone = new Map([...this.store.list(namespace)].map((object) => [object.metadata.uid, object]));
    for (const object of found) gone.delete(object.metadata.uid);
    for (const object of gone.values()) {
      this.store.delete(object.metadata);
      events.push({ type: 'delete', object, stale: true });
    }
    for (const object of found) {
      const old = this.store.get(object.metadata);
      if (old?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      this.store.set(object);
      events.push(
        old
          ? { type: 'update', old, object, resync: false, relisted: true }
          : { type: 'add', object, initial, ...(initial ? {} : { relisted: true }) },
      );
    }
    if (version !== undefined) {
      if (namespace === undefined) this.#version = version;
      else this.#versions.set(namespace, version);
    }
    for (const event of events) for (const entry of [...this.#handlers]) this.#hand(entry, event);
    for (const listener of [...this.#progress]) listener();
  }

  #hand(entry: { handle: InformerHandler<C> }, event: InformerEvent<C>): void {
    try {
      entry.handle(event);
    } catch (error) {
      this.#options.logger.error('A handler threw: the other handlers go on', { error });
    }
  }

  #failed(thrown: unknown, failures: number, namespace: string | undefined): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const phase =
      error instanceof ForbiddenError
        ? 'forbidden'
        : error instanceof NotFoundError
          ? 'missing'
          : 'backing-off';
    this.#state = { phase, error };
    this.#options.logger[failures === 1 ? 'warn' : 'debug']('A list failed and is tried again', {
      resource: resourceName(this.type),
      ...(namespace === undefined ? {} : { namespace }),
      failures,
      error,
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
