import type { Clock, Timer } from '@reloader/runtime';

/** The sum of a metric over its labels, from the text that an operator serves. */
export function sumOf(exposition: string, name: string): number {
  const lines = exposition
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export const megabytes = (bytes = 0): string => (bytes / 1e6).toFixed(2);
export const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(0);

/**
 * Another clock, with a count of the timers that were set through it. The simulated API server gets one, because its
 * watches have a timer less in the two seconds between their last bookmark and their end.
 */
export class CountedClock implements Clock {
  readonly #clock: Clock;
  readonly #pending = new Set<Timer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimeout(callback: () => void, ms: number): Timer {
    const timer = this.#clock.setTimeout(() => {
      this.#pending.delete(timer);
      callback();
    }, ms);
    this.#pending.add(timer);
    return {
      cancel: () => {
        this.#pending.delete(timer);
        timer.cancel();
      },
    };
  }

  get pendingTimers(): number {
    return this.#pending.size;
  }
}
