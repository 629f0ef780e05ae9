/**
 * Lets timers and sockets have their turn during long work, so that the event loop never lags for long.
 *
 * In: everybody who may work for long on one clock, each with a `Breather` of its own. Out: when to stop for a while.
 * Guarantees: all of them together take about eight milliseconds in one turn of the event loop, and at most one more piece
 * of one of them; ten workers and a dozen watches that each took eight would hold it for two hundred. Who waited first goes
 * on first. Whoever cannot divide his work still takes as long as it takes.
 */
import type { Clock } from '../../clock/clock.ts';

const LONGEST_TURN_MS = 8;

export class Breather {
  readonly #turn: Turn;

  constructor(clock: Clock) {
    this.#turn = turnOf(clock);
  }

  /** A promise to await when this turn has taken long enough, else undefined. To be asked before each piece of work. */
  pause(): Promise<void> | undefined {
    return this.#turn.isOver() ? this.#turn.next() : undefined;
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

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#begin());
    });
  }

  #begin(): void {
    this.#since = this.#clock.monotonic();
    this.#resumeOne();
  }

  #resumeOne(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length === 0) return;
    // Behind what the one just resumed does at once.
    queueMicrotask(() => {
      if (this.isOver()) setImmediate(() => this.#begin());
      else this.#resumeOne();
    });
  }
}

/** One for each clock: tests have clocks of their own, and the program has one. */
const turns = new WeakMap<Clock, Turn>();

function turnOf(clock: Clock): Turn {
  let turn = turns.get(clock);
  if (!turn) {
    turn = new Turn(clock);
    turns.set(clock, turn);
  }
  return turn;
}
