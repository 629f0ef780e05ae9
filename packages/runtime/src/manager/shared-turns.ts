/**
 * Shares a bounded part of each turn of the event loop among many small pieces of work.
 *
 * In: tasks with small steps. Out: their steps, one of each in turn, for a few milliseconds per turn of the loop in
 * total. Guarantees: every task gets its turn, none twice in one round, and many tasks block the loop no longer than
 * one does.
 */

/** Does one step; returns whether there is another one. */
export interface InSteps {
  step(): boolean;
}

const LONGEST_TURN_MS = 4;

/** Its clock, and how it schedules the next turn of the loop. */
export interface SharedTurnsOptions {
  readonly now?: () => number;
  readonly later?: (run: () => void) => void;
}

export class SharedTurns {
  readonly #waiting = new Set<InSteps>();
  readonly #now: () => number;
  readonly #later: (run: () => void) => void;
  #isDue = false;

  constructor({
    now = () => performance.now(),
    later = (run) => void setImmediate(run),
  }: SharedTurnsOptions = {}) {
    this.#now = now;
    this.#later = later;
  }

  /** Adds a task with a step to do. Adding it again before its turn changes nothing. */
  add(each: InSteps): void {
    this.#waiting.add(each);
    this.#comeBack();
  }

  #comeBack(): void {
    if (this.#isDue || this.#waiting.size === 0) return;
    this.#isDue = true;
    this.#later(() => this.#run());
  }

  #run(): void {
    this.#isDue = false;
    const began = this.#now();
    // A task that is added again meanwhile goes to the end of the queue, which this loop reaches too.
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each.step()) this.#waiting.add(each);
      if (this.#now() - began >= LONGEST_TURN_MS) break;
    }
    this.#comeBack();
  }
}
