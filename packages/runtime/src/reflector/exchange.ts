/**
 * One request and the reading of its answer, with an idle timeout.
 *
 * In: promises of the client. Out: their outcome, or `idle` if nothing arrived for the idle time, or `stopped` if the
 * exchange was ended. The timer starts before the request is sent, since a proxy may hold back even the headers.
 * Guarantees: no outcome is a rejection; after `end` no timer is left and the request's signal is aborted. A client
 * that ignores its signal cannot block the caller.
 */
import type { Clock, Timer } from '../clock/clock.ts';

export type Outcome<R> =
  | { readonly type: 'done'; readonly value: R }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'idle' }
  | { readonly type: 'stopped' };

export class Exchange {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #controller = new AbortController();
  #timer: Timer | undefined;
  #lastMoved: number;
  #interrupted: Outcome<never> | undefined;
  #interrupt: ((outcome: Outcome<never>) => void) | undefined;

  constructor(clock: Clock, idleMs: number) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#lastMoved = clock.monotonic();
    this.#arm(idleMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something arrived. */
  touch(): void {
    this.#lastMoved = this.#clock.monotonic();
  }

  /** One at a time. */
  guard<R>(work: Promise<R>): Promise<Outcome<R>> {
    return new Promise((resolve) => {
      if (this.#interrupted) resolve(this.#interrupted);
      this.#interrupt = resolve;
      work.then(
        (value) => resolve({ type: 'done', value }),
        (error: unknown) => resolve({ type: 'failed', error }),
      );
    });
  }

  end(): void {
    this.#stop({ type: 'stopped' });
  }

  #stop(outcome: Outcome<never>): void {
    if (this.#interrupted) return;
    this.#interrupted = outcome;
    this.#timer?.cancel();
    // Set the outcome before aborting: an error that the client throws on abort must not count as a failure.
    this.#interrupt?.(outcome);
    this.#controller.abort();
  }

  /** Updating a timestamp per event is cheaper than rescheduling a timer. */
  #arm(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimeout(() => {
      const left = this.#lastMoved + this.#idleMs - this.#clock.monotonic();
      if (left > 0) this.#arm(left);
      else this.#stop({ type: 'idle' });
    }, ms);
  }
}
