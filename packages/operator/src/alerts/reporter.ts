/**
 * Turns the engine's reports into messages.
 *
 * Reported are: every reload; a failure once, when it is final or the third try failed, until a reload succeeds or
 * another source changes; a rollout that failed after a reload, and the result of restoring its sources; a deferral
 * once, when users may wonder where their change is.
 */
import { sourceOfLedgerKey } from '../reloader/ledger/ledger.ts';
import type { Verdict } from '../reloader/model/decision.ts';
import type { RecentReload } from '../reloader/model/ledger.ts';
import { policyFor } from '../reloader/model/policy.ts';
import type { RestoreReport } from '../reloader/model/restore.ts';
import type { Policy, Want } from '../reloader/model/want.ts';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../reloader/model/workload.ts';
import { Once } from '../reloader/report/once.ts';
import type {
  EngineView,
  PipelineReporter,
  ReloadReport,
  RolloutResult,
} from '../reloader/report/reporter.ts';
import { causesText, refOf } from '../reloader/report/texts.ts';
import type { Later } from '../reloader/schedule/types.ts';
import type { AlertSender } from './delivery/sender.ts';
import type { Destinations } from './destinations.ts';
import type { AlertMessage } from './message.ts';

export interface AlertReporterOptions {
  readonly sender: Pick<AlertSender, 'send'>;
  readonly destinations: Pick<Destinations, 'of'>;
  readonly now: () => number;
  /** Called when all receivers of this reload have got the message, or it was given up. */
  readonly onAlerted: (ref: WorkloadRef, seq: number) => void;
}

/** Most failures do not survive a retry. */
const TRIES_BEFORE_ALERT = 3;

export class AlertReporter implements Partial<PipelineReporter> {
  readonly #options: AlertReporterOptions;
  readonly #failures = new Once();
  readonly #tries = new Map<string, number>();
  readonly #deferrals = new Once();
  #view: EngineView | undefined;

  constructor(options: AlertReporterOptions) {
    this.#options = options;
  }

  attach(view: EngineView): void {
    this.#view = view;
  }

  reloaded({ plan, undoes }: ReloadReport): void {
    const ref = refOf(plan.workload);
    this.#forgetAll(workloadKey(ref));
    const undo = undoes === undefined ? {} : { undoes };
    this.#tell({ ...messageOf(plan), event: 'reloaded', ...undo }, { ref, seq: plan.seq });
  }

  failed({ plan }: ReloadReport, error: Error, final: boolean): void {
    const key = workloadKey(refOf(plan.workload));
    const tries = (this.#tries.get(key) ?? 0) + 1;
    this.#tries.set(key, tries);
    if (!final && tries < TRIES_BEFORE_ALERT) return;
    if (!this.#failures.isNew(key, causesText(plan))) return;
    this.#tell({ ...messageOf(plan), event: 'failed', at: this.#options.now(), error: error.message });
  }

  deferred(workload: WorkloadFacts, want: Want, { why, message, until }: Later): void {
    if (why === 'settling' || why === 'observing') return;
    const ref = refOf(workload);
    if (!this.#deferrals.isNew(workloadKey(ref), why)) return;
    const configs = want.configs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    if (this.#options.destinations.of({ event: 'deferred', configs, workload: ref }).length === 0) return;
    const reload = this.#view?.workload(ref)?.verdict?.reload;
    this.#tell({
      event: 'deferred',
      workload: ref,
      resources: reload?.causes.map((cause) => cause.ref) ?? [],
      strategy: strategyOf(reload?.policy ?? want.policy),
      at: this.#options.now(),
      error: undefined,
      deferral: { why, message, until },
      configs,
    });
  }

  /** A change that was reverted waits no longer. */
  recorded(workload: WorkloadFacts, { action }: Verdict): void {
    if (action !== 'reload') this.#deferrals.forget(workloadKey(refOf(workload)));
  }

  rolledOut(workload: WorkloadFacts, seq: number, result: RolloutResult, message: string): void {
    if (result === 'succeeded' || result === 'superseded') return;
    const entry = this.#view?.workload(refOf(workload))?.recorded?.recent.find((each) => each.seq === seq);
    if (!entry) return;
    const error = `the rollout failed: ${message}`;
    this.#tell({ ...this.#messageOfEntry(workload, entry), event: 'failed', at: this.#options.now(), error });
  }

  /** Sent to the receivers of failures: a person has to look at the source. */
  restored(workload: WorkloadFacts, { result, seq, message }: RestoreReport): void {
    const entry = this.#view?.workload(refOf(workload))?.recorded?.recent.find((each) => each.seq === seq);
    if (!entry) return;
    const error = result === 'refused' ? `nothing is put back: ${message}` : message;
    this.#tell({ ...this.#messageOfEntry(workload, entry), event: 'failed', at: this.#options.now(), error });
  }

  /** A reload of the previous process that may not have been reported. */
  tellAgain(workload: WorkloadFacts, entry: RecentReload): void {
    const { seq, undoes } = entry;
    const undo = undoes === undefined ? {} : { undoes };
    this.#tell({ ...this.#messageOfEntry(workload, entry), ...undo }, { ref: refOf(workload), seq });
  }

  unchangedByReload(ref: WorkloadRef): void {
    this.#forgetAll(workloadKey(ref));
  }

  forget(ref: WorkloadRef): void {
    this.#forgetAll(workloadKey(ref));
  }

  #messageOfEntry(workload: WorkloadFacts, { at, sources, configs }: RecentReload): AlertMessage {
    const ref = refOf(workload);
    const want = this.#view?.workload(ref)?.want;
    const policy = want && policyFor(want, sources);
    return {
      event: 'reloaded',
      workload: ref,
      resources: sources.flatMap((key) => sourceOfLedgerKey(key, ref.namespace) ?? []),
      strategy: policy && strategyOf(policy),
      at: at * 1000,
      error: undefined,
      deferral: undefined,
      configs,
    };
  }

  #tell(message: AlertMessage, reload?: { readonly ref: WorkloadRef; readonly seq: number }): void {
    const { sender, destinations, onAlerted } = this.#options;
    const receivers = destinations.of(message);
    let open = receivers.length;
    const onSettled = (): void => {
      open -= 1;
      if (open === 0 && reload) onAlerted(reload.ref, reload.seq);
    };
    for (const receiver of receivers) sender.send(receiver, message, onSettled);
  }

  #forgetAll(key: string): void {
    this.#tries.delete(key);
    this.#failures.forget(key);
    this.#deferrals.forget(key);
  }
}

function messageOf(plan: ReloadReport['plan']): AlertMessage {
  return {
    event: 'reloaded',
    workload: refOf(plan.workload),
    resources: plan.causes.map(({ ref }) => ref),
    strategy: strategyOf(plan),
    at: plan.now,
    error: undefined,
    deferral: undefined,
    configs: plan.configs,
  };
}

/** The effective strategy: with evictions, no template is changed. */
function strategyOf({
  rolloutStrategy,
  reloadStrategy,
}: Pick<Policy, 'rolloutStrategy' | 'reloadStrategy'>): string {
  return rolloutStrategy === 'restart' ? 'restart' : reloadStrategy;
}
