/**
 * The engine's knowledge of a workload, computed on request with the same plan on the same caches as in a pass, so that
 * it shows what the engine would do. It keeps no state.
 */
import type { RolloutStatus } from '@reloader/runtime';
import type { ParsedNote } from '../ledger/note.ts';
import type { Slots } from '../model/budget.ts';
import type { VerdictOf } from '../model/content-rule.ts';
import type { Install } from '../model/decision.ts';
import type { FailuresOf } from '../model/failed-content.ts';
import type { Ledger } from '../model/ledger.ts';
import type { PeersOf } from '../model/order.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { verdictOf } from '../plan/action.ts';
import { lookupOf } from '../plan/peers/lookup.ts';
import { plan } from '../plan/plan.ts';
import type { EngineView, WorkloadView } from '../report/reporter.ts';
import { blockedText } from '../report/texts.ts';
import { judged } from '../verify/following.ts';
import { notesOf, oursOf } from './notes.ts';
import type { WorkloadState } from './state.ts';

export interface ViewOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly now: () => number;
  readonly state: (ref: WorkloadRef) => WorkloadState | undefined;
  readonly slots: () => Slots;
  readonly failures: FailuresOf;
  readonly peers: PeersOf;
  readonly verdictOn: VerdictOf;
  readonly peerNote: (ref: WorkloadRef) => ParsedNote;
  readonly note: (ref: WorkloadRef) => ParsedNote;
  /** A problem of the notebook as a whole. */
  readonly trouble: () => WorkloadView['notes'][number] | undefined;
  /** Whether it can be planned without blocking other work; if not, its next pass reports the change. */
  readonly isReady: (workload: WorkloadFacts) => boolean;
}

export class LiveView implements EngineView {
  readonly #options: ViewOptions;
  readonly #listeners: ((ref: WorkloadRef) => void)[] = [];

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  workload(ref: WorkloadRef): WorkloadView | undefined {
    const {
      world,
      settings,
      install,
      note,
      state: stateOf,
      slots,
      failures,
      peers,
      verdictOn,
      peerNote,
      trouble,
      isReady,
    } = this.#options;
    const workload = world.workload(ref);
    if (!workload || !isReady(workload)) return undefined;
    const state = stateOf(ref);
    const now = this.#options.now();
    const { want, recorded, action } = plan({
      workload,
      world,
      settings,
      install,
      note: note(ref),
      memory: state?.memory,
      pods: undefined,
      slots,
      failures,
      peers: lookupOf(peers, peerNote, { of: stateOf }),
      verdictOn,
      following: state?.following,
      now,
    });
    const verdict = verdictOf(action);
    const rollout = judged(workload, state?.following, now, settings.rolloutDeadlineMs);
    return {
      ref,
      facts: workload,
      want,
      verdict,
      recorded,
      deferred: state?.deferred,
      lastError: state?.lastError,
      forbidden: state?.lastError !== undefined && state.forbidden,
      rollout,
      rolloutFailed: failureOf(rollout, state, recorded),
      eviction: state?.eviction,
      notes: [
        ...notesOf(workload, verdict, state, oursOf(settings, install)),
        ...blockedNote(state),
        ...restoreNote(state),
        ...troubleOf(trouble()),
      ],
    };
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
