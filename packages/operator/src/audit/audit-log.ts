/**
 * The audit log: one line of JSON for every action on a workload, every failure and every deferral, with the changed
 * sources, the rule that asked, and the result.
 *
 * In: the engine's reports. Out: lines, written at once and only appended. Guarantees: no value of any source, and no
 * digest of a Secret. A line that cannot be written is reported once, and delays no reload.
 */
import type { Clock } from '@reloader/runtime';
import type { Verdict } from '../reloader/model/decision.ts';
import type { Cause } from '../reloader/model/plan.ts';
import type { RestoreReport } from '../reloader/model/restore.ts';
import { sourceKey } from '../reloader/model/source.ts';
import type { Want } from '../reloader/model/want.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { PipelineReporter, ReloadReport, RolloutResult } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';

export type AuditAction =
  | 'reload'
  /** In place of `reload`: a failed reload was undone. */
  | 'undo'
  /** After a failed reload: its ConfigMaps were restored, or not. */
  | 'restore'
  | 'rollout'
  | 'hold'
  | 'record'
  | 'observe'
  | 'rule'
  | 'freeze'
  | 'unfreeze';
export type AuditOutcome = 'done' | 'retrying' | 'held' | 'noted' | RestoreReport['result'] | RolloutResult;

/** The fields of a line; later versions only add fields. */
export interface AuditEntry {
  readonly audit: true;
  readonly time: string;
  readonly action: AuditAction;
  readonly outcome: AuditOutcome;
  /** In every line but those about changes of rules. */
  readonly workload?: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  /** In a line about a change of rules: the ReloaderConfig, Namespace or workload that was changed. */
  readonly object?: {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
  };
  /** The field manager of the change: the name that the writing program gave itself. */
  readonly by?: string;
  /** The number of the reload among those of the workload. */
  readonly seq?: number;
  /** The reload that was undone. */
  readonly undoes?: number;
  readonly causes?: readonly AuditCause[];
  readonly strategy?: string;
  /** When the oldest of the changes was seen. */
  readonly seen?: string;
  readonly reason?: string;
  readonly until?: string;
  readonly message?: string;
}

export interface AuditCause {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly finding: string;
  /** The rule that asked: the name of an annotation's rule, or `config`. */
  readonly rule?: string;
  /** ReloaderConfigs that asked for the reload. */
  readonly configs?: readonly string[];
  /** The field manager of its data, and the time of its last write. */
  readonly changedBy?: string;
  readonly changedAt?: string;
  /** The digest of the new content; absent for Secrets. */
  readonly digest?: string;
}

export interface AuditOptions {
  readonly write: (line: string) => void;
  readonly clock: Pick<Clock, 'now'>;
}

const LONGEST_MESSAGE = 500;

export class AuditLog implements Partial<PipelineReporter> {
  readonly #options: AuditOptions;

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  reloaded(report: ReloadReport): void {
    this.#reload(report, 'done');
  }

  failed(report: ReloadReport, error: Error, final: boolean): void {
    this.#reload(report, final ? 'failed' : 'retrying', error.message);
  }

  deferred(workload: WorkloadFacts, _want: Want, { why, until, message }: Later): void {
    // Every reload settles first: not worth a line.
    if (why === 'settling') return;
    const held = { reason: why, ...(until !== undefined && { until: timeOf(until) }), message };
    this.#write('hold', 'held', workload, held);
  }

  recorded(workload: WorkloadFacts, { because, recorded }: Verdict): void {
    this.#write('record', 'noted', workload, {
      ...(recorded && { seq: recorded.seq }),
      reason: because ?? 'up-to-date',
    });
  }

  wouldReload(workload: WorkloadFacts, { reload }: Verdict): void {
    this.#write('observe', 'noted', workload, {
      causes: (reload?.causes ?? []).map((cause) => this.#cause(cause)),
    });
  }

  rolledOut(workload: WorkloadFacts, seq: number, result: RolloutResult, message: string): void {
    this.#write('rollout', result, workload, { seq, message });
  }

  restored(workload: WorkloadFacts, { result, seq, sources, message }: RestoreReport): void {
    this.#write('restore', result, workload, {
      seq,
      causes: sources.map((ref) => ({ ...ref, finding: 'changed' })),
      message: message.slice(0, LONGEST_MESSAGE),
    });
  }

  /** A change of an object that decides what is reloaded, or whether. */
  rule(
    action: AuditAction,
    object: NonNullable<AuditEntry['object']>,
    message: string,
    by: string | undefined,
  ): void {
    this.#append({ action, outcome: 'noted', object, ...(by && { by }), message });
  }

  #reload({ plan, want, seenAt, undoes }: ReloadReport, outcome: AuditOutcome, message?: string): void {
    this.#write(undoes === undefined ? 'reload' : 'undo', outcome, plan.workload, {
      seq: plan.seq,
      ...(undoes !== undefined && { undoes }),
      causes: plan.causes.map((cause) => this.#cause(cause, want)),
      strategy: plan.rolloutStrategy === 'restart' ? 'restart' : plan.reloadStrategy,
      seen: timeOf(seenAt),
      ...(message !== undefined && { message: message.slice(0, LONGEST_MESSAGE) }),
    });
  }

  #cause({ ref, finding, slot }: Cause, want?: Want): AuditCause {
    const source = want?.sources.find((each) => sourceKey(each.ref) === sourceKey(ref));
    const tells = slot !== undefined && ref.kind !== 'Secret';
    const facts = source?.state.kind === 'present' ? source.state.facts : undefined;
    return {
      ...ref,
      finding,
      ...(source && { rule: source.rule }),
      ...(source && source.configs.length > 0 && { configs: source.configs }),
      ...(facts?.writtenBy && { changedBy: facts.writtenBy }),
      ...(facts && { changedAt: timeOf(facts.writtenAt * 1000) }),
      ...(tells && { digest: slot }),
    };
  }

  #write(
    action: AuditAction,
    outcome: AuditOutcome,
    { kind, metadata: { namespace, name, uid } }: WorkloadFacts,
    rest: Partial<AuditEntry>,
  ): void {
    this.#append({ action, outcome, workload: { kind, namespace, name, uid }, ...rest });
  }

  #append(said: Omit<AuditEntry, 'audit' | 'time'>): void {
    const { write, clock } = this.#options;
    const entry: AuditEntry = { audit: true, time: timeOf(clock.now()), ...said };
    write(`${JSON.stringify(entry)}\n`);
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
