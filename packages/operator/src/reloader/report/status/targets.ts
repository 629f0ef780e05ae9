/** The state of each target of a ReloaderConfig. Pure. */

import type { ConfigFacts, TargetFacts } from '../../model/config.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import { type WorkloadFacts, workloadKey } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import { crossNamespaceDenied } from '../../want/cross-namespace.ts';
import type { EngineView, WorkloadView } from '../reporter.ts';

export type TargetView = Pick<EngineView, 'workload'>;

export interface TargetState {
  readonly target: TargetFacts;
  readonly key: string;
  /** Undefined if the target exists. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
  readonly facts: WorkloadFacts | undefined;
  readonly view: WorkloadView | undefined;
  readonly ledger: Ledger | undefined;
  /** All configs that may reach this target, the oldest first, this one included. */
  readonly configs: readonly ConfigFacts[];
}

export function targetStates(
  config: ConfigFacts,
  world: World,
  view: TargetView | undefined,
  settings: ReloaderSettings,
): TargetState[] {
  const states = new Map<string, TargetState>();
  for (const target of config.targets) {
    const key = workloadKey(target);
    if (states.has(key)) continue;
    const denied = crossNamespaceDenied(config, target, world, settings);
    const facts = denied ? undefined : world.workload(target);
    const problem = denied
      ? { reason: 'CrossNamespaceDenied', message: `${nameOf(target)}: ${denied.message}` }
      : facts
        ? undefined
        : whyMissing(target, world, settings);
    const shown = facts && view?.workload(target);
    states.set(key, {
      target,
      key,
      problem,
      facts,
      view: shown,
      ledger: shown?.recorded,
      configs: denied
        ? []
        : world.configsFor(target).filter((each) => !crossNamespaceDenied(each, target, world, settings)),
    });
  }
  return [...states.values()];
}

/** `Deployment shop/web` */
export function nameOf({ kind, namespace, name }: TargetFacts): string {
  return `${kind} ${namespace}/${name}`;
}

function whyMissing(
  target: TargetFacts,
  world: World,
  settings: ReloaderSettings,
): { reason: string; message: string } {
  const { kind } = target;
  if (settings.ignoredWorkloads.has(kind)) {
    const message = `Target ${nameOf(target)} is never reloaded: --ignored-workload-types excludes ${kind}s`;
    return { reason: 'KindUnavailable', message };
  }
  if (!world.knows(kind)) {
    const message = `Target ${nameOf(target)} cannot be looked for: the API server does not serve ${kind}s, or does not let the operator read them`;
    return { reason: 'KindUnavailable', message };
  }
  if (!world.inScope(target.namespace)) {
    const message = `Target ${nameOf(target)} is in a namespace that the operator was told not to watch`;
    return { reason: 'TargetNotFound', message };
  }
  return { reason: 'TargetNotFound', message: `Target ${nameOf(target)} not found` };
}
