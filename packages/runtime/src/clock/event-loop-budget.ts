/**
 * Yields to timers and sockets during long work, so that the event loop never lags for long.
 *
 * In: every part that may work for long on one clock, each with its own `EventLoopBudget`. Out: when to pause. Guarantees:
 * all of them together take about eight milliseconds per turn of the event loop, plus at most one piece of work; ten
 * workers and a dozen watches with eight milliseconds each would block it for two hundred. Waiters resume in the
 * order in which they paused. Work that cannot be divided still takes as long as it takes.
 */
import type { Clock } from './clock.ts';

const LONGEST_TURN_MS = 8;

/**
 * A share of the event loop for work that takes long. Controllers and caches pause by it already; your own long work
 * does so too, on the same clock, and then takes turns with them.
 *
 * @example
 * ```ts
 * async function digestAll(texts: readonly string[], digest: (text: string) => void): Promise<void> {
 *   const budget = new EventLoopBudget(systemClock);
 *   for (const text of texts) {
 *     const full = budget.pause();
 *     if (full) await full;
 *     digest(text);
 *   }
 * }
 * ```
 */
export class EventLoopBudget {
  readonly #turn: Turn;

  constructor(clock: Clock) {
    this.#turn = turnOf(clock);
  }

  /** A promise to await if this turn's share is used up, else undefined. Ask before each piece of work. */
  pause(): Promise<void> | undefined {
    return this.#turn.isOver() ? new Promise((resolve) => this.#turn.next(resolve)) : undefined;
  }

  /**
   * Calls `work` in a later turn, after all who wait already. For a group of tasks that are to get one place in the
   * queue together: a promise that `work` resolves may still continue in that turn.
   */
  onNextTurn(work: () => void): void {
    this.#turn.next(work);
  }
}

class Turn {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  isOver(): boolean {
    return this.#clock.monotonic() - this.#since >= LONGEST_TURN_MS;
  }

  next(resume: () => void): void {
    if (this.#waiting.push(resume) === 1) setImmediate(() => this.#begin());
  }

  #begin(): void {
    this.#since = this.#clock.monotonic();
    this.#resumeOne();
  }

  #resumeOne(): void {
    const resume = this.#waiting.shift();
    // One that waits again, as the only one, begins the next turn by itself.
    const isLast = this.#waiting.length === 0;
    resume?.();
    if (isLast) return;
    // After the microtasks of the one just resumed.
    queueMicrotask(() => {
      if (this.isOver()) setImmediate(() => this.#begin());
      else this.#resumeOne();
    });
  }
}

/** One per clock: tests have their own clocks, the program has one. */
const turns = new WeakMap<Clock, Turn>();

function turnOf(clock: Clock): Turn {
  let turn = turns.get(clock);
  if (!turn) {
    turn = new Turn(clock);
    turns.set(clock, turn);
  }
  return turn;
}
