/**
 * A binary heap of items by due time, earliest first; at equal times, first come first served.
 *
 * Each item stores its own position (`heapIndex`), so that moving or removing one costs O(log n) without a search. An
 * item is in at most one heap.
 */
export interface Delayed {
  /** On the monotonic clock, in milliseconds. Change it only between `remove` and `set`, or through `set`. */
  dueAt: number;
  /** Kept by the heap; -1 while outside. */
  heapIndex: number;
  /** Set by the heap: the order of arrival among items with the same due time. */
  heapOrder: number;
}

export class DelayHeap<T extends Delayed> {
  readonly #items: T[] = [];
  #entered = 0;

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** Inserts the item, or moves it to another time. */
  set(item: T, dueAt: number): void {
    item.dueAt = dueAt;
    if (item.heapIndex < 0) {
      item.heapIndex = this.#items.length;
      item.heapOrder = this.#entered++;
      this.#items.push(item);
    }
    this.#settle(item);
  }

  remove(item: T): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop() as T;
    if (last === item) return;
    this.#items[index] = last;
    last.heapIndex = index;
    this.#settle(last);
  }

  clear(): void {
    for (const item of this.#items) item.heapIndex = -1;
    this.#items.length = 0;
  }

  /** Moves the item up, then down, until its parent is not later and its children are not earlier. */
  #settle(item: T): void {
    let index = item.heapIndex;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(item, this.#at(parent))) break;
      index = this.#swap(index, parent);
    }
    for (;;) {
      const left = 2 * index + 1;
      if (left >= this.#items.length) break;
      const right = left + 1;
      const earlier = right < this.#items.length && isBefore(this.#at(right), this.#at(left)) ? right : left;
      if (!isBefore(this.#at(earlier), item)) break;
      index = this.#swap(index, earlier);
    }
  }

  /** Swaps two positions and returns the second. */
  #swap(from: number, to: number): number {
    const moved = this.#at(from);
    const other = this.#at(to);
    this.#items[from] = other;
    other.heapIndex = from;
    this.#items[to] = moved;
    moved.heapIndex = to;
    return to;
  }

  #at(index: number): T {
    return this.#items[index] as T;
  }
}

function isBefore(left: Delayed, right: Delayed): boolean {
  return left.dueAt < right.dueAt || (left.dueAt === right.dueAt && left.heapOrder < right.heapOrder);
}
