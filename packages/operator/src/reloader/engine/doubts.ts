/**
 * Counts the reloads that only timestamps justify (doubts), before the engine makes the first of them.
 *
 * In: each pass of this process, and the workloads that every start reconciles. Out: whether such reloads are few, or
 * too many and have to be held; workloads that wait for the answer are requeued. Guarantees: one start never makes more
 * such reloads than the limit; no workload waits for the count beyond its deadline; after the count, the doubts of the
 * last minutes count.
 */
import { type DoubtCount, MOST_DOUBTS } from '../model/doubts.ts';

/** One workload that is never reconciled must not block all others. */
const LONGEST_COUNT_MS = 120_000;
/** Older doubts are dropped: a few doubts spread over days do not indicate a restart. */
const COUNTED_FOR_MS = 600_000;

export interface DoubtsOptions {
  /** Keys of all workloads that are reconciled when a process starts. */
  readonly expected: () => Iterable<string>;
  readonly wake: (key: string) => void;
  readonly now: () => number;
  /** Called once when the doubts exceed the limit. */
  readonly tooMany: () => void;
}

export class Doubts {
  readonly #options: DoubtsOptions;
  /** By workload key: when its doubt was found, in milliseconds since the epoch. */
  readonly #found = new Map<string, number>();
  /** Workloads with a finished pass; undefined after the count. */
  #looked: Set<string> | undefined = new Set();
  /** Workloads that still have no pass; undefined before the first doubt, and after the count. */
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

  /** Only timestamps justify a reload of this workload. True if it was not counted yet. */
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

  /** A pass over this workload has ended, with any result. */
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
