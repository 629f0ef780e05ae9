/**
 * Follows rollouts of workloads that are listed instead of watched: no event reports their end.
 *
 * In: workloads that we wrote, and those with a running rollout. Out: a request whenever one of them has changed, until
 * its rollout ends. The workloads are read one by one every few seconds; a failed read is retried. A workload is
 * followed for an hour at most: a longer rollout is seen again with the next list.
 */
import { type Channel, type Clock, channel, type KindKey, type Runnable, sleep } from '@reloader/runtime';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { isWorkloadChange } from './relevant-changes.ts';

export interface FollowerOptions {
  readonly clock: Clock;
  readonly workload: (ref: WorkloadRef) => WorkloadFacts | undefined;
  /** Reads the workload from the API server into the cache. */
  readonly refresh: (ref: WorkloadRef, signal: AbortSignal) => Promise<void>;
}

const EVERY_MS = 5000;
const LONGEST_MS = 3_600_000;

export class Follower {
  /** The requests for followed workloads. */
  readonly source: Channel<KindKey> = channel<KindKey>('rollouts');
  readonly #options: FollowerOptions;
  readonly #followed = new Map<string, { readonly ref: WorkloadRef; readonly until: number }>();
  #wake: () => void = () => {};

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#followed.size;
  }

  follow(ref: WorkloadRef): void {
    this.#followed.set(workloadKey(ref), { ref, until: this.#options.clock.monotonic() + LONGEST_MS });
    this.#wake();
  }

  runnable(): Runnable {
    return {
      name: 'rollouts of listed workloads',
      stage: 'caches',
      start: ({ stopping }) => this.#run(stopping),
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#followed.size === 0) await this.#somebody(signal);
      await sleep(this.#options.clock, EVERY_MS, signal).catch(() => {});
      for (const [key, { ref, until }] of [...this.#followed]) {
        if (signal.aborted) return;
        await this.#look(key, ref, until, signal);
      }
    }
  }

  async #look(key: string, ref: WorkloadRef, until: number, signal: AbortSignal): Promise<void> {
    const { clock, workload, refresh } = this.#options;
    const old = workload(ref);
    try {
      await refresh(ref, signal);
    } catch {
      // Retried in a few seconds.
    }
    const object = workload(ref);
    const isNew = !old || !object || isWorkloadChange({ type: 'update', old, object, resync: false });
    if (isNew) this.source.trigger({ ...ref }, { event: 'rollout' });
    const ended = !object || rolloutOf(object).state !== 'progressing';
    if (ended || clock.monotonic() >= until) this.#followed.delete(key);
  }

  /** Waits until there is a workload to follow. */
  #somebody(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', go);
        this.#wake = () => {};
        resolve();
      };
      this.#wake = go;
      signal.addEventListener('abort', go, { once: true });
      if (signal.aborted) go();
    });
  }
}
