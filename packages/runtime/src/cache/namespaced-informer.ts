/**
 * One informer over a set of namespaces that may change while it runs.
 *
 * In: `setNamespaces`. Out: the interface of any informer, over all of them. An added namespace is listed and watched
 * by itself, its objects arrive as `initial` adds. A removed namespace stops at once and its objects leave the store
 * *without* delete events: leaving the scope is not a deletion, and no handler may clean up after objects that still
 * exist. Code that keeps state per object drops that namespace's state on `onScopeChange`.
 *
 * A forbidden namespace blocks only itself: the whole is synced when every part is synced, forbidden or missing. Ask
 * `syncedIn` before concluding anything from the absence of an object in one namespace.
 */
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { CachingInformer } from './caching-informer.ts';
import type { Handlers } from './handlers.ts';
import type {
  Cached,
  HandlerRegistration,
  IndexFunctions,
  InformerHandler,
  InformerHealth,
  InformerState,
} from './informer.ts';
import { InformerMetrics } from './informer-metrics.ts';
import type { InformerOptions } from './informer-options.ts';
import { NamespacedStore } from './namespaced-store.ts';
import { type Projection, projectionOf } from './projection.ts';
import { createHandlers, SharedInformer } from './shared-informer.ts';
import { SyncGate } from './sync-gate.ts';

/** A namespace was added to the set, became synced, or was removed. */
export interface ScopeChange {
  /** `synced`: the namespace's first full list is in the store and was delivered to handlers. */
  readonly type: 'added' | 'synced' | 'removed';
  readonly namespace: string;
}

/** Options of an informer over several namespaces. */
export type NamespacedInformerOptions<T extends KubernetesObject, C extends Cached> = Omit<
  InformerOptions<T, C>,
  'namespace'
> & {
  /** The initial set; see `setNamespaces`. */
  readonly namespaces?: Iterable<string> | undefined;
};

interface Part<C extends Cached> {
  readonly informer: CachingInformer<C>;
  readonly store: CachingInformer<C>['store'];
  /** Of the current run. */
  controller: AbortController | undefined;
  announced: boolean;
}

/** One informer over a set of namespaces that may change while it runs. */
export class NamespacedInformer<T extends KubernetesObject, C extends Cached> implements CachingInformer<C> {
  readonly type: ResourceType<T>;
  readonly namespace = undefined;
  readonly store: NamespacedStore<C>;
  readonly #options: NamespacedInformerOptions<T, C>;
  readonly #parts = new Map<string, Part<C>>();
  readonly #handlers: Handlers<C>;
  readonly #project: Projection<T, C>;
  readonly #gate = new SyncGate();
  readonly #scopeListeners = new Set<(change: ScopeChange) => void>();
  readonly #progressListeners = new Set<() => void>();
  readonly #ending = new Set<Promise<void>>();
  #indexes: IndexFunctions<C>;
  #running: { readonly signal: AbortSignal; fail(error: unknown): void } | undefined;

  constructor(options: NamespacedInformerOptions<T, C>) {
    this.type = options.type;
    this.#options = options;
    this.#indexes = options.indexes ?? {};
    this.store = new NamespacedStore(this.#parts, (index) => Object.hasOwn(this.#indexes, index));
    const metrics = options.metrics ? InformerMetrics.of(options.metrics) : undefined;
    this.#handlers = createHandlers(resourceName(options.type), options.logger, metrics);
    this.#project = projectionOf(options);
    this.setNamespaces(options.namespaces ?? []);
  }

  /** The namespaces that are watched now. */
  get namespaces(): readonly string[] {
    return [...this.#parts.keys()];
  }

  /** Replaces the set. Added namespaces start at once if this runs, removed ones stop at once. */
  setNamespaces(namespaces: Iterable<string>): void {
    const wanted = new Set(namespaces);
    for (const [namespace, part] of [...this.#parts])
      if (!wanted.has(namespace)) this.#remove(namespace, part);
    for (const namespace of wanted) if (!this.#parts.has(namespace)) this.#add(namespace);
    this.#partChanged();
  }

  /** Calls back when a namespace is added or removed; returns a function that ends it. */
  onScopeChange(listener: (change: ScopeChange) => void): () => void {
    this.#scopeListeners.add(listener);
    return () => void this.#scopeListeners.delete(listener);
  }

  /** Whether all objects of this namespace are in the store. */
  syncedIn(namespace: string): boolean {
    return this.#parts.get(namespace)?.informer.synced ?? false;
  }

  /** How each namespace is watched. */
  healthByNamespace(): ReadonlyMap<string, InformerHealth> {
    return new Map([...this.#parts].map(([namespace, { informer }]) => [namespace, informer.health()]));
  }

  /** Becomes true once, when all namespaces of that moment were synced; see `syncedIn` for one added later. */
  get synced(): boolean {
    return this.#gate.isOpen;
  }

  addHandler(handler: InformerHandler<C>): HandlerRegistration {
    return this.#handlers.add(handler, this.store.list(), this.synced);
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#gate.wait(signal);
  }

  addIndexes(functions: IndexFunctions<C>): void {
    for (const { informer } of this.#parts.values()) informer.addIndexes(functions);
    this.#indexes = { ...this.#indexes, ...functions };
  }

  indexValues(index: string, object: C): readonly string[] {
    return this.#indexes[index]?.(object) ?? [];
  }

  project(object: Stored<KubernetesObject>): C {
    // Callers pass only objects of this informer's kind.
    return this.#project(object as Stored<T>);
  }

  covers(key: ObjectKey): boolean {
    return this.#parts.has(key.namespace ?? '');
  }

  reached(key: ObjectKey): string | undefined {
    return this.#parts.get(key.namespace ?? '')?.informer.reached(key);
  }

  placeOf({ namespace = '' }: ObjectKey): string {
    return namespace;
  }

  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => void this.#progressListeners.delete(listener);
  }

  /** Health of the readable parts; of all parts if none is readable. See `healthByNamespace` for each. */
  health(): InformerHealth {
    const all = [...this.healthByNamespace().values()];
    const readable = all.filter(({ state }) => !isBlocked(state));
    const judged = readable.length > 0 ? readable : all;
    const ages = judged.flatMap(({ lastEventAgeMs }) =>
      lastEventAgeMs === undefined ? [] : [lastEventAgeMs],
    );
    return {
      state: this.#running ? worstOf(judged.map(({ state }) => state)) : { phase: 'stopped' },
      synced: this.synced,
      lastEventAgeMs: ages.length > 0 ? Math.max(...ages) : undefined,
      consecutiveStalls: Math.max(0, ...judged.map(({ consecutiveStalls }) => consecutiveStalls)),
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new TypeError(`The informer of ${resourceName(this.type)} already runs`);
    let stop = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stop = resolve;
        this.#running = { signal, fail: reject };
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) resolve();
        for (const part of this.#parts.values()) this.#start(part);
        this.#partChanged();
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.#running = undefined;
      for (const { controller } of this.#parts.values()) controller?.abort(signal.reason);
      await Promise.allSettled(this.#ending);
      this.#gate.turnAway(signal.reason ?? new Error(`The informer of ${resourceName(this.type)} stopped`));
    }
  }

  #add(namespace: string): void {
    const informer = new SharedInformer<T, C>(
      { ...this.#options, namespace, indexes: this.#indexes },
      { handlers: this.#handlers, partChanged: () => this.#partChanged() },
    );
    informer.onProgress(() => {
      for (const listener of [...this.#progressListeners]) listener();
    });
    const part: Part<C> = { informer, store: informer.store, controller: undefined, announced: false };
    this.#parts.set(namespace, part);
    this.#announce({ type: 'added', namespace });
    this.#start(part);
  }

  #remove(namespace: string, part: Part<C>): void {
    this.#parts.delete(namespace);
    part.controller?.abort(new Error(`The namespace ${namespace} is not watched any more`));
    this.#announce({ type: 'removed', namespace });
  }

  #start(part: Part<C>): void {
    const running = this.#running;
    if (!running || running.signal.aborted) return;
    part.controller = new AbortController();
    const ending: Promise<void> = part.informer
      .run(part.controller.signal)
      .catch(running.fail)
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #partChanged(): void {
    for (const [namespace, part] of this.#parts) {
      if (part.announced || !part.informer.synced) continue;
      part.announced = true;
      this.#announce({ type: 'synced', namespace });
    }
    if (!this.#running || this.#gate.isOpen) return;
    const settled = ({ informer }: Part<C>): boolean => informer.synced || isBlocked(informer.health().state);
    if ([...this.#parts.values()].every(settled)) this.#handlers.sync(() => this.#gate.open());
  }

  #announce(change: ScopeChange): void {
    for (const listener of [...this.#scopeListeners]) {
      try {
        listener(change);
      } catch (error) {
        this.#options.logger?.error('A scope listener threw', { ...change, error });
      }
    }
  }
}

function isBlocked(state: InformerState): boolean {
  return state.phase === 'forbidden' || state.phase === 'missing';
}

const WORST_FIRST = ['backing-off', 'forbidden', 'missing', 'listing', 'watching'] as const;

function worstOf(states: readonly InformerState[]): InformerState {
  for (const phase of WORST_FIRST) {
    const found = states.find((state) => state.phase === phase);
    if (found) return found;
  }
  return { phase: 'watching' };
}
