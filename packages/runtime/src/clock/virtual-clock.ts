/**
 * A clock that moves only when a test says so.
 *
 * In: `advance` and related calls. Out: timers called in order of due time, then of creation. Guarantees: between two
 * timers all promise callbacks have run, so a simulation without real I/O is the same on every run. It does not wait
 * for sockets, files or child processes.
 */
import type { Clock, Timer } from './clock.ts';

interface Waiting {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** When a virtual clock begins. */
export interface VirtualClockOptions {
  /** Wall-clock time at the start, in milliseconds since the epoch. */
  readonly start?: number | undefined;
}

const DEFAULT_START = Date.UTC(2030, 0, 1);

/**
 * A clock that stands still until a test moves it: `advance` runs what becomes due on the way, in order.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * const woken = sleep(clock, 3_600_000);
 * await clock.advance(3_600_000); // an hour, in no time
 * await woken;
 * ```
 */
export class VirtualClock implements Clock {
  readonly #start: number;
  #elapsed = 0;
  #created = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(options: VirtualClockOptions = {}) {
    this.#start = options.start ?? DEFAULT_START;
  }

  now(): number {
    return this.#start + Math.floor(this.#elapsed);
  }

  monotonic(): number {
    return this.#elapsed;
  }

  setTimeout(callback: () => void, ms: number): Timer {
    const entry: Waiting = { due: this.#elapsed + Math.max(0, ms), order: this.#created++, callback };
    this.#waiting.add(entry);
    return { cancel: () => void this.#waiting.delete(entry) };
  }

  /** How many timers are pending: a leak check for tests. */
  get pendingTimers(): number {
    return this.#waiting.size;
  }

  /** Runs every promise callback that is due now, without moving time. */
  async settle(): Promise<void> {
    // Node empties the microtask queue before each immediate, so one turn is enough unless a callback schedules its
    // own immediate (streams do): two more turns let those finish as well.
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Advances time by `ms`, running each timer at its due time. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms;
    await this.settle();
    for (let next = this.#next(target); next; next = this.#next(target)) {
      this.#fire(next);
      await this.settle();
    }
    this.#elapsed = target;
    await this.settle();
  }

  /**
   * Advances time from timer to timer until `done` returns true. Returns the elapsed virtual milliseconds; throws
   * when `limitMs` pass, or when no timer is left.
   */
  async runUntil(done: () => boolean, limitMs = 24 * 3_600_000): Promise<number> {
    const begin = this.#elapsed;
    await this.settle();
    while (!done()) {
      const next = this.#next(begin + limitMs);
      if (!next) {
        const why = this.#waiting.size === 0 ? 'no timer is left' : `${limitMs} virtual ms have passed`;
        throw new Error(`The awaited state was not reached: ${why}`);
      }
      this.#fire(next);
      await this.settle();
    }
    return this.#elapsed - begin;
  }

  /** Jumps forward without running timers at their due times in between, as after a pause of the process. */
  async jump(ms: number): Promise<void> {
    this.#elapsed += ms;
    await this.advance(0);
  }

  /** A view of this clock for a machine whose clock runs at another rate and shows another wall time. */
  skewed(skew: { readonly rate: number; readonly offsetMs?: number }): Clock {
    const { rate, offsetMs = 0 } = skew;
    return {
      now: () => this.#start + offsetMs + Math.floor(this.#elapsed * rate),
      monotonic: () => this.#elapsed * rate,
      setTimeout: (callback, ms) => this.setTimeout(callback, ms / rate),
    };
  }

  #next(limit: number): Waiting | undefined {
    let first: Waiting | undefined;
    for (const entry of this.#waiting) {
      if (entry.due > limit) continue;
      if (!first || entry.due < first.due || (entry.due === first.due && entry.order < first.order))
        first = entry;
    }
    return first;
  }

  #fire(entry: Waiting): void {
    this.#waiting.delete(entry);
    this.#elapsed = Math.max(this.#elapsed, entry.due);
    entry.callback();
  }
}
