/** Randomness from a seed: the same seed gives the same cluster. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** [0, 1) */
  next(): number {
    return this.#word() / 2 ** 32;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A version 4 UUID. */
  uuid(): string {
    const hex = [0, 0, 0, 0].map(() => this.#word().toString(16).padStart(8, '0')).join('');
    const variant = '89ab'[this.below(4)];
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `4${hex.slice(13, 16)}`,
      `${variant}${hex.slice(17, 20)}`,
      hex.slice(20, 32),
    ].join('-');
  }

  /** An independent generator, so that users do not affect each other's sequence. */
  fork(): Random {
    return new Random(this.#word());
  }

  /** splitmix32: small, fast, and good enough for names and faults. */
  #word(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}
