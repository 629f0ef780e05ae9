/**
 * What the engine knows of a workload, computed when somebody asks: the same functions on the same caches as in a pass,
 * so what people are told is what would happen. Nothing is kept for it.
 */
import { decide } from '../decide/decide.ts';
import { emptyMemory } from '../decide/remember.ts';
import { type Install, isVerdict, type Memory, type Verdict } from '../decide/types.ts';
import { wantOf } from '../decide/want.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { EngineView, WorkloadView } from '../report/reporter.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { isContended } from './ledger-writer.ts';
import type { WorkloadState } from './state.ts';

export interface ViewOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  readonly now: () => number;
  readonly state: (ref: WorkloadRef) => WorkloadState | undefined;
}

export class LiveView implements EngineView {
  readonly #options: ViewOptions;
  readonly #listeners: ((ref: WorkloadRef) => void)[] = [];

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  workload(ref: WorkloadRef): WorkloadView | undefined {
    const { world, settings, state: stateOf } = this.#options;
    const facts = world.workload(ref);
    if (!facts) return undefined;
    const state = stateOf(ref);
    const want = wantOf(facts, world, settings);
    const verdict = this.#verdict(facts, want, state?.memory);
    return {
      ref,
      facts,
      want,
      verdict,
      deferred: state?.deferred,
      lastError: state?.lastError,
      notes: notesOf(facts, verdict, state, this.#options.now()),
    };
  }

  onChange(listener: (ref: WorkloadRef) => void): void {
    this.#listeners.push(listener);
  }

  changed(ref: WorkloadRef): void {
    for (const listener of this.#listeners) listener(ref);
  }

  #verdict(workload: WorkloadFacts, want: WorkloadView['want'], memory?: Memory): Verdict | undefined {
    const { install, settings, now } = this.#options;
    const known = memory?.uid === workload.metadata.uid ? memory : emptyMemory(workload.metadata.uid);
    const input = { workload, want, memory: known, pods: undefined, install, settings, now: now() };
    const decision = decide(input);
    return isVerdict(decision) ? decision : undefined;
  }
}

type Notes = WorkloadView['notes'];

export function notesOf(
  workload: WorkloadFacts,
  verdict: Verdict | undefined,
  state: WorkloadState | undefined,
  now: number,
): Notes {
  const notes: { reason: string; message: string }[] = [];
  if (state && isContended(state, now)) {
    const message = `The ledger was taken away ${state.vanished} times: another tool replaces the whole object; let it ignore metadata.annotations["reloader.stakater.com/ledger"]`;
    notes.push({ reason: 'LedgerContended', message });
  }
  if (state?.refused !== undefined) {
    const message = `The ledger may not be written and lives in memory until this process ends: ${state.lastError ?? ''}`;
    notes.push({ reason: 'LedgerRefused', message });
  }
  if (verdict?.reverted || (state?.memory.revertRetries ?? 0) > 0) {
    const message = `The template no longer carries reload ${verdict?.recorded?.seq ?? ''}: another tool put an older one back while old pods were running`;
    notes.push({ reason: 'Reverted', message });
  }
  if (verdict?.tooManySources && verdict.tooManySources.length > 0) {
    const message = `${verdict.tooManySources.length} sources do not fit into the ledger and are not followed, the first is ${verdict.tooManySources[0]}`;
    notes.push({ reason: 'TooManySources', message });
  }
  const rollout = rolloutOf(workload);
  if (rollout.state === 'waiting' && (verdict?.recorded?.seq ?? 0) > 0) {
    notes.push({ reason: 'WaitingForWorkload', message: rollout.message });
  }
  return notes;
}
