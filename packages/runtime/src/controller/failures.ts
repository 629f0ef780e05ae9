/** The last failure of each key that has not succeeded since, for inspection. Bounded: the oldest is dropped first. */
export interface Failure {
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const MOST = 1000;

export class Failures {
  readonly #byKey = new Map<string, Failure>();

  set(key: string, failure: Failure): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, failure);
    if (this.#byKey.size <= MOST) return;
    const oldest = this.#byKey.keys().next();
    if (!oldest.done) this.#byKey.delete(oldest.value);
  }

  /** Cheap when nothing has failed, which is nearly always. */
  clear(key: string): void {
    if (this.#byKey.size > 0) this.#byKey.delete(key);
  }

  get(key: string): Failure | undefined {
    return this.#byKey.get(key);
  }

  entries(): Iterable<[string, Failure]> {
    return this.#byKey;
  }
}
