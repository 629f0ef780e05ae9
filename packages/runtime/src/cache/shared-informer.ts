/**
 * One reflector, one store, any number of handlers.
 *
 * Flow: server ─▶ reflector ─▶ store writer ─▶ store (objects and indexes) ─▶ handlers ─▶ progress listeners.
 * Guarantees: those of its parts (see `reflector/step.ts`, `store-writer.ts`, `handlers.ts`). While it is cut off
 * from the server the store keeps what it had, and `health` says so.
 */
import { inJson, type ResourceType, resourceName } from '../client/resource.ts';
import { type Clock, systemClock, type Timer } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import { type KubernetesObject, keyString, type ObjectKey, type Stored } from '../model/types.ts';
import { metadataApi, objectApi, type ReflectorApi } from '../reflector/api.ts';
import type { Random } from '../reflector/backoff.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { CachingInformer } from './caching-informer.ts';
import { Handlers } from './handlers.ts';
import type {
  Cached,
  HandlerRegistration,
  IndexFunctions,
  InformerEvent,
  InformerHandler,
  InformerHealth,
  InformerState,
} from './informer.ts';
import { type ErrorReason, InformerMetrics } from './informer-metrics.ts';
import type { InformerOptions } from './informer-options.ts';
import { type Projection, projectionOf } from './projection.ts';
import { compareWithList, versionsOf } from './self-check.ts';
import { IndexedStore } from './store.ts';
import { StoreWriter } from './store-writer.ts';
import { SyncGate } from './sync-gate.ts';

const RESYNC_PERIOD_MS = 10 * 3_600_000;
const RESYNC_JITTER = 0.1;
const STOPPED: InformerState = { phase: 'stopped' };

/** For an informer that is a part of another: events go to the handlers of the whole. */
export interface Whole<C extends Cached> {
  readonly handlers: Handlers<C>;
  /** The part's state changed, or its first full list is in the store. */
  partChanged(): void;
}

export class SharedInformer<T extends KubernetesObject, C extends Cached> implements CachingInformer<C> {
  readonly type: ResourceType<T>;
  readonly namespace: string | undefined;
  readonly store: IndexedStore<C>;
  readonly #options: InformerOptions<T, C>;
  readonly #name: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger | undefined;
  readonly #metrics: InformerMetrics | undefined;
  readonly #api: ReflectorApi<T>;
  readonly #project: Projection<T, C>;
  readonly #handlers: Handlers<C>;
  readonly #reflector: Reflector<T>;
  readonly #gate = new SyncGate();
  readonly #progressListeners = new Set<() => void>();
  readonly #whole: Whole<C> | undefined;
  #running: AbortSignal | undefined;
  #projectionErrorLogged = false;

  constructor(options: InformerOptions<T, C>, whole?: Whole<C>) {
    const { type, client, namespace, labelSelector, fieldSelector, metrics, logger } = options;
    this.#options = options;
    this.type = type;
    this.namespace = namespace;
    this.#name = resourceName(type);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = logger?.with({ informer: this.#name, ...(namespace ? { namespace } : {}) });
    this.#metrics = metrics ? InformerMetrics.of(metrics) : undefined;
    this.store = new IndexedStore((index, error) =>
      this.#logger?.error('An index function threw: the object is not in this index', { index, error }),
    );
    this.store.addIndexes(options.indexes ?? {});
    this.#project = projectionOf(options);
    this.#whole = whole;
    this.#handlers = whole?.handlers ?? createHandlers(this.#name, this.#logger, this.#metrics);
    const scope = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
    // With `metadataOnly` objects carry only metadata, and T is the type of such an object.
    const metadata = (): ReflectorApi<T> => metadataApi(client, type, scope) as unknown as ReflectorApi<T>;
    this.#api = options.metadataOnly
      ? metadata()
      : objectApi(client, options.project ? type : inJson(type), scope);
    this.#reflector = this.#createReflector();
  }

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
    this.store.addIndexes(functions);
  }

  indexValues(index: string, object: C): readonly string[] {
    return this.store.indexValues(index, object);
  }

  project(object: Stored<KubernetesObject>): C {
    return this.#project(object as Stored<T>);
  }

  covers(key: ObjectKey): boolean {
    return this.namespace === undefined || this.namespace === key.namespace;
  }

  reached(): string | undefined {
    return this.store.resourceVersion;
  }

  placeOf(): string {
    return '';
  }

  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => void this.#progressListeners.delete(listener);
  }

  health(): InformerHealth {
    const { lastReceived, stalls, phase } = this.#reflector;
    return {
      state: this.#running ? phase : STOPPED,
      synced: this.synced,
      lastEventAgeMs: lastReceived === undefined ? undefined : this.#clock.monotonic() - lastReceived,
      consecutiveStalls: stalls,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new TypeError(`The informer of ${this.#name} already runs`);
    this.#running = signal;
    const unmeasure = this.#metrics?.measure(this.#name, () => ({
      ...this.health(),
      objects: this.store.size,
    }));
    const stopResync = this.#startResync();
    try {
      await this.#reflector.run(signal);
    } finally {
      stopResync();
      unmeasure?.();
      this.#running = undefined;
      this.#gate.turnAway(signal.reason ?? new Error(`The informer of ${this.#name} stopped`));
    }
  }

  #createReflector(): Reflector<T> {
    const { tuning } = this.#options;
    const sink = new StoreWriter<T, C>({
      store: this.store,
      handlers: this.#handlers,
      project: this.#project,
      onProjectionError: (error, key) => this.#projectionFailed(error, key),
      onFilled: () => this.#filled(),
      onProgress: () => {
        for (const listener of [...this.#progressListeners]) listener();
      },
      onReplaced: (version, byWatchList) => {
        if (byWatchList && this.#options.selfCheck) void this.#checkSelf(version);
      },
    });
    return new Reflector<T>({
      type: this.type,
      api: this.#api,
      sink,
      clock: this.#clock,
      random: this.#random,
      ...(this.#logger ? { logger: this.#logger } : {}),
      ...(tuning ? { tuning } : {}),
      observer: {
        problem: ({ kind }) => this.#count(kind),
        relist: (cause) => this.#metrics?.relist(this.#name, cause),
        malformed: () => this.#count('malformed'),
        phaseChanged: () => this.#whole?.partChanged(),
      },
    });
  }

  #filled(): void {
    const whole = this.#whole;
    if (!whole) {
      this.#handlers.sync(() => this.#gate.open());
      return;
    }
    whole.handlers.notify([], () => {
      this.#gate.open();
      whole.partChanged();
    });
  }

  #count(reason: ErrorReason): void {
    this.#metrics?.error(this.#name, reason);
  }

  #projectionFailed(error: unknown, key: ObjectKey): void {
    this.#count('projection');
    const level = this.#projectionErrorLogged ? 'debug' : 'error';
    this.#projectionErrorLogged = true;
    this.#logger?.[level]('An object could not be projected: the cache keeps what it had of it', {
      key: keyString(key),
      error,
    });
  }

  #startResync(): () => void {
    const period = this.#options.resyncPeriodMs ?? RESYNC_PERIOD_MS;
    if (period <= 0) return () => {};
    let timer: Timer;
    const arm = (): void => {
      const delay = period * (1 - RESYNC_JITTER + 2 * RESYNC_JITTER * this.#random());
      timer = this.#clock.setTimeout(() => {
        if (this.synced) this.#handlers.notify(replayOf([...this.store.list()]), () => {});
        arm();
      }, delay);
    };
    arm();
    return () => timer.cancel();
  }

  async #checkSelf(version: string): Promise<void> {
    const signal = this.#running;
    if (!signal) return;
    try {
      const differences = await compareWithList(this.#api, versionsOf(this.store.list()), version, signal);
      if (differences.length === 0) return;
      this.#count('inconsistent');
      this.#logger?.error('A watch-list differs from a plain list of the same version', {
        version,
        count: differences.length,
        differences: differences.slice(0, 10),
      });
    } catch (error) {
      // The version expired, or the program stops: without a list there is nothing to compare.
      this.#logger?.debug('The self-check could not be made', { version, error });
    }
  }
}

export function createHandlers<C extends Cached>(
  name: string,
  logger: Logger | undefined,
  metrics: InformerMetrics | undefined,
): Handlers<C> {
  return new Handlers((error) => {
    metrics?.handlerError(name);
    logger?.error('A handler threw: the other handlers go on', { error });
  });
}

function* replayOf<C extends Cached>(objects: readonly C[]): Iterable<InformerEvent<C>> {
  for (const object of objects) yield { type: 'update', old: object, object, resync: true };
}
