/**
 * At most `count` starts of one key within any `withinMs`; further starts are delayed, never dropped. Keys are
 * remembered only if they started within the last two periods of `withinMs`.
 */
export interface StartLimitOptions {
  readonly count: number;
  readonly withinMs: number;
}

export class StartLimit {
  readonly #count: number;
  readonly #withinMs: number;
  /** The last starts of each key, oldest first. */
  readonly #starts = new Map<string, number[]>();
  #sweptAt = -Infinity;

  constructor(options: StartLimitOptions) {
    if (!Number.isInteger(options.count) || options.count < 1 || !(options.withinMs > 0)) {
      throw new RangeError(
        `A start limit needs a count of at least 1 and withinMs > 0, got ${options.count} and ${options.withinMs}`,
      );
    }
    this.#count = options.count;
    this.#withinMs = options.withinMs;
  }

  /** The earliest time at which the key may start. */
  allowedAt(key: string): number {
    const starts = this.#starts.get(key);
    const oldest = starts && starts.length >= this.#count ? starts[0] : undefined;
    return oldest === undefined ? -Infinity : oldest + this.#withinMs;
  }

  started(key: string, now: number): void {
    const starts = this.#starts.get(key) ?? [];
    starts.push(now);
    if (starts.length > this.#count) starts.shift();
    this.#starts.set(key, starts);
    if (now - this.#sweptAt >= this.#withinMs) this.#sweep(now);
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const [key, starts] of this.#starts) {
      if ((starts.at(-1) ?? 0) <= now - this.#withinMs) this.#starts.delete(key);
    }
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#starts.size;
  }
}
