/** An informer keeps one kind in sync with the server for any number of handlers. Implemented by `createInformer`. */
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';

/** A cached object: at least its identity. A projection may drop everything else. */
export interface Cached {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** Reads send no request and copy nothing: treat their results as frozen. */
export interface ReadonlyStore<C extends Cached> {
  /** The object under a key. */
  get(key: ObjectKey): C | undefined;
  /** All objects, or those of a namespace. */
  list(namespace?: string): Iterable<C>;
  /** Objects whose index function returned `value`. Throws for an index that was not declared. */
  byIndex(index: string, value: string): Iterable<C>;
  /** How many objects it holds. */
  readonly size: number;
  /** The newest resourceVersion that this store is known to reflect. */
  readonly resourceVersion: string | undefined;
}

/** Indexes by name: each function returns the values under which an object is found. */
export type IndexFunctions<C extends Cached> = Readonly<Record<string, (object: C) => readonly string[]>>;

/** A change of an informer's store. */
export type InformerEvent<C extends Cached> =
  /** `initial` for objects that were present when the handler was added. */
  | { readonly type: 'add'; readonly object: C; readonly initial: boolean; readonly relisted?: true }
  /** `resync` for a periodic replay with `old === object`. */
  | {
      readonly type: 'update';
      readonly old: C;
      readonly object: C;
      readonly resync: boolean;
      /** Found by a relist: intermediate states may have been missed. */
      readonly relisted?: true;
    }
  /** `stale` when the deletion was found by a relist: the object may be older than its last state. */
  | { readonly type: 'delete'; readonly object: C; readonly stale: boolean };

/** Called with every change, one at a time, in order. */
export type InformerHandler<C extends Cached> = (event: InformerEvent<C>) => void;

/** A registered handler; `remove` unregisters it. */
export interface HandlerRegistration {
  /** True once the initial objects were delivered to this handler. */
  readonly synced: boolean;
  remove(): void;
}

/** The informer's state, or the reason why it makes no progress. */
export type InformerState =
  | { readonly phase: 'stopped' | 'listing' | 'watching' }
  | { readonly phase: 'backing-off'; readonly error: Error }
  /** 403: no data until the permission is restored; the informer keeps retrying. */
  | { readonly phase: 'forbidden'; readonly error: Error }
  /** 404: the server does not serve the kind (a missing CRD); the informer keeps retrying. */
  | { readonly phase: 'missing'; readonly error: Error };

/** An informer's health, for probes and status pages. */
export interface InformerHealth {
  readonly state: InformerState;
  readonly synced: boolean;
  /** Milliseconds since anything (event or bookmark) was received. */
  readonly lastEventAgeMs: number | undefined;
  readonly consecutiveStalls: number;
}

/** One kind in memory, kept in sync with the server, with handlers for its changes. */
export interface Informer<C extends Cached = Stored<KubernetesObject>> {
  /** The kind. */
  readonly type: ResourceType;
  /** Its namespace, if it is limited to one. */
  readonly namespace: string | undefined;
  /** The cached objects. */
  readonly store: ReadonlyStore<C>;
  /** Whether the initial list is complete. */
  readonly synced: boolean;
  /** Handlers run synchronously, in order, one event at a time; their exceptions are logged and counted. */
  addHandler(handler: InformerHandler<C>): HandlerRegistration;
  /** Resolves once the first full list is in the store; rejects when the signal aborts. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Whether it watches, and since when it could not. */
  health(): InformerHealth;
  /** Runs until the signal aborts. Rejects only for a programming error. */
  run(signal: AbortSignal): Promise<void>;
}
