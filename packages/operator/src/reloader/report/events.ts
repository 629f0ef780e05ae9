/**
 * Kubernetes Events about reloads.
 *
 * In: the reports of the pipeline. Out: one Event on the workload for each reload, and one for each burst of reloads on
 * a ReloaderConfig that asked for them. Anything else is reported once until it changes, not again in each pass.
 */
import {
  apiVersionOf,
  type Clock,
  type EventRecorder,
  type ObjectReference,
  parseKey,
} from '@reloader/runtime';
import { ReloaderConfigs } from '../../crds/reloader-config/resource.ts';
import type { Verdict } from '../model/decision.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { BlockedEviction } from '../model/plan.ts';
import type { RestoreReport } from '../model/restore.ts';
import type { Problem, Want } from '../model/want.ts';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { type Later, TOLD_BY_CHANGE } from '../schedule/types.ts';
import { ConfigBursts } from './config-bursts.ts';
import { Once } from './once.ts';
import type { EngineView, ReloadReport, Reporter, RolloutResult } from './reporter.ts';
import {
  blockedText,
  causesText,
  EVENT_COMPONENTS,
  failedText,
  refOf,
  reloadedText,
  undoneText,
} from './texts.ts';

/** The component of Events that are not about the change of a source. */
export const GENERAL_COMPONENT = 'reloader';

const RESTORE_EVENTS = {
  restored: ['Normal', 'ContentRestored', ''],
  refused: ['Warning', 'RestoreRefused', 'Nothing is put back: '],
  fought: ['Warning', 'RestoreFought', ''],
} as const;

export class ReloadEvents implements Partial<Reporter> {
  readonly #recorder: (component: string) => EventRecorder;
  readonly #world: Pick<World, 'config'>;
  readonly #problems = new Once();
  readonly #failures = new Once();
  readonly #deferrals = new Once();
  /** A runnable for the manager: it reports open bursts when the process stops. */
  readonly bursts: ConfigBursts;
  #view: EngineView | undefined;

  constructor(recorder: (component: string) => EventRecorder, world: Pick<World, 'config'>, clock: Clock) {
    this.#recorder = recorder;
    this.#world = world;
    this.bursts = new ConfigBursts(clock, (config, message) =>
      this.#tellConfigs([config], 'Normal', 'Reloaded', message),
    );
  }

  attach(view: EngineView): void {
    this.#view = view;
  }

  reloaded({ plan, undoes }: ReloadReport): void {
    const key = workloadKey(refOf(plan.workload));
    this.#failures.forget(key);
    this.#deferrals.forget(key);
    const recorder = this.#recorder(componentOf(plan));
    if (undoes !== undefined) {
      const message = undoneText(plan, undoes);
      recorder.record(referenceTo(plan.workload), 'Normal', 'ReloadUndone', message);
      this.#tellConfigs(plan.configs, 'Normal', 'ReloadUndone', message);
      return;
    }
    recorder.record(referenceTo(plan.workload), 'Normal', 'Reloaded', reloadedText(plan));
    const causes = plan.causes.map(({ ref }) => ref);
    for (const config of plan.configs) this.bursts.add(config, { workload: refOf(plan.workload), causes });
  }

  failed({ plan }: ReloadReport, error: Error, final: boolean): void {
    const message = failedText(plan, error);
    if (!this.#failures.isNew(workloadKey(refOf(plan.workload)), `${final} ${message}`)) return;
    const recorder = this.#recorder(componentOf(plan));
    recorder.record(referenceTo(plan.workload), 'Warning', 'ReloadFail', message);
    this.#tellConfigs(plan.configs, 'Warning', 'ReloadFail', message);
  }

  deferred(workload: WorkloadFacts, _want: Want, { why, message, change }: Later): void {
    // Settling is over in a moment, and `wouldReload` reports the reloads that observe mode leaves out.
    if (why === 'settling' || why === 'observing') return;
    if (!this.#deferrals.isNew(workloadKey(refOf(workload)), TOLD_BY_CHANGE.has(why) ? change : why)) return;
    this.#general(workload, 'Normal', 'ReloadDeferred', `A reload is held back (${why}): ${message}`);
  }

  /** A verified reload gets an Event on the workload; a failed rollout also one on each ReloaderConfig that asked. */
  rolledOut(
    workload: WorkloadFacts,
    seq: number,
    result: RolloutResult,
    message: string,
    verifiedMs?: number,
  ): void {
    if (result === 'superseded') return;
    if (result === 'succeeded') {
      if (verifiedMs !== undefined)
        this.#general(workload, 'Normal', 'ReloadVerified', `Reload ${seq} works: ${message}`);
      return;
    }
    const { kind, namespace, name } = refOf(workload);
    const told = `The rollout after reload ${seq} of ${kind} ${namespace}/${name} failed: ${message}`;
    this.#general(workload, 'Warning', 'RolloutFailed', told);
    const recorded = this.#view?.workload(refOf(workload))?.recorded;
    const entry = recorded?.recent.find((recent) => recent.seq === seq);
    this.#tellConfigs(entry?.configs ?? [], 'Warning', 'RolloutFailed', told);
  }

  evictionBlocked(workload: WorkloadFacts, configs: readonly string[], blocked: BlockedEviction): void {
    const message = `The restart does not go on: ${blockedText(blocked)}`;
    this.#general(workload, 'Warning', 'EvictionBlocked', message);
    const { kind, namespace, name } = refOf(workload);
    this.#tellConfigs(configs, 'Warning', 'EvictionBlocked', `${kind} ${namespace}/${name}: ${message}`);
  }

  restored(workload: WorkloadFacts, { result, message, configs }: RestoreReport): void {
    const { kind, namespace, name } = refOf(workload);
    const [type, reason, told] = RESTORE_EVENTS[result];
    this.#general(workload, type, reason, `${told}${message}`);
    this.#tellConfigs(configs, type, reason, `${kind} ${namespace}/${name}: ${told}${message}`);
  }

  recorded(workload: WorkloadFacts, { foreignSlots = [] }: Verdict): void {
    if (foreignSlots.length === 0) return;
    const names = foreignSlots.join(', ');
    this.#general(
      workload,
      'Warning',
      'ForeignDigest',
      `Taken over without a restart although ${names} tells of a content that is not the present one: if its pods run with old values, restart them once, or take over with --takeover=catch-up`,
    );
  }

  wouldReload(workload: WorkloadFacts, { reload }: Verdict): void {
    const causes = causesText({ causes: reload?.causes ?? [] });
    this.#general(workload, 'Normal', 'WouldReload', `Observe mode left out a reload because of ${causes}`);
  }

  problems(workload: WorkloadFacts, problems: readonly Problem[]): void {
    const key = workloadKey(refOf(workload));
    if (problems.length === 0) {
      this.#problems.forget(key);
      return;
    }
    const texts = problems.map(({ field, reason, message }) => ({ reason, text: `${field}: ${message}` }));
    if (!this.#problems.isNew(key, texts.map(({ text }) => text).join('\n'))) return;
    const recorder = this.#recorder(GENERAL_COMPONENT);
    for (const { reason, text } of texts)
      recorder.record(referenceTo(workload), 'Warning', reason, text, { standing: true });
  }

  /** A warning about a ReloaderConfig (`namespace/name`), ahead of a reload. */
  aboutConfig(config: string, reason: string, message: string): void {
    this.#tellConfigs([config], 'Warning', reason, message);
  }

  forget(ref: WorkloadRef): void {
    const key = workloadKey(ref);
    for (const once of [this.#problems, this.#failures, this.#deferrals]) once.forget(key);
  }

  #general(workload: WorkloadFacts, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder(GENERAL_COMPONENT).record(referenceTo(workload), type, reason, message);
  }

  #tellConfigs(
    configs: readonly string[],
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): void {
    for (const config of configs) {
      const { namespace = '', name } = parseKey(config);
      const facts = this.#world.config({ namespace, name });
      if (!facts) continue;
      const { kind } = ReloaderConfigs;
      const reference = { apiVersion: apiVersionOf(ReloaderConfigs), kind, ...identityOf(facts.metadata) };
      this.#recorder(GENERAL_COMPONENT).record(reference, type, reason, message);
    }
  }
}

/** By the last cause, which is also the one that Stakater's own annotation names. */
function componentOf({ causes }: ReloadReport['plan']): string {
  const last = causes.at(-1);
  return last ? EVENT_COMPONENTS[last.ref.kind] : GENERAL_COMPONENT;
}

function referenceTo({ kind, metadata }: WorkloadFacts): ObjectReference {
  return { apiVersion: apiVersionOf(WORKLOAD_TYPES[kind]), kind, ...identityOf(metadata) };
}

function identityOf({ namespace, name, uid, resourceVersion }: WorkloadFacts['metadata']) {
  return { namespace, name, uid, resourceVersion };
}
