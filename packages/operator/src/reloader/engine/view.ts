/**
 * The engine's knowledge of a workload, computed on request by the same decision on the same caches as in a pass, so that
 * it shows what the engine would do. When it would, and why not now, is what the last pass found. It keeps no state.
 */
import type { RolloutStatus } from '@reloader/runtime';
import type { ParsedNote } from '../ledger/note.ts';
import type { Install } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { type JudgeInput, judge, recordedOf, standingOf } from '../plan/plan.ts';
import type { EngineView, WorkloadSummary, WorkloadView } from '../report/reporter.ts';
import { blockedText } from '../report/texts.ts';
import type { Later } from '../schedule/types.ts';
import { judged } from '../verify/following.ts';
import { notesOf, oursOf } from './notes.ts';
import type { WorkloadState } from './state.ts';

export interface ViewOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly now: () => number;
  readonly state: (ref: WorkloadRef) => WorkloadState | undefined;
  readonly note: (ref: WorkloadRef) => ParsedNote;
  /** A problem of the notebook as a whole. */
  readonly trouble: () => WorkloadView['notes'][number] | undefined;
  /** Whether it can be planned without blocking other work; if not, its next pass reports the change. */
  readonly isReady: (workload: WorkloadFacts) => boolean;
}

interface Known {
  readonly ref: WorkloadRef;
  readonly state: WorkloadState | undefined;
  readonly input: JudgeInput;
}

export class LiveView implements EngineView {
  readonly #options: ViewOptions;
  readonly #listeners: ((ref: WorkloadRef) => void)[] = [];

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  summary(ref: WorkloadRef): WorkloadSummary | undefined {
    const known = this.#known(ref);
    return known && this.#summaryOf(known, standingOf(known.input));
  }

  recorded(ref: WorkloadRef): Ledger | undefined {
    const { world, install, note, state } = this.#options;
    const workload = world.workload(ref);
    return (
      workload && recordedOf({ workload, install, note: note(ref), memory: state(ref)?.memory }).recorded
    );
  }

  workload(ref: WorkloadRef): WorkloadView | undefined {
    const known = this.#known(ref);
    if (!known) return undefined;
    const { settings, install, trouble } = this.#options;
    const { state, input } = known;
    const { verdict, ...standing } = judge(input);
    return {
      ...this.#summaryOf(known, standing),
      verdict,
      forbidden: state?.lastError !== undefined && state.forbidden,
      eviction: state?.eviction,
      notes: [
        ...notesOf(input.workload, verdict, state, oursOf(settings, install)),
        ...blockedNote(state),
        ...restoreNote(state),
        ...troubleOf(trouble()),
      ],
    };
  }

  /** Undefined for workloads that do not exist, or cannot be planned yet. */
  #known(ref: WorkloadRef): Known | undefined {
    const { world, settings, install, note, state: stateOf, isReady, now } = this.#options;
    const workload = world.workload(ref);
    if (!workload || !isReady(workload)) return undefined;
    const state = stateOf(ref);
    const memory = state?.memory;
    const input = {
      workload,
      world,
      settings,
      install,
      note: note(ref),
      memory,
      pods: undefined,
      now: now(),
    };
    return { ref, state, input };
  }

  #summaryOf(
    { ref, state, input }: Known,
    { want, recorded }: Pick<WorkloadSummary, 'want' | 'recorded'>,
  ): WorkloadSummary {
    const { workload, now } = input;
    const rollout = judged(workload, state?.following, now, this.#options.settings.rolloutDeadlineMs);
    return {
      ref,
      facts: workload,
      want,
      recorded,
      deferred: state?.deferred,
      lastError: state?.lastError,
      rollout,
      rolloutFailed: failureOf(rollout, state, recorded),
    };
  }

  deferred(ref: WorkloadRef): Later | undefined {
    return this.#options.world.workload(ref) && this.#options.state(ref)?.deferred;
  }

  onChange(listener: (ref: WorkloadRef) => void): void {
    this.#listeners.push(listener);
  }

  changed(ref: WorkloadRef): void {
    for (const listener of this.#listeners) listener(ref);
  }
}

/** A reported failure stays until the rollout succeeds, even if it makes progress meanwhile. */
function failureOf(
  rollout: RolloutStatus,
  state: WorkloadState | undefined,
  recorded: Ledger | undefined,
): string | undefined {
  if (recorded?.reloadedAt === undefined) return undefined;
  return rollout.state === 'failed' ? rollout.message : state?.following?.failed;
}

/** Not in `notesOf`, because it has its own Event. */
function blockedNote(state: WorkloadState | undefined): WorkloadView['notes'] {
  const { blocked } = state?.eviction ?? {};
  return blocked ? [{ reason: 'EvictionBlocked', message: blockedText(blocked) }] : [];
}

const RESTORE_NOTES = { refused: 'RestoreRefused', fought: 'RestoreFought' } as const;

/** Has its own Event, too. */
function restoreNote(state: WorkloadState | undefined): WorkloadView['notes'] {
  const { restoration } = state ?? {};
  if (!restoration || restoration.result === 'restored') return [];
  return [{ reason: RESTORE_NOTES[restoration.result], message: restoration.message }];
}

function troubleOf<T>(trouble: T | undefined): T[] {
  return trouble === undefined ? [] : [trouble];
}
