/**
 * Executes one action of a plan.
 *
 * In: a pass and its action. Out: at most one write to the workload, a note, the workload's new state, reports, and the
 * time of the next pass. If it throws, the queue retries with exponential backoff.
 */
import type { Clock, Result } from '@reloader/runtime';
import { baseOf, outcomesOf, type ParsedNote, restoringIn } from '../ledger/note.ts';
import { contentOf, opened, outcomesOfNote, superseding } from '../ledger/outcomes.ts';
import { afterNote, afterPatch } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Verdict } from '../model/decision.ts';
import type { Ledger, Note, NotedDoubt } from '../model/ledger.ts';
import type { Outcome } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { isVerified, type ReloadOutcome } from '../model/verify.ts';
import { refOf, type WorkloadFacts, type WorkloadRef } from '../model/workload.ts';
import type { Executor } from '../patch/executor.ts';
import type { Action } from '../plan/action.ts';
import type { PipelineReporter, ReloadReport } from '../report/reporter.ts';
import { type Later, TOLD_BY_CHANGE } from '../schedule/types.ts';
import { begin } from '../verify/following.ts';
import type { Pass } from './pass.ts';
import type { PeerWaits } from './peer-waits.ts';
import type { UnfinishedRollouts } from './rollouts.ts';
import type { Eviction } from './state.ts';

/** The notebook as the engine uses it. */
export interface NotebookPort {
  note(ref: WorkloadRef): ParsedNote;
  put(ref: WorkloadRef, note: Note): void;
  forget(ref: WorkloadRef): void;
}

export interface ExecutionOptions {
  readonly executor: Executor;
  readonly notebook: NotebookPort;
  readonly reporter: PipelineReporter;
  readonly settings: ReloaderSettings;
  readonly rollouts: UnfinishedRollouts;
  readonly peerWaits: PeerWaits;
  readonly clock: Clock;
}

type ActionOf<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>;

/** Retry interval of a change that the API server rejects because of its content. */
const REJECTED_RETRY_MS = 300_000;
const JOB_CHECK_MS = 1_000;
const COUNTING_CHECK_MS = 5_000;
/** Fallback: workloads that wait for peers are requeued when the peers are done; this covers a lost wake-up. */
const PEERS_CHECK_MS = 300_000;

/** The API server refused the reload; the queue retries with exponential backoff. */
export class ReloadFailedError extends Error {
  override name = 'ReloadFailedError';
}

/** RBAC does not allow the operator to make the reload. */
class ReloadForbiddenError extends ReloadFailedError {}

export class Execution {
  readonly #options: ExecutionOptions;

  constructor(options: ExecutionOptions) {
    this.#options = options;
  }

  async carryOut(pass: Pass, action: Action): Promise<Result> {
    const { state } = pass;
    // A reload leaves the line itself when it takes a slot, and #defer decides for a deferred one.
    const keepsPlace = action.kind === 'defer' || (action.kind === 'reload' && !action.outsideCap);
    if (!keepsPlace) this.#options.rollouts.stopWaiting(pass.key);
    this.#options.peerWaits.wait(pass.key, action.kind === 'defer' ? (action.later.peers ?? []) : []);
    if (action.kind !== 'reload') state.eviction = undefined;
    if ('verdict' in action && action.verdict) {
      if (isHealed(action.verdict)) state.lastError = undefined;
      state.foreignSlots = action.verdict.foreignSlots ?? state.foreignSlots;
      if (action.verdict.situation === 'vanished') this.#noteVanished(pass, action.verdict);
    }
    switch (action.kind) {
      case 'leave':
        if (action.verdict) state.deferred = undefined;
        if (action.verdict && isHealed(action.verdict)) this.#forgetEviction(pass.workload);
        return {};
      case 'ask-pods':
        // A plan with evidence never asks again.
        return { requeue: true };
      case 'wait':
        return { requeueAfterMs: action.afterMs };
      case 'record':
        return this.#record(pass, action);
      case 'reload':
        return this.#reload(pass, action);
      case 'defer':
        return this.#defer(pass, action);
    }
  }

  #record(pass: Pass, { verdict, ledger, instead }: ActionOf<'record'>): Result {
    if (!instead) pass.state.deferred = undefined;
    this.#note(pass, verdict, ledger);
    // The noted content still has to be rolled out, and our own note causes no event, so requeue.
    return verdict.because === 'returned' ? { requeueAfterMs: 1 } : {};
  }

  /**
   * The ledger was removed, and without the answer to our PATCH nothing was noted: then only this process knows the
   * record.
   */
  #noteVanished({ workload, state }: Pass, { recorded }: Verdict): void {
    const { notebook } = this.#options;
    const ref = refOf(workload);
    const { uid } = workload.metadata;
    const before = notebook.note(ref);
    const noted = before.kind === 'note' && before.note.record.uid === uid ? before.note.record.seq : -1;
    const { base } = state.memory;
    if (!recorded || base === undefined || noted >= recorded.seq) return;
    notebook.put(ref, { record: recorded, base, ...outcomesOfNote(outcomesOf(before, uid)) });
  }

  /**
   * The change was taken back. If the same content comes again, it is another change, and pods that were created in
   * between are old.
   */
  #forgetEviction(workload: WorkloadFacts): void {
    const { notebook } = this.#options;
    const ref = refOf(workload);
    const known = notebook.note(ref);
    if (known.kind !== 'note' || known.note.evicting === undefined) return;
    const { evicting: _, ...rest } = known.note;
    notebook.put(ref, rest);
  }

  /** Writes to the notebook only, not to the workload, so admission cannot refuse it. */
  #note({ workload, state }: Pass, verdict: Verdict, ledger: Ledger, doubt?: NotedDoubt): void {
    const { notebook, reporter } = this.#options;
    const ref = refOf(workload);
    const before = notebook.note(ref);
    const { evicting, failed } = before.kind === 'note' ? before.note : {};
    const restoring = restoringIn(before, workload.metadata.uid, ledger.seq);
    notebook.put(ref, {
      record: ledger,
      base: verdict.base,
      ...(evicting !== undefined && ledger.pendingSince !== undefined && { evicting }),
      ...(failed?.seq === ledger.seq && { failed }),
      ...outcomesOfNote(outcomesOf(before, workload.metadata.uid)),
      ...(restoring && { restoring }),
      ...(doubt && { doubt }),
    });
    state.memory = afterNote(state.memory, ledger, verdict.base);
    reporter.recorded(workload, {
      ...verdict,
      ...(state.foreignSlots && { foreignSlots: state.foreignSlots }),
    });
    state.foreignSlots = undefined;
  }

  async #reload(pass: Pass, action: ActionOf<'reload'>): Promise<Result> {
    const { want, state, key, signal } = pass;
    const { executor, reporter, rollouts } = this.#options;
    state.deferred = undefined;
    const report = { plan: action.reload, want, seenAt: action.seenAt };
    // Take the slot before the first await, because other passes plan meanwhile.
    if (!action.outsideCap) rollouts.set(key, true);
    try {
      return this.#afterReload(pass, action, await executor.reload(action.reload, signal), report);
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      // No rollout began, and the next retry may be far away, so free the slot.
      if (!state.following && !state.eviction) rollouts.set(key, false);
      state.lastError = failure.message;
      state.forbidden = failure instanceof ReloadForbiddenError;
      reporter.failed(report, failure, false);
      throw error;
    }
  }

  #afterReload(
    { state, workload }: Pass,
    action: ActionOf<'reload'>,
    outcome: Outcome,
    report: ReloadReport,
  ): Result {
    const { reload, outsideCap } = action;
    const { reporter, notebook, clock } = this.#options;
    const { eviction } = state;
    state.eviction = undefined;
    switch (outcome.kind) {
      case 'done': {
        const { undone } = outcome;
        const { ledger, ledgerAfter } = undone ?? reload;
        const standing = outcome.noteOnly ? workload.annotations[FIXED_ANNOTATIONS.ledger] : ledgerAfter;
        const base = baseOf(standing);
        state.lastError = undefined;
        state.memory = (outcome.noteOnly ? afterNote : afterPatch)(state.memory, ledger, base);
        // The executor has already noted a re-created Job, under its new uid.
        if (outcome.newUid === undefined) {
          notebook.put(refOf(workload), {
            record: ledger,
            base,
            ...outcomesOfNote(this.#outcomesAfter(workload, action, outcome.changed)),
          });
        }
        state.following = begin(
          {
            seq: ledger.seq,
            reloadedAt: ledger.reloadedAt ?? Math.floor(reload.now / 1000),
            // The workload was not written to, so there is no new resourceVersion to wait for.
            before: outcome.noteOnly ? '' : reload.workload.metadata.resourceVersion,
            outsideCap,
            ...(undone && { undoes: undone.seq }),
          },
          reload.workload,
          clock.now(),
        );
        if (outcome.changed) reporter.reloaded(undone ? { ...report, undoes: undone.seq } : report);
        else reporter.unchangedByReload(refOf(reload.workload));
        return {};
      }
      case 'continue':
        state.eviction = evictionAfter(outcome, eviction, clock.now());
        if (state.eviction.blocked && state.eviction.blocked !== eviction?.blocked) {
          reporter.evictionBlocked(workload, reload.configs, state.eviction.blocked);
        }
        return { requeueAfterMs: outcome.afterMs };
      case 'conflict':
        // Another client wrote at the same time: plan again with the caches' next state.
        return { requeue: true };
      case 'forbidden':
        throw new ReloadForbiddenError(outcome.message);
      case 'rejected':
        state.lastError = outcome.message;
        state.forbidden = false;
        reporter.failed(report, new ReloadFailedError(outcome.message), true);
        return { requeueAfterMs: REJECTED_RETRY_MS };
    }
  }

  /** Opens the outcome of this reload, and reports open outcomes of earlier reloads as superseded. */
  #outcomesAfter(
    workload: WorkloadFacts,
    { verdict, ledger }: ActionOf<'reload'>,
    changed: boolean,
  ): readonly ReloadOutcome[] {
    const { notebook, reporter, clock } = this.#options;
    const known = outcomesOf(notebook.note(refOf(workload)), workload.metadata.uid);
    const at = ledger.reloadedAt ?? Math.floor(clock.now() / 1000);
    for (const { seq, result } of known) {
      if (result !== 'open') continue;
      reporter.rolledOut(
        workload,
        seq,
        'superseded',
        `reload ${ledger.seq} came before its outcome was known`,
      );
    }
    const { seq } = ledger;
    const before = superseding(known, at);
    // A reload that changed nothing starts no pods, so there is no outcome to verify.
    if (!changed || !verdict.reload?.policy.verify || !isVerified(workload.kind)) return before;
    const sources = contentOf(verdict.differences);
    return opened(before, { seq, at, template: workload.templateDigest, sources });
  }

  #defer(pass: Pass, { verdict, later, ledger, byTimesAlone: doubt }: ActionOf<'defer'>): Result {
    const { workload, want, state, now } = pass;
    const { reporter } = this.#options;
    const before = state.deferred;
    state.deferred = later;
    if (later.why === 'observing') this.#observe(pass, verdict);
    else if (before?.why !== later.why || before.until !== later.until || isOtherChange(before, later)) {
      reporter.deferred(workload, want, later);
    }
    const looksAt = this.#queueUp(pass, verdict, later);
    if (ledger) this.#note(pass, verdict, ledger, doubt);
    else if (doubt?.held) this.#noteHeld(workload, doubt);
    // The doubt count requeues it when all workloads had a pass; the delay is for a workload that never has one.
    if (later.why === 'settling' && later.until === undefined) return { requeueAfterMs: COUNTING_CHECK_MS };
    const again = later.peers && now + PEERS_CHECK_MS;
    const times = [looksAt, again, later.until, later.lookAt].filter((time) => time !== undefined);
    const next = Math.min(...times);
    return Number.isFinite(next) ? { requeueAfterMs: Math.max(1, next - now) } : {};
  }

  /** The pending change is noted already; this adds that it is held until a person acts. */
  #noteHeld(workload: WorkloadFacts, doubt: NotedDoubt): void {
    const { notebook } = this.#options;
    const ref = refOf(workload);
    const known = notebook.note(ref);
    if (known.kind !== 'note') return;
    const { fingerprint, held } = known.note.doubt ?? {};
    if (fingerprint === doubt.fingerprint && held === doubt.held) return;
    notebook.put(ref, { ...known.note, doubt });
  }

  /** Puts it in line for a slot if only a slot or a known time holds it. Returns when to look again. */
  #queueUp({ key, now }: Pass, { reload }: Verdict, { why, until, since }: Later): number | undefined {
    const { rollouts } = this.#options;
    const budgets = reload?.policy.budgets ?? [];
    const from = why === 'capped' ? now : until;
    if (budgets.length > 0 && from !== undefined) return rollouts.wait({ key, since, from, budgets });
    rollouts.stopWaiting(key);
    return undefined;
  }

  #observe({ workload, state }: Pass, verdict: Verdict): void {
    const fingerprint = state.memory.pending?.fingerprint;
    if (state.observed === fingerprint) return;
    state.observed = fingerprint;
    this.#options.reporter.wouldReload(workload, verdict);
  }

  /** Ends a Stakater-style pause of a Deployment; its end follows from the workload's annotations. */
  async resume(workload: WorkloadFacts, now: number, signal: AbortSignal): Promise<Result> {
    const { executor, settings } = this.#options;
    const at = executor.resumeAt(workload);
    if (at === undefined || settings.mode === 'observe') return {};
    if (at > now) return { requeueAfterMs: at - now };
    const outcome = await executor.resume(workload, signal);
    return outcome.kind === 'conflict' ? { requeue: true } : {};
  }

  /** Completes re-creations of Jobs: a Job that we deleted may not be created again yet, or not noted yet. */
  hasJobsToFinish({ kind }: WorkloadRef): boolean {
    return kind === 'Job' && this.#options.executor.hasInterruptedJobs;
  }

  async finishJobs(ref: WorkloadRef, signal: AbortSignal): Promise<Result> {
    if (!this.hasJobsToFinish(ref)) return {};
    const { pending } = await this.#options.executor.finishInterruptedJobs(signal);
    return pending > 0 ? { requeueAfterMs: JOB_CHECK_MS } : {};
  }
}

/** Each change needs its own approval and can fail on its own, so each is reported. */
function isOtherChange(before: Later, later: Later): boolean {
  return TOLD_BY_CHANGE.has(later.why) && before.change !== later.change;
}

/** The failed reload is no longer needed: the lost write did succeed, or another client rolled the content out. */
function isHealed({ action, because }: Verdict): boolean {
  if (action === 'reload') return false;
  return because !== 'not-in-sync' && because !== 'write-not-seen';
}

/** The same pod under the same budget stays blocked since the first time; anything else counts as progress. */
function evictionAfter(
  { protectedBy }: Extract<Outcome, { kind: 'continue' }>,
  before: Eviction | undefined,
  now: number,
): Eviction {
  const since = before?.since ?? now;
  if (!protectedBy) return { since, movedAt: now, blocked: undefined };
  const { blocked } = before ?? {};
  if (blocked && before && blocked.pod === protectedBy.pod && blocked.budget === protectedBy.budget)
    return before;
  return { since, movedAt: before?.movedAt ?? now, blocked: { ...protectedBy, since: now } };
}
