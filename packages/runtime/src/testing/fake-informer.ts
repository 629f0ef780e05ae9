/**
 * An informer that a test fills by hand with `set`, `remove` and `sync`; no server, no watch. Handlers are called as
 * by a real one: initial objects first, then every change, in order.
 */
import type {
  Cached,
  HandlerRegistration,
  IndexFunctions,
  Informer,
  InformerEvent,
  InformerHandler,
  InformerHealth,
  InformerState,
  ReadonlyStore,
} from '../cache/informer.ts';
import type { ResourceType } from '../client/resource.ts';
import { keyString, type ObjectKey } from '../model/types.ts';

/** The initial content of a fake informer. */
export interface FakeInformerOptions<C extends Cached> {
  readonly namespace?: string | undefined;
  readonly indexes?: IndexFunctions<C> | undefined;
}

/** An informer whose objects a test sets, for controllers without a server. */
export class FakeInformer<C extends Cached> implements Informer<C> {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly store: ReadonlyStore<C>;
  readonly #objects = new Map<string, C>();
  readonly #handlers = new Set<InformerHandler<C>>();
  readonly #waiting = new Set<() => void>();
  #synced = false;
  #running = false;
  #state: InformerState | undefined;
  #health: Partial<InformerHealth> = {};

  constructor(type: ResourceType, options: FakeInformerOptions<C> = {}) {
    this.type = type;
    this.namespace = options.namespace;
    const objects = this.#objects;
    this.store = {
      get: (key) => objects.get(keyString(key)),
      list: (namespace) =>
        [...objects.values()].filter((each) => !namespace || each.metadata.namespace === namespace),
      byIndex: (index, value) => {
        const read = options.indexes?.[index];
        if (!read) throw new TypeError(`Index "${index}" of ${type.kind} was not declared`);
        return [...objects.values()].filter((each) => read(each).includes(value));
      },
      get size() {
        return objects.size;
      },
      resourceVersion: undefined,
    };
  }

  get synced(): boolean {
    return this.#synced;
  }

  get handlerCount(): number {
    return this.#handlers.size;
  }

  get running(): boolean {
    return this.#running;
  }

  /** Adds or replaces an object and notifies the handlers. */
  set(object: C): void {
    const key = keyString(object.metadata);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    const initial = !this.#synced;
    this.#notify(old ? { type: 'update', old, object, resync: false } : { type: 'add', object, initial });
  }

  remove(key: ObjectKey): void {
    const object = this.#objects.get(keyString(key));
    if (!object) return;
    this.#objects.delete(keyString(key));
    this.#notify({ type: 'delete', object, stale: false });
  }

  /** Marks the first list as complete. */
  sync(): void {
    this.#synced = true;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Replays every object, as a periodic resync does. */
  resync(): void {
    for (const object of this.#objects.values()) {
      this.#notify({ type: 'update', old: object, object, resync: true });
    }
  }

  /** Sets the result of `health`. */
  report(health: Partial<InformerHealth>): void {
    this.#health = { ...this.#health, ...health };
    this.#state = health.state ?? this.#state;
  }

  addHandler(handler: InformerHandler<C>): HandlerRegistration {
    this.#handlers.add(handler);
    for (const object of this.#objects.values()) handler({ type: 'add', object, initial: true });
    const isSynced = (): boolean => this.#synced;
    return {
      get synced() {
        return isSynced();
      },
      remove: () => void this.#handlers.delete(handler),
    };
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
    });
  }

  health(): InformerHealth {
    const phase = this.#synced ? 'watching' : 'listing';
    const state = this.#state ?? { phase: this.#running ? phase : 'stopped' };
    return { state, synced: this.#synced, lastEventAgeMs: undefined, consecutiveStalls: 0, ...this.#health };
  }

  run(signal: AbortSignal): Promise<void> {
    this.#running = true;
    return new Promise((resolve) => {
      const end = (): void => {
        this.#running = false;
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  #notify(event: InformerEvent<C>): void {
    for (const handler of this.#handlers) handler(event);
  }
}
