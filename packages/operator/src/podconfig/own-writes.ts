/**
 * Read your own writes: keeps the server's answers until the cache has caught up.
 *
 * In: answers to our writes, and the events of the cache. Out: one ConfigMap in its latest known state, and whether an
 * event is only the echo of a write. Everything is looked up by key, so that ten thousand writes in flight cost no more
 * than one. Guarantees: never older than our last write of that key; an entry is dropped as soon as the cache has
 * reached it.
 */
import type { CachingInformer, Clock, InformerEvent, kinds, ObjectKey, Stored } from '@reloader/runtime';
import { keyString } from '@reloader/runtime';
import type { GeneratedFacts } from './model.ts';
import { projectGenerated } from './project.ts';

type Pending =
  /** `facts` are computed on demand: mostly the cache is faster. */
  | { readonly version: string; readonly facts: () => GeneratedFacts }
  /** Deleted: hidden until the cache shows the deletion, or until a time limit. */
  | { readonly version: undefined; readonly uid: string; readonly until: number };

const DELETION_SHOWS_WITHIN_MS = 10_000;

export class OwnWrites {
  readonly #informer: CachingInformer<GeneratedFacts>;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  /** Keys of creates that were sent and have no answer yet. */
  readonly #creating = new Set<string>();
  #echo: InformerEvent<GeneratedFacts> | undefined;

  constructor(informer: CachingInformer<GeneratedFacts>, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.addHandler((event) => this.#seen(event));
  }

  /**
   * A create is in flight; call the returned function when its answer is known. An object that appears under that key
   * meanwhile is its echo, which often comes first; or the reason why the create will be refused, and then the caller
   * reads the object.
   */
  creating(key: ObjectKey): () => void {
    const text = keyString(key);
    this.#creating.add(text);
    return () => this.#creating.delete(text);
  }

  written(object: Stored<kinds.ConfigMapObject>): void {
    const { metadata } = object;
    const version = metadata.resourceVersion;
    if (isReached(this.#informer.reached(metadata), version)) return;
    let facts: GeneratedFacts | undefined;
    this.#pending.set(keyString(metadata), {
      version,
      facts: () => {
        facts ??= projectGenerated(object);
        return facts;
      },
    });
  }

  deleted(metadata: GeneratedFacts['metadata']): void {
    const until = this.#clock.monotonic() + DELETION_SHOWS_WITHIN_MS;
    if (this.#informer.store.get(metadata)?.metadata.uid === metadata.uid)
      this.#pending.set(keyString(metadata), { version: undefined, uid: metadata.uid, until });
    else this.#pending.delete(keyString(metadata));
  }

  get(key: ObjectKey): GeneratedFacts | undefined {
    const cached = this.#informer.store.get(key);
    const text = keyString(key);
    const pending = this.#pending.get(text);
    if (!pending) return cached;
    if (this.#isOver(pending, key, cached)) {
      this.#pending.delete(text);
      return cached;
    }
    return pending.version === undefined ? undefined : pending.facts();
  }

  /** Valid only for the event that is being delivered. */
  isEcho(event: InformerEvent<GeneratedFacts>): boolean {
    return this.#echo === event;
  }

  #isOver(pending: Pending, key: ObjectKey, cached: GeneratedFacts | undefined): boolean {
    if (pending.version !== undefined) return isReached(this.#informer.reached(key), pending.version);
    return cached?.metadata.uid !== pending.uid || this.#clock.monotonic() > pending.until;
  }

  #seen(event: InformerEvent<GeneratedFacts>): void {
    this.#echo = undefined;
    const { metadata } = event.object;
    const text = keyString(metadata);
    const pending = this.#pending.get(text);
    if (event.type === 'add' && this.#creating.has(text)) this.#echo = event;
    if (!pending) return;
    const isOurs =
      pending.version === undefined
        ? event.type === 'delete' && pending.uid === metadata.uid
        : event.type !== 'delete' && pending.version === metadata.resourceVersion;
    if (isOurs) this.#echo = event;
    if (isOurs || this.#isOver(pending, metadata, this.#informer.store.get(metadata)))
      this.#pending.delete(text);
  }
}

/** Versions are decimal integers, and may be too long for a JavaScript number. */
function isReached(reached: string | undefined, version: string): boolean {
  if (reached === undefined) return false;
  return reached.length === version.length ? reached >= version : reached.length > version.length;
}
