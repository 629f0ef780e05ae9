/**
 * Lets the heap grow in larger steps while a burst of reloads lasts.
 *
 * V8 marks the whole heap whenever it has grown by a step, and every reload that waits for its answer adds to it. With the
 * small steps that keep the memory of a start low (`cli/engine-flags.ts`), marking takes a quarter of the processor time
 * of a thousand reloads. In: begin and end of each pass. Out: V8's setting, and a call of `tidy` after the burst, which
 * returns the pages.
 */
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '@reloader/runtime';

export interface HeapStepsOptions {
  readonly clock: Clock;
  readonly tidy: () => void;
  readonly setFlag?: (flag: string) => void;
}

/** Passes at the same time. A single change, or a start that only records, has fewer. */
const BURST = 32;
const OVER_AFTER_MS = 5_000;
/**
 * The first list of a large cluster is garbage as soon as it is hashed. The heap grows in small steps; otherwise it
 * would keep its peak size for as long as the process lives.
 */
export const SMALL_STEPS = '--heap-growing-percent=15';
const LARGE_STEPS = '--heap-growing-percent=60';

/** Whether the process has small steps. One that only embeds the operator keeps its own setting. */
let hasSteps = false;

export function useSteps(): void {
  hasSteps = true;
}

export class HeapSteps {
  readonly #options: HeapStepsOptions;
  #running = 0;
  #isBurst = false;
  #lastAt = 0;

  constructor(options: HeapStepsOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#running += 1;
    if (this.#running < BURST) return;
    this.#lastAt = this.#options.clock.monotonic();
    if (this.#isBurst || !(hasSteps || this.#options.setFlag)) return;
    this.#isBurst = true;
    this.#set(LARGE_STEPS);
    this.#lookLater(OVER_AFTER_MS);
  }

  end(): void {
    this.#running -= 1;
  }

  #look(): void {
    const left = this.#lastAt + OVER_AFTER_MS - this.#options.clock.monotonic();
    if (left > 0) {
      this.#lookLater(left);
      return;
    }
    this.#isBurst = false;
    this.#set(SMALL_STEPS);
    this.#options.tidy();
  }

  #lookLater(ms: number): void {
    this.#options.clock.setTimeout(() => this.#look(), ms).unref?.();
  }

  #set(flag: string): void {
    (this.#options.setFlag ?? setFlagsFromString)(flag);
  }
}
