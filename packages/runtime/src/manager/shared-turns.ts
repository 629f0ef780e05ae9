/**
 * Many pieces of small work in one bounded share of each turn of the event loop.
 *
 * In: whoever has small steps to do. Out: its steps, one of each in turn, for a few milliseconds in each turn of the loop
 * for all of them together. Guarantees: nobody is forgotten, nobody is asked twice in one round, and a crowd holds up the
 * loop no longer than one of them does.
 */

/** Does one step; says whether there is another one to do. */
export interface InSteps {
  step(): boolean;
}

const LONGEST_TURN_MS = 4;

/** What it tells the time by, and how it comes back in the next turn of the loop. */
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

  /** It has a step to do. Adding it again before its turn came changes nothing. */
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
    // Who is added again meanwhile stands at the end of the line, and is met there by the same loop.
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each.step()) this.#waiting.add(each);
      if (this.#now() - began >= LONGEST_TURN_MS) break;
    }
    this.#comeBack();
  }
}
