/**
 * The keys that a worker may take now, and which one is next.
 *
 * - A higher priority goes first. Positive priorities do not age and never wait for others: they are meant for rare
 *   and urgent keys.
 * - A negative priority grows by one for each second of waiting, up to zero. Keys that have aged to zero get a tenth
 *   of all turns while keys of priority zero wait too, so neither side can starve the other. Turns that they got
 *   while nothing else waited count, so that fresh keys are rarely delayed at all.
 * - Within a priority, namespaces take turns (`namespace-ring.ts`); within a namespace the first to come is the first
 *   served.
 *
 * Ageing moves nothing: all waiting keys age alike, so `priority - second of arrival` is a fixed order.
 */
import { NamespaceRing, type RingKey } from './namespace-ring.ts';

export interface ReadyKey extends RingKey {
  readonly priority: number;
  /** When it became ready, in milliseconds on the monotonic clock. */
  readonly readySince: number;
}

/** This many turns of fresh keys earn one turn for keys that have aged to zero. */
const LIVE_TURNS = 9;
/** Limit on the credit of aged keys: a quiet hour must not cost them the next busy one. */
const MOST_AHEAD = 10;

export class ReadyKeys<T extends ReadyKey> {
  readonly #fixed = new Levels();
  readonly #ageing = new Levels();
  readonly #countByPriority = new Map<number, number>();
  #size = 0;
  /** Turns of fresh keys not yet matched by a turn of aged keys; below zero if aged keys are ahead. */
  #liveTurns = 0;

  get size(): number {
    return this.#size;
  }

  /** How many wait, by their original priority. A priority that occurred once stays, at zero. */
  get countByPriority(): ReadonlyMap<number, number> {
    return this.#countByPriority;
  }

  push(key: T): void {
    const { priority } = key;
    if (priority >= 0) this.#fixed.at(priority).push(key);
    else this.#ageing.at(priority - secondsOf(key.readySince)).push(key);
    this.#count(priority, 1);
  }

  remove(key: T): void {
    const ring = key.group?.ring;
    if (!ring) return;
    ring.remove(key);
    if (ring.size === 0) (key.priority >= 0 ? this.#fixed : this.#ageing).drop(ring.id);
    this.#count(key.priority, -1);
  }

  /** Removes and returns the next key. */
  take(now: number): T | undefined {
    const fixed = this.#fixed.highest();
    const ageing = this.#ageing.highest();
    const ring = this.#isAgedTurn(fixed, ageing, now) ? ageing : (fixed ?? ageing);
    const key = ring?.shift() as T | undefined;
    if (!key) return undefined;
    if (ring === ageing) this.#liveTurns = Math.max(this.#liveTurns - LIVE_TURNS, -MOST_AHEAD * LIVE_TURNS);
    else if (ageing) this.#liveTurns = Math.min(this.#liveTurns + 1, LIVE_TURNS);
    this.#count(key.priority, -1);
    return key;
  }

  #isAgedTurn(fixed: NamespaceRing | undefined, ageing: NamespaceRing | undefined, now: number): boolean {
    if (!fixed || !ageing || fixed.id > 0) return false;
    return ageing.id + secondsOf(now) >= 0 && this.#liveTurns >= LIVE_TURNS;
  }

  #count(priority: number, by: 1 | -1): void {
    this.#size += by;
    this.#countByPriority.set(priority, (this.#countByPriority.get(priority) ?? 0) + by);
  }
}

/** Rings by descending id. There are few: one per priority in use, and one per second for those that age. */
class Levels {
  readonly #rings = new Map<number, NamespaceRing>();
  /** Ascending, so that the highest is cheap to drop. */
  readonly #ids: number[] = [];

  at(id: number): NamespaceRing {
    const known = this.#rings.get(id);
    if (known) return known;
    const ring = new NamespaceRing(id);
    this.#rings.set(id, ring);
    this.#ids.splice(this.#placeOf(id), 0, id);
    return ring;
  }

  highest(): NamespaceRing | undefined {
    for (;;) {
      const id = this.#ids.at(-1);
      if (id === undefined) return undefined;
      const ring = this.#rings.get(id);
      if (ring && ring.size > 0) return ring;
      this.drop(id);
    }
  }

  drop(id: number): void {
    if (this.#rings.delete(id)) this.#ids.splice(this.#placeOf(id), 1);
  }

  #placeOf(id: number): number {
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ids[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1000);
}
