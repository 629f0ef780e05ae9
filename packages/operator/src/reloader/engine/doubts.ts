/**
 * Counts the reloads that nothing but times speaks for, before the first of them is made.
 *
 * In: each pass of this process, and the workloads that a start has to look at. Out: whether such reloads are few, or
 * many and have to be held; those that waited for the answer are woken. Guarantees: never more than the limit is reloaded
 * at one start; none waits for the count longer than its deadline; after it, doubts of the last minutes are counted.
 */
import { type DoubtCount, MOST_DOUBTS } from '../model/doubts.ts';

/** Somebody who is never looked at must not hold up everybody. */
const LONGEST_COUNT_MS = 120_000;
/** Doubts that come one by one over days are no start. */
const COUNTED_FOR_MS = 600_000;

export interface DoubtsOptions {
  /** Keys of all workloads that are looked at when a process begins. */
  readonly expected: () => Iterable<string>;
  readonly wake: (key: string) => void;
  readonly now: () => number;
  /** Called once when they become too many. */
  readonly tooMany: () => void;
}

export class Doubts {
  readonly #options: DoubtsOptions;
  /** Milliseconds since the epoch: when each was found. */
  readonly #found = new Map<string, number>();
  /** Until the count has ended. */
  #looked: Set<string> | undefined = new Set();
  /** Those that were not looked at when the first doubt was found; undefined before that, and after the count. */
  #missing: Set<string> | undefined;
  #began: number | undefined;
  #isMany = false;

  constructor(options: DoubtsOptions) {
    this.#options = options;
  }

  get count(): DoubtCount {
    this.#forgetOld();
    if (this.#isMany) return 'many';
    return this.#looked ? 'counting' : 'few';
  }

  /** Times alone would reload this one. True if that is news. */
  add(key: string): boolean {
    this.#forgetOld();
    if (this.#found.has(key)) return false;
    this.#found.set(key, this.#options.now());
    if (this.#looked) this.#missing ??= this.#notLookedAt(this.#looked);
    if (!this.#isMany && this.#found.size > MOST_DOUBTS) {
      this.#isMany = true;
      this.#options.tooMany();
      this.#end();
    }
    return true;
  }

  /** A pass over this one has ended, whatever became of it. */
  looked(key: string): void {
    if (!this.#looked) return;
    const now = this.#options.now();
    this.#began ??= now;
    this.#looked.add(key);
    this.#missing?.delete(key);
    if (this.#missing?.size === 0 || now - this.#began >= LONGEST_COUNT_MS) this.#end();
  }

  #notLookedAt(looked: ReadonlySet<string>): Set<string> {
    const missing = new Set<string>();
    for (const key of this.#options.expected()) if (!looked.has(key)) missing.add(key);
    return missing;
  }

  #end(): void {
    this.#looked = undefined;
    this.#missing = undefined;
    for (const key of this.#found.keys()) this.#options.wake(key);
  }

  #forgetOld(): void {
    const oldest = this.#options.now() - COUNTED_FOR_MS;
    for (const [key, at] of this.#found) if (at < oldest) this.#found.delete(key);
    if (this.#found.size <= MOST_DOUBTS) this.#isMany = false;
  }
}
