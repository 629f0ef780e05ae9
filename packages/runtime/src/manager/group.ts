/**
 * Runnables that start and stop together.
 *
 * In: runnables. Out: their failures to `onFailure`, as they happen; an end that never rejects.
 */
import { setMaxListeners } from 'node:events';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';

export class RunnableGroup {
  readonly #stopping = new AbortController();
  readonly #signals: RunSignals;
  readonly #onFailure: (name: string, error: unknown) => void;
  readonly #running = new Map<Promise<void>, string>();

  constructor(abort: AbortSignal, onFailure: (name: string, error: unknown) => void) {
    this.#signals = { stopping: this.#stopping.signal, abort };
    // All members of the group listen, however many there are: this is no leak.
    setMaxListeners(0, this.#stopping.signal, abort);
    this.#onFailure = onFailure;
  }

  /** Starts and returns at once. */
  start(runnable: Runnable): void {
    this.#track(runnable.name, () => runnable.start(this.#signals));
  }

  warmUp(runnable: Runnable): void {
    this.#track(`${runnable.name} (warm-up)`, async () => runnable.warmup?.(this.#signals));
  }

  /** Resolves when all are ready; a failure is reported like any other. */
  async ready(runnable: Runnable): Promise<void> {
    try {
      await runnable.ready?.(this.#signals.stopping);
    } catch (error) {
      if (!this.#signals.stopping.aborted) this.#onFailure(runnable.name, error);
    }
  }

  stop(reason: unknown): void {
    this.#stopping.abort(reason);
  }

  /** The names of the members that have not ended. */
  get running(): string[] {
    return [...this.#running.values()];
  }

  /** Resolves when all started members have ended. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  #track(name: string, run: () => Promise<void>): void {
    // Through `then`, so that a synchronous throw is a failure like any other.
    const end: Promise<void> = Promise.resolve()
      .then(run)
      .catch((error: unknown) => this.#onFailure(name, error))
      .finally(() => this.#running.delete(end));
    this.#running.set(end, name);
  }
}
