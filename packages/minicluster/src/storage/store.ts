/**
 * All objects of the cluster, under one revision.
 *
 * In: creates, updates and removals of whole objects. Out: reads of the current or a recent revision, and events.
 * Guarantees: every write gets the next revision, and the object's resourceVersion is the revision of its last write;
 * listeners are called for every write in order of revision, also for writes made by a listener; stored objects are
 * never mutated. It validates nothing: callers do that.
 */
import type { Clock } from '@reloader/runtime';
import type { KubeObject } from '../model/object.ts';
import { type Collection, currentSnapshot, type Snapshot, snapshotAt } from './collection.ts';
import { DEFAULT_WINDOW, EventLog, type EventType, type StoredEvent, type WatchWindow } from './event-log.ts';
import { SortedKeys } from './sorted-keys.ts';

export interface StoreOptions {
  readonly clock: Clock;
  readonly window?: Partial<WatchWindow>;
}

export type StoreListener = (event: StoredEvent) => void;

/** The key of an object inside its resource. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The name under which a resource is stored: `deployments.apps`, `secrets`. */
export function storageName(resource: { readonly group: string; readonly plural: string }): string {
  return resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
}

/** The stored objects under one revision, with the window of events from which a watch may start. */
export class Store {
  readonly #clock: Clock;
  readonly #window: WatchWindow;
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<StoreListener>();
  readonly #byResource = new Map<string, Set<StoreListener>>();
  readonly #undelivered: StoredEvent[] = [];
  #delivering = false;
  #revision = 1;

  constructor(options: StoreOptions) {
    this.#clock = options.clock;
    this.#window = { ...DEFAULT_WINDOW, ...options.window };
  }

  get revision(): number {
    return this.#revision;
  }

  /** Every resource that has or had objects. */
  resources(): string[] {
    return [...this.#collections.keys()];
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.#collections.get(resource)?.objects.get(key);
  }

  count(resource: string): number {
    return this.#collections.get(resource)?.objects.size ?? 0;
  }

  now(resource: string): Snapshot {
    return currentSnapshot(this.#collection(resource), this.#revision);
  }

  /** The state at `revision`; undefined if it has expired. */
  at(resource: string, revision: number): Snapshot | undefined {
    return snapshotAt(this.#collection(resource), revision);
  }

  /** The events of `resource` after `revision`; undefined if some have expired. */
  eventsSince(resource: string, revision: number): StoredEvent[] | undefined {
    return this.#collection(resource).log.since(revision);
  }

  /** The oldest revision from which `resource` can still be watched. */
  floor(resource: string): number {
    return this.#collection(resource).log.floor;
  }

  /** Stores `object` under a key, new or not, and sets its resourceVersion. The store owns it from here. */
  put(resource: string, key: string, object: KubeObject): KubeObject {
    const collection = this.#collection(resource);
    const old = collection.objects.get(key);
    object.metadata.resourceVersion = String(++this.#revision);
    collection.objects.set(key, object);
    if (!old) collection.keys.add(key);
    this.#record(collection, old ? 'MODIFIED' : 'ADDED', resource, key, object, old);
    return object;
  }

  /** Removes an object. Returns its last state, which carries the revision of the removal. */
  remove(resource: string, key: string): KubeObject | undefined {
    const collection = this.#collection(resource);
    const old = collection.objects.get(key);
    if (!old) return undefined;
    const object = { ...old, metadata: { ...old.metadata, resourceVersion: String(++this.#revision) } };
    collection.objects.delete(key);
    collection.keys.remove(key);
    this.#record(collection, 'DELETED', resource, key, object, old);
    return object;
  }

  /** Drops all events up to `revision`, as etcd's compaction does every five minutes. */
  compact(revision = this.#revision): void {
    for (const collection of this.#collections.values()) collection.log.compact(revision);
  }

  /** Calls back after every write, or after those to one resource. Returns a function that unsubscribes. */
  subscribe(listener: StoreListener, resource?: string): () => void {
    let listeners = this.#listeners;
    if (resource !== undefined) {
      listeners = this.#byResource.get(resource) ?? new Set();
      this.#byResource.set(resource, listeners);
    }
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  #collection(resource: string): Collection {
    let collection = this.#collections.get(resource);
    if (!collection) {
      collection = { objects: new Map(), keys: new SortedKeys(), log: new EventLog(this.#window) };
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  #record(
    collection: Collection,
    type: EventType,
    resource: string,
    key: string,
    object: KubeObject,
    old: KubeObject | undefined,
  ): void {
    const event: StoredEvent = {
      type,
      revision: this.#revision,
      resource,
      key,
      object,
      old,
      at: this.#clock.monotonic(),
      encoded: new Map(),
    };
    collection.log.append(event);
    this.#undelivered.push(event);
    this.#deliver();
  }

  /**
   * A listener may write: its events wait here until every listener was called for the earlier one. If a listener
   * throws, the others are still called; the writer gets the error.
   */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    const errors: unknown[] = [];
    for (let event = this.#undelivered.shift(); event; event = this.#undelivered.shift()) {
      for (const listeners of [this.#byResource.get(event.resource), this.#listeners]) {
        for (const listener of listeners ?? []) {
          try {
            listener(event);
          } catch (error) {
            errors.push(error);
          }
        }
      }
      // Every open watch has it now; later ones are rare enough to encode it again.
      event.encoded.clear();
    }
    this.#delivering = false;
    if (errors.length > 0) throw errors[0];
  }
}
