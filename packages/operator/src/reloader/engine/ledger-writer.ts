/**
 * Writes ledgers without reloading anything.
 *
 * In: a verdict and the ledger that should stand on the workload. Out: one PATCH when its turn has come. First ledgers
 * are paced, one that somebody keeps taking away is written at growing distances, and one that we may not write lives
 * in memory.
 */
import type { Result } from '@reloader/runtime';
import { formatLedger } from '../ledger/ledger.ts';
import { afterRefusal, afterWrite } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Executor } from '../patch/executor.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import { Pacing } from './pacing.ts';
import type { Pass } from './pass.ts';
import type { WorkloadState } from './state.ts';

export interface LedgerWriterOptions {
  readonly executor: Executor;
  readonly reporter: PipelineReporter;
  readonly settings: ReloaderSettings;
}

/** Adoptions per second: far below what an API server notices, and a thousand workloads are done in seconds. */
const ADOPTIONS_PER_SECOND = 100;
const VANISHED_BACKOFF_MS = { first: 1_000, most: 300_000 };
const CONTENDED_AFTER = 3;
/** A ledger that has stood for so long after it was due again is no longer fought over. */
const PEACE_MS = 600_000;

/** Somebody keeps taking the ledger away. */
export function isContended({ vanished, notBefore }: WorkloadState, now: number): boolean {
  return vanished >= CONTENDED_AFTER && now < notBefore + PEACE_MS;
}

export class LedgerWriter {
  readonly #options: LedgerWriterOptions;
  readonly #adoptions = new Pacing(ADOPTIONS_PER_SECOND);

  constructor(options: LedgerWriterOptions) {
    this.#options = options;
  }

  async write(pass: Pass, verdict: Verdict, ledger: Ledger): Promise<Result> {
    const { workload, state, now, signal } = pass;
    const { executor, reporter, settings } = this.#options;
    if (settings.mode === 'observe') {
      state.memory = afterRefusal(state.memory, ledger);
      return {};
    }
    const text = formatLedger(ledger);
    if (state.refused === withoutTimes(ledger)) return {};
    const wait = this.#turnOf(pass, verdict) - now;
    if (wait > 0) return { requeueAfterMs: wait };
    const before = workload.annotations[FIXED_ANNOTATIONS.ledger];
    const outcome = await executor.record(workload, before, text, signal);
    switch (outcome.kind) {
      case 'done':
        state.memory = afterWrite(state.memory, ledger);
        state.adoptAt = undefined;
        state.refused = undefined;
        reporter.recorded(workload, {
          ...verdict,
          ...(state.foreignSlots && { foreignSlots: state.foreignSlots }),
        });
        state.foreignSlots = undefined;
        return {};
      case 'conflict':
        return { requeue: true };
      case 'continue':
        return { requeueAfterMs: outcome.afterMs };
      case 'forbidden':
      case 'rejected':
        state.memory = afterRefusal(state.memory, ledger);
        state.refused = withoutTimes(ledger);
        state.lastError = outcome.message;
        return {};
    }
  }

  /** When this workload may have its ledger written: adoption is paced, and a tug of war slows down. */
  #turnOf({ workload, state, want, now }: Pass, verdict: Verdict): number {
    if (verdict.situation === 'vanished') {
      if (state.notBefore <= now) {
        if (state.notBefore + PEACE_MS <= now) state.vanished = 0;
        const { first, most } = VANISHED_BACKOFF_MS;
        state.notBefore = now + Math.min(most, first * 2 ** state.vanished);
        state.vanished += 1;
        return now;
      }
      return state.notBefore;
    }
    const adopts =
      verdict.action === 'record' && workload.annotations[FIXED_ANNOTATIONS.ledger] === undefined;
    if (!adopts) return now;
    state.adoptAt ??= this.#adoptions.turn(now + want.policy.settleMs);
    return state.adoptAt;
  }
}

/** The same refused write is not tried again just because time went on. */
export function withoutTimes(ledger: Ledger): string {
  return formatLedger({ ...ledger, writtenAt: 0 });
}
