/** Lets timers and sockets have their turn during long work, so that the event loop never lags for long. */
import type { Clock } from '../../clock/clock.ts';

const LONGEST_TURN_MS = 8;

export class Breather {
  readonly #clock: Clock;
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** A promise to await when this turn has taken long enough, else undefined. */
  pause(): Promise<void> | undefined {
    if (this.#clock.monotonic() - this.#since < LONGEST_TURN_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = this.#clock.monotonic();
        resolve();
      });
    });
  }
}
