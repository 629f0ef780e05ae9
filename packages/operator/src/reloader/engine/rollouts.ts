/**
 * Rollouts of ours that have not ended, and the workloads that wait because of them.
 *
 * In: what each pass sees of a workload. Out: their number, and a wake-up for one waiting workload per rollout that
 * ended. It is rebuilt from the ledgers after a restart, one pass at a time.
 */
import type { PipelineReporter } from '../report/reporter.ts';
import { rolloutOf } from '../verify/rollout.ts';
import type { Pass } from './pass.ts';

export class UnfinishedRollouts {
  readonly #running = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #wake: (key: string) => void;

  constructor(wake: (key: string) => void) {
    this.#wake = wake;
  }

  /** Not counting `key` itself. */
  countWithout(key: string): number {
    return this.#running.size - (this.#running.has(key) ? 1 : 0);
  }

  set(key: string, running: boolean): void {
    if (running) {
      this.#running.add(key);
      this.#waiting.delete(key);
      return;
    }
    if (!this.#running.delete(key)) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#wake(next);
  }

  /** `key` could go on if fewer were running. */
  wait(key: string): void {
    this.#waiting.add(key);
  }

  forget(key: string): void {
    this.#waiting.delete(key);
    this.set(key, false);
  }

  /** After each pass: whether the rollout of our last reload runs, and once it has ended, how. */
  follow({ key, workload, state }: Pass, reporter: PipelineReporter): void {
    const { ledger } = state.memory;
    const { state: rollout, message } = rolloutOf(workload);
    if (!state.following && rollout === 'progressing' && ledger?.reloadedAt !== undefined) {
      state.following = { seq: ledger.seq, before: '' };
    }
    // Until the cache shows our own write, what it says is about the rollout before.
    const running =
      rollout === 'progressing' || state.following?.before === workload.metadata.resourceVersion;
    this.set(key, state.following !== undefined && running);
    if (!state.following || running) return;
    const { seq } = state.following;
    state.following = undefined;
    const result = rollout === 'failed' ? 'failed' : 'succeeded';
    if (rollout !== 'waiting') reporter.rolledOut(workload, seq, result, message);
  }
}
