/**
 * Follows the rollout after a reload to its end.
 *
 * In: each pass over a workload. Out: whether it holds a slot, one report when its rollout has ended or failed, a note
 * of a failure, and when to look again although no event came. Guarantees: pods are listed only when nothing has moved
 * for 30 s; a failure is told once, also by the process after this one; a rollout that ends well after all is told, too.
 */
import type { Clock, Result, RolloutStatus } from '@reloader/runtime';
import type { Following, RolloutPods } from '../model/following.ts';
import type { Note } from '../model/ledger.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { refOf, type WorkloadFacts } from '../model/workload.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import { inherit, judged, lookAgainAt, needsPods, observe, withPods } from '../verify/following.ts';
import type { NotebookPort } from './execution.ts';
import { isOurs } from './inherited.ts';
import type { Pass } from './pass.ts';
import type { UnfinishedRollouts } from './rollouts.ts';

export interface VerificationOptions {
  readonly rollouts: UnfinishedRollouts;
  readonly notebook: NotebookPort;
  readonly reporter: PipelineReporter;
  readonly settings: ReloaderSettings;
  readonly clock: Clock;
  /** `since`: seconds since the epoch, when the reload was made. */
  readonly lookAtRollout: (
    workload: WorkloadFacts,
    since: number,
    signal: AbortSignal,
  ) => Promise<RolloutPods>;
}

export class Verification {
  readonly #options: VerificationOptions;

  constructor(options: VerificationOptions) {
    this.#options = options;
  }

  /** After each pass. */
  async follow(pass: Pass): Promise<Result> {
    const { key, workload, state, signal } = pass;
    const { rollouts, clock, lookAtRollout } = this.#options;
    const known = state.following ?? this.#inherited(pass);
    if (!known) {
      rollouts.set(key, this.#isEvicting(pass));
      return {};
    }
    let following = observe(known, workload, pass.now);
    let status = this.#judge(workload, following);
    if (needsPods(following, status, clock.now())) {
      const pods = await lookAtRollout(workload, following.reloadedAt, signal);
      following = withPods(following, pods, clock.now());
      status = this.#judge(workload, following);
    }
    state.following = this.#told(pass, following, status);
    const isOver = following.failed !== undefined || following.outsideCap === true;
    const isRunning = status.state === 'progressing' && !isOver;
    rollouts.set(key, isRunning || this.#isEvicting(pass));
    const at = state.following && lookAgainAt(state.following, status);
    return at === undefined ? {} : { requeueAfterMs: Math.max(1, at - clock.now()) };
  }

  #judge(workload: WorkloadFacts, following: Following): RolloutStatus {
    const { clock, settings } = this.#options;
    return judged(workload, following, clock.now(), settings.rolloutDeadlineMs);
  }

  /** A budget that protects a pod for ever must not hold up everybody else. */
  #isEvicting({ state: { eviction }, now }: Pass): boolean {
    return eviction !== undefined && now - eviction.movedAt < this.#options.settings.rolloutDeadlineMs;
  }

  /** What an earlier process began, or told to have failed. */
  #inherited({ workload, state, now }: Pass): Following | undefined {
    const { notebook, settings } = this.#options;
    const { ledger } = state.memory;
    const { reloadedAt, seq = 0 } = ledger ?? {};
    if (!ledger || reloadedAt === undefined) return undefined;
    const note = notebook.note(refOf(workload));
    const failed = note.kind === 'note' && note.note.failed?.seq === seq ? note.note.failed : undefined;
    const reload = { seq, reloadedAt, before: '' };
    if (failed) return { ...inherit(reload, workload), failed: failed.message };
    if (!isOurs(workload, ledger, settings.rolloutDeadlineMs, now)) return undefined;
    const following = inherit(reload, workload);
    return this.#judge(workload, following).state === 'progressing' ? following : undefined;
  }

  /** What is left to follow once it was told what there is to tell. */
  #told(pass: Pass, following: Following, status: RolloutStatus): Following | undefined {
    const { reporter, clock } = this.#options;
    const { workload } = pass;
    const { seq } = following;
    const { message } = status;
    switch (status.state) {
      case 'progressing':
        return following;
      case 'failed':
        if (following.failed !== undefined) return following;
        reporter.rolledOut(workload, seq, 'failed', message);
        this.#note(pass, { seq, at: Math.floor(clock.now() / 1000), message });
        return { ...following, failed: message };
      case 'done':
      case 'held':
        if (following.failed !== undefined) this.#note(pass, undefined);
        if (status.state === 'done') reporter.rolledOut(workload, seq, 'succeeded', message);
        return undefined;
    }
  }

  #note({ workload, state }: Pass, failed: Note['failed']): void {
    const { notebook } = this.#options;
    const ref = refOf(workload);
    const { ledger, base } = state.memory;
    const known = notebook.note(ref);
    if (known.kind === 'note') {
      const { failed: _, ...note } = known.note;
      notebook.put(ref, { ...note, ...(failed && { failed }) });
    } else if (failed && ledger && base !== undefined) {
      notebook.put(ref, { record: ledger, base, failed });
    }
  }
}
