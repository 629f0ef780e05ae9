/** One kind kept in step with the server, shared by any number of handlers. Implemented by `createInformer`. */
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';

/** What a cache keeps of an object: at least its identity. A projection may drop everything else. */
export interface Cached {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** Reads never reach the server and never copy: treat what they return as frozen. */
export interface ReadonlyStore<C extends Cached> {
  get(key: ObjectKey): C | undefined;
  list(namespace?: string): Iterable<C>;
  /** Objects whose index function returned `value`. Throws for an index that was not declared. */
  byIndex(index: string, value: string): Iterable<C>;
  readonly size: number;
  /** The newest resourceVersion that this store is known to reflect. */
  readonly resourceVersion: string | undefined;
}

/** Indexes by name: each function says under which values an object is found. */
export type IndexFunctions<C extends Cached> = Readonly<Record<string, (object: C) => readonly string[]>>;

/** A change of what an informer holds. */
export type InformerEvent<C extends Cached> =
  /** `initial` for objects that were there when this handler began. */
  | { readonly type: 'add'; readonly object: C; readonly initial: boolean; readonly relisted?: true }
  /** `resync` for a periodic replay with `old === object`. */
  | {
      readonly type: 'update';
      readonly old: C;
      readonly object: C;
      readonly resync: boolean;
      /** Found by a relist: there may have been states in between that nobody saw. */
      readonly relisted?: true;
    }
  /** `stale` when the deletion was found by a relist: the object may be older than its last state. */
  | { readonly type: 'delete'; readonly object: C; readonly stale: boolean };

/** Hears of every change, one at a time, in order. */
export type InformerHandler<C extends Cached> = (event: InformerEvent<C>) => void;

/** A handler that listens, and how to end that. */
export interface HandlerRegistration {
  /** True once the initial objects were handed to this handler. */
  readonly synced: boolean;
  remove(): void;
}

/** What an informer is busy with, or what keeps it from its work. */
export type InformerState =
  | { readonly phase: 'stopped' | 'listing' | 'watching' }
  | { readonly phase: 'backing-off'; readonly error: Error }
  /** 403: nothing will come until the permission is given back; it is tried again meanwhile. */
  | { readonly phase: 'forbidden'; readonly error: Error }
  /** 404: the kind (a CRD) is not there; it is tried again meanwhile. */
  | { readonly phase: 'missing'; readonly error: Error };

/** Whether an informer can be trusted, for probes and pages. */
export interface InformerHealth {
  readonly state: InformerState;
  readonly synced: boolean;
  /** Milliseconds since anything (event or bookmark) was received. */
  readonly lastEventAgeMs: number | undefined;
  readonly consecutiveStalls: number;
}

/** One kind in memory, kept in step with the server, and what tells of its changes. */
export interface Informer<C extends Cached = Stored<KubernetesObject>> {
  readonly type: ResourceType;
  /** The one namespace it is limited to, if any. */
  readonly namespace: string | undefined;
  readonly store: ReadonlyStore<C>;
  readonly synced: boolean;
  /** Handlers run synchronously, in order, one event at a time; what they throw is logged and counted. */
  addHandler(handler: InformerHandler<C>): HandlerRegistration;
  /** Resolves once the first full list is in the store; rejects when the signal aborts. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  health(): InformerHealth;
  /** Runs until the signal aborts. Rejects only for a programming error. */
  run(signal: AbortSignal): Promise<void>;
}
