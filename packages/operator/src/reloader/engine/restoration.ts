/**
 * After a pass: restores ConfigMaps whose content failed, if a user asks for it, and keeps copies of working content.
 *
 * In: a pass, after its rollout was judged. Out: at most one write to each ConfigMap for each content that failed,
 * copies of contents that work, one report, and the time of the next pass. The note names what is restored before the
 * first write, so a crash neither loses nor repeats it.
 */
import type { Clock, Result } from '@reloader/runtime';
import type { Install } from '../model/decision.ts';
import type { Note, Restoring, RestoringSource } from '../model/ledger.ts';
import type { PeersOf } from '../model/order.ts';
import type { RestoreOutcome, RestoreReport, RestoreSource } from '../model/restore.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceFacts, SourceState } from '../model/source-facts.ts';
import { refOf, type WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { lookupOf } from '../plan/peers/lookup.ts';
import { workingPeer } from '../plan/peers/standing.ts';
import { contentsToKeep, nameOf, type RestorePlan, restorePlan } from '../plan/restore.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import { judged } from '../verify/following.ts';
import type { NotebookPort } from './execution.ts';
import type { Failures } from './failures.ts';
import type { Pass } from './pass.ts';
import type { Restoration as Restored, WorkloadStates } from './state.ts';

/** Writes to sources and reads them. */
export interface SourceKeeper {
  restore(
    sources: readonly RestoreSource[],
    note: (sources: readonly RestoringSource[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<RestoreOutcome>;
  /** Returns why no copy can be made; undefined if there is one, or none is needed. */
  keep(facts: SourceFacts, signal: AbortSignal): Promise<string | undefined>;
}

export interface RestorationOptions {
  readonly keeper: SourceKeeper;
  readonly notebook: NotebookPort;
  /** Resolves when the last note of this workload is stored. */
  readonly noteStored: (ref: WorkloadRef, signal: AbortSignal) => Promise<void>;
  readonly reporter: Pick<PipelineReporter, 'restored'>;
  readonly settings: ReloaderSettings;
  readonly world: World;
  readonly install: Install;
  readonly states: WorkloadStates;
  readonly failures: Pick<Failures, 'noteOf'>;
  readonly peers?: PeersOf;
  readonly clock: Clock;
}

/** Rights may be granted and freezes end without an event that concerns the workload. */
const REFUSED_CHECK_MS = 300_000;

export class Restoration {
  readonly #options: RestorationOptions;

  constructor(options: RestorationOptions) {
    this.#options = options;
  }

  async after(pass: Pass): Promise<Result> {
    const planned = this.#plan(pass);
    const { state } = pass;
    if (planned.kind === 'nothing') return this.#keep(pass);
    if (planned.kind !== 'restore') return this.#told(pass, planned);
    const attempt = attemptOf(pass, planned.sources);
    // The event of our write has not arrived yet, or nothing has changed since the refusal.
    const { restoration } = state;
    const isOld = restoration?.attempt === attempt && restoration.until > this.#now();
    if (restoration && isOld) return { requeueAfterMs: Math.max(1, restoration.until - this.#now()) };
    const outcome = await this.#options.keeper.restore(
      planned.sources,
      (sources) => this.#note(pass, { seq: planned.seq, sources }),
      pass.signal,
    );
    switch (outcome.kind) {
      case 'restored': {
        const names = planned.sources.map(({ ref }) => nameOf(ref)).join(', ');
        const message = `${names} was put back to the content before reload ${planned.seq}, which failed`;
        return this.#told(pass, { kind: 'restored', message, sources: refsOf(planned.sources) }, attempt);
      }
      case 'refused':
        return this.#told(pass, { ...outcome, sources: refsOf(planned.sources) }, attempt);
      case 'conflict':
        return { requeue: true };
    }
  }

  #plan({ workload, want, state, now }: Pass): RestorePlan {
    const { notebook, settings } = this.#options;
    return restorePlan({
      workload,
      want,
      recorded: state.memory.ledger,
      note: notebook.note(refOf(workload)),
      settings,
      worksOn: (source, facts, content) => {
        const { world, install, peers, failures, states } = this.#options;
        if (!peers) return undefined;
        return workingPeer(refOf(workload), source, facts, content, {
          world,
          install,
          peers: lookupOf(peers, (ref) => failures.noteOf(ref), states),
          deadlineMs: settings.rolloutDeadlineMs,
          now,
        });
      },
      now,
    });
  }

  #told(
    { workload, state }: Pass,
    {
      kind,
      message,
      sources,
    }: Pick<RestoreReport, 'message' | 'sources'> & { readonly kind: RestoreReport['result'] },
    attempt = '',
  ): Result {
    const { reporter } = this.#options;
    const { ledger } = state.memory;
    const before = state.restoration;
    const next: Restored = { result: kind, message, attempt, until: this.#now() + REFUSED_CHECK_MS };
    state.restoration = next;
    if (before?.result !== kind || before.message !== message) {
      const seq = ledger?.seq ?? 0;
      const configs = ledger?.recent.find((each) => each.seq === seq)?.configs ?? [];
      reporter.restored(workload, { result: kind, seq, sources, configs, message });
    }
    return kind === 'refused' ? { requeueAfterMs: REFUSED_CHECK_MS } : {};
  }

  /** Resolves when the note is stored: a source that is written before that could be written twice. */
  async #note({ workload, state, signal }: Pass, restoring: Restoring): Promise<void> {
    const { notebook } = this.#options;
    const ref = refOf(workload);
    const known = notebook.note(ref);
    const { ledger, base } = state.memory;
    const note =
      known.kind === 'note' ? known.note : ledger && base !== undefined && { record: ledger, base };
    if (!note) return;
    const { restoring: _, ...rest }: Note = note;
    notebook.put(ref, { ...rest, ...(restoring.sources.length > 0 && { restoring }) });
    await this.#options.noteStored(ref, signal);
  }

  async #keep(pass: Pass): Promise<Result> {
    const { workload, want, state, signal, now } = pass;
    const { settings, notebook, keeper } = this.#options;
    if (!settings.restoreConfigMaps) {
      state.restoration = undefined;
      return {};
    }
    const { following, deferred } = state;
    const isSettled =
      !following &&
      !deferred &&
      judged(workload, following, now, settings.rolloutDeadlineMs).state === 'done';
    const note = notebook.note(refOf(workload));
    const recorded = state.memory.ledger;
    const kept = contentsToKeep({ workload, want, recorded, note, settings }, isSettled);
    const attempt = ['keep', ...kept.map(({ metadata, digest }) => `${metadata.uid} ${digest}`)].join(' ');
    const { restoration } = state;
    if (restoration?.attempt === attempt && restoration.until > this.#now()) {
      return { requeueAfterMs: restoration.until - this.#now() };
    }
    for (const facts of kept) {
      const problem = await keeper.keep(facts, signal);
      if (problem === undefined) continue;
      const { kind, metadata } = facts;
      const source = { kind, namespace: metadata.namespace, name: metadata.name };
      const message = `no copy of ${nameOf(source)} can be kept, so it could not be put back: ${problem}`;
      return this.#told(pass, { kind: 'refused', message, sources: [source] }, attempt);
    }
    state.restoration = undefined;
    return {};
  }

  #now(): number {
    return this.#options.clock.now();
  }
}

/** Identifies an attempt: the same until the workload's record or a source changes. */
function attemptOf({ want, state }: Pass, sources: readonly RestoreSource[]): string {
  const versions = sources.map(({ key }) => {
    const found: SourceState | undefined = want.sources.find((each) => each.key === key)?.state;
    return `${key}@${found?.kind === 'present' ? found.facts.metadata.resourceVersion : ''}`;
  });
  return [state.memory.ledger?.seq ?? 0, ...versions].join(' ');
}

const refsOf = (sources: readonly RestoreSource[]) => sources.map(({ ref }) => ref);
