/** Hands out turns at a fixed distance, so that adopting thousands of workloads does not crowd out a reload. */
export class Pacing {
  readonly #gapMs: number;
  #next = 0;

  constructor(perSecond: number) {
    this.#gapMs = 1000 / perSecond;
  }

  /** Milliseconds since the epoch, at `earliest` or later. */
  turn(earliest: number): number {
    const at = Math.max(earliest, this.#next);
    this.#next = at + this.#gapMs;
    return at;
  }
}
