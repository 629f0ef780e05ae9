/**
 * Read your own writes: what the server answered to them, until the cache has come so far.
 *
 * In: answers to our writes, and the events of the cache. Out: one ConfigMap as it is known now, and whether an event
 * is nothing but the echo of a write. Everything is found by key, so that ten thousand writes under way cost no more
 * than one. Guarantees: never older than our last write of that key; what the cache has reached is forgotten at once.
 */
import type { CachingInformer, Clock, InformerEvent, kinds, ObjectKey, Stored } from '@reloader/runtime';
import { keyString } from '@reloader/runtime';
import type { GeneratedFacts } from './model.ts';
import { projectGenerated } from './project.ts';

type Pending =
  /** `facts` are made of it when somebody asks: most often the cache is there first. */
  | { readonly version: string; readonly facts: () => GeneratedFacts }
  /** Deleted: hidden until the cache says so, or until it must be a mistake. */
  | { readonly version: undefined; readonly uid: string; readonly until: number };

const DELETION_SHOWS_WITHIN_MS = 10_000;

export class OwnWrites {
  readonly #informer: CachingInformer<GeneratedFacts>;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  /** Keys of creates that were sent and not answered. */
  readonly #creating = new Set<string>();
  #echo: InformerEvent<GeneratedFacts> | undefined;

  constructor(informer: CachingInformer<GeneratedFacts>, clock: Clock) {
    this.#informer = informer;
    this.#clock = clock;
    informer.addHandler((event) => this.#seen(event));
  }

  /**
   * A create is on its way; call the returned function when its answer is known. What appears under that key meanwhile is
   * its echo, which often comes first; or the reason why it will be refused, and whoever is refused looks.
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

  /** Of the event that is being handed out. */
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

/** Versions are whole numbers, and may be longer than any that JavaScript counts with. */
function isReached(reached: string | undefined, version: string): boolean {
  if (reached === undefined) return false;
  return reached.length === version.length ? reached >= version : reached.length > version.length;
}
