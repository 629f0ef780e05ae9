/**
 * Writes that an informer has not delivered yet, found by key, by index value and by age.
 *
 * In: entries as they are added and dropped. Out: the entry of a key, the objects of an index value, and the entries
 * that the informer may have caught up with. Guarantees: none of these operations iterates over all writes under way;
 * only deletions and unanswered writes, which are few, are checked every time.
 */
import { keyString, type ObjectKey } from '../model/types.ts';
import { compareVersions, hasReached } from '../reflector/versions.ts';
import type { CachingInformer } from './caching-informer.ts';
import type { Cached } from './informer.ts';
import { InvertedIndex } from './inverted-index.ts';

/** State of one key beyond the informer's. */
export interface Pending<C extends Cached> {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly version: string;
  /** Undefined for a tombstone. */
  readonly object: C | undefined;
  /** The versions that our writes created, each with its writer. */
  readonly own: ReadonlyMap<string, string>;
  /** A write may or may not have happened. */
  readonly uncertain: boolean;
  /** Monotonic time after which a tombstone or an uncertainty is forgotten. */
  readonly expires: number;
}

export class PendingWrites<C extends Cached> {
  readonly #informer: CachingInformer<C>;
  readonly #entries = new Map<string, Pending<C>>();
  /** Oldest first, for each part of the informer that advances separately. May hold dropped entries. */
  readonly #byAge = new Map<string, Pending<C>[]>();
  /** Entries that are not decided by version alone. */
  readonly #special = new Set<string>();
  /** Created by the first query. */
  readonly #indexes = new Map<string, InvertedIndex<C>>();

  constructor(informer: CachingInformer<C>) {
    this.#informer = informer;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): Pending<C> | undefined {
    return this.#entries.get(name);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  values(): Iterable<Pending<C>> {
    return this.#entries.values();
  }

  set(entry: Pending<C>): void {
    const name = keyString(entry.key);
    const old = this.#entries.get(name);
    for (const index of this.#indexes.values()) index.change(old?.object, entry.object);
    this.#entries.set(name, entry);
    if (entry.object && !entry.uncertain && isDecimal(entry.version)) {
      this.#special.delete(name);
      if (old?.version !== entry.version || !old.object || old.uncertain) this.#line(entry);
    } else {
      this.#special.add(name);
    }
  }

  /** Returns whether there was one. */
  delete(name: string): boolean {
    const old = this.#entries.get(name);
    if (!old) return false;
    for (const index of this.#indexes.values()) index.change(old.object, undefined);
    this.#special.delete(name);
    this.#entries.delete(name);
    // Only dropped entries are left in line. Nobody asks `reached` while there is nothing to find, so they would stay.
    if (this.#entries.size === 0) this.#byAge.clear();
    return true;
  }

  /** The written objects with this index value. */
  byIndex(index: string, value: string): Iterable<C> {
    const known = this.#indexes.get(index) ?? this.#createIndex(index);
    return known.get(value);
  }

  /** Entries that the informer may have caught up with since the last call, each once. */
  reached(): readonly Pending<C>[] {
    const found: Pending<C>[] = [];
    for (const [place, line] of this.#byAge) {
      const oldest = line[0];
      if (!oldest) continue;
      const isGone = !this.#informer.covers(oldest.key);
      const version = this.#informer.reached(oldest.key);
      const waiting = line.findIndex((entry) => !isGone && !hasReached(version, entry.version));
      const passed = line.splice(0, waiting < 0 ? line.length : waiting);
      if (line.length === 0) this.#byAge.delete(place);
      for (const { key, version: written } of passed) {
        const entry = this.#entries.get(keyString(key));
        if (entry?.version === written) found.push(entry);
      }
    }
    for (const name of this.#special) {
      const entry = this.#entries.get(name);
      if (entry) found.push(entry);
    }
    return found;
  }

  #line(entry: Pending<C>): void {
    const place = this.#informer.placeOf(entry.key);
    const line = this.#byAge.get(place) ?? [];
    this.#byAge.set(place, line);
    // Answers arrive nearly in the order of their versions.
    let at = line.length;
    while (at > 0 && isNewer(line[at - 1], entry)) at--;
    line.splice(at, 0, entry);
  }

  #createIndex(name: string): InvertedIndex<C> {
    const index = new InvertedIndex<C>(
      (object) => this.#informer.indexValues(name, object),
      () => undefined,
    );
    for (const { object } of this.#entries.values()) index.change(undefined, object);
    this.#indexes.set(name, index);
    return index;
  }
}

function isDecimal(version: string): boolean {
  return compareVersions(version, version) !== undefined;
}

function isNewer(one: Pending<Cached> | undefined, other: Pending<Cached>): boolean {
  return one !== undefined && (compareVersions(one.version, other.version) ?? 0) > 0;
}
