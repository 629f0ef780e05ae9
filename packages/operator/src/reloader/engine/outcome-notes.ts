/**
 * Outcomes of reloads: each is reported once, and noted, so that the next leader neither loses nor repeats it.
 *
 * In: the end of a rollout. Out: one report, and one change of the note. The workload is not written to.
 */
import type { Clock } from '@reloader/runtime';
import { outcomesOf } from '../ledger/note.ts';
import { contentOfRecord, ended, opened, outcomeOf, outcomesOfNote } from '../ledger/outcomes.ts';
import type { Following } from '../model/following.ts';
import type { Note, RolloutFailure } from '../model/ledger.ts';
import { policyFor } from '../model/policy.ts';
import { isVerified, type ReloadOutcome, type Verify } from '../model/verify.ts';
import { refOf, type WorkloadFacts } from '../model/workload.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import type { NotebookPort } from './execution.ts';
import type { Pass } from './pass.ts';

export interface OutcomeNotesOptions {
  readonly notebook: NotebookPort;
  readonly reporter: PipelineReporter;
  readonly clock: Clock;
}

/** A reload with `verify`. */
export interface Verified {
  readonly verify: Verify;
  readonly outcome: ReloadOutcome;
  /** Another client has changed the template, so the state of the pods no longer says anything about our reload. */
  readonly isSuperseded: boolean;
}

interface Failure {
  readonly result: 'failed' | 'timeout';
  readonly message: string;
}

export class OutcomeNotes {
  readonly #options: OutcomeNotesOptions;

  constructor(options: OutcomeNotesOptions) {
    this.#options = options;
  }

  failure(workload: WorkloadFacts, seq: number): RolloutFailure | undefined {
    const note = this.#options.notebook.note(refOf(workload));
    return note.kind === 'note' && note.note.failed?.seq === seq ? note.note.failed : undefined;
  }

  outcome(workload: WorkloadFacts, seq: number): ReloadOutcome | undefined {
    return outcomeOf(this.#outcomes(workload), seq);
  }

  /** Undefined without `verify`, by the current annotations and ReloaderConfigs. */
  verified({ workload, want, state }: Pass, { seq, reloadedAt, before }: Following): Verified | undefined {
    const { ledger } = state.memory;
    if (!ledger || !isVerified(workload.kind)) return undefined;
    const known = this.outcome(workload, seq);
    const outcome: ReloadOutcome = known ?? {
      seq,
      result: 'open',
      at: reloadedAt,
      template: workload.templateDigest,
      sources: contentOfRecord(ledger, seq),
    };
    const { verify } = policyFor(want, Object.keys(outcome.sources));
    if (!verify) return undefined;
    const isSeen = before !== workload.metadata.resourceVersion;
    return { verify, outcome, isSuperseded: isSeen && outcome.template !== workload.templateDigest };
  }

  worked(pass: Pass, following: Following, message: string, verified: Verified | undefined): void {
    const { seq, failed } = following;
    const outcomes = this.#ended(pass, following, { result: 'ok', message }, verified);
    if (failed !== undefined || verified) this.#note(pass, undefined, outcomes);
    this.#options.reporter.rolledOut(
      pass.workload,
      seq,
      'succeeded',
      message,
      this.#tookMs(following, verified),
    );
  }

  failed(
    pass: Pass,
    following: Following,
    { result, message }: Failure,
    verified: Verified | undefined,
  ): void {
    const { seq } = following;
    const outcomes = this.#ended(pass, following, { result, message }, verified);
    this.#note(pass, { seq, at: this.#now(), message }, outcomes);
    this.#options.reporter.rolledOut(pass.workload, seq, result, message, this.#tookMs(following, verified));
  }

  superseded(pass: Pass, following: Following): void {
    const { seq, failed } = following;
    const message = 'somebody else changed the pod template before its outcome was known';
    const end = { seq, result: 'superseded' as const, at: this.#now(), message };
    this.#note(pass, undefined, ended(this.#outcomes(pass.workload), end, new Map()));
    if (failed === undefined) this.#options.reporter.rolledOut(pass.workload, seq, 'superseded', message);
  }

  /** The rollout is now held until a person acts, so whether it works is unknown. */
  forgetFailure(pass: Pass, seq: number): void {
    const others = this.#outcomes(pass.workload).filter((each) => each.seq !== seq);
    this.#note(pass, undefined, others);
  }

  #ended(
    { workload, state }: Pass,
    { seq }: Following,
    end: Failure | { readonly result: 'ok'; readonly message: string },
    verified: Verified | undefined,
  ): readonly ReloadOutcome[] {
    const known = this.#outcomes(workload);
    // An outcome that was opened once ends with its rollout, even if `verify` is no longer set.
    const all = verified && !outcomeOf(known, seq) ? opened(known, verified.outcome) : known;
    return ended(all, { seq, at: this.#now(), ...end }, state.memory.ledger?.sources ?? new Map());
  }

  #outcomes({ kind, metadata }: WorkloadFacts): readonly ReloadOutcome[] {
    const { namespace, name, uid } = metadata;
    return outcomesOf(this.#options.notebook.note({ kind, namespace, name }), uid);
  }

  #note({ workload, state }: Pass, failed: Note['failed'], outcomes: readonly ReloadOutcome[]): void {
    const { notebook } = this.#options;
    const ref = refOf(workload);
    const { ledger, base } = state.memory;
    const known = notebook.note(ref);
    const end = { ...(failed && { failed }), ...outcomesOfNote(outcomes) };
    if (known.kind === 'note') {
      const { failed: _, outcomes: __, ...note } = known.note;
      notebook.put(ref, { ...note, ...end });
    } else if ((failed || outcomes.length > 0) && ledger && base !== undefined) {
      notebook.put(ref, { record: ledger, base, ...end });
    }
  }

  #tookMs({ reloadedAt }: Following, verified: Verified | undefined): number | undefined {
    return verified && Math.max(0, this.#options.clock.now() - reloadedAt * 1000);
  }

  #now(): number {
    return Math.floor(this.#options.clock.now() / 1000);
  }
}
