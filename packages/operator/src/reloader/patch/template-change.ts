/**
 * The change that a reload makes to a pod template. It is applied as a JSON patch to a workload, or in memory to the
 * template of a Job before it is created. Pure.
 */
import { timestamp } from '@reloader/runtime';
import { STAKATER_DELETED } from '../digest/stakater.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Cause, ReloadPlan } from '../model/plan.ts';
import { STAKATER_TYPE } from '../model/source.ts';
import { TRIGGERED_AT, variableOf } from '../model/variable.ts';

export type VariableChange =
  | { readonly name: string; readonly container: string; readonly value: string }
  /** It is removed from every container. */
  | { readonly name: string; readonly container: undefined; readonly value: undefined };

export interface TemplateChange {
  readonly variables: readonly VariableChange[];
  readonly annotations: Readonly<Record<string, string>>;
}

type Reload = Pick<ReloadPlan, 'causes' | 'configs' | 'mark' | 'now' | 'reloadStrategy'>;

/** `firstContainer` gets the variable that belongs to no source; without containers there are no variables. */
export function templateChange(plan: Reload, firstContainer: string | undefined): TemplateChange {
  const mark = { [FIXED_ANNOTATIONS.rolled]: plan.mark };
  return plan.reloadStrategy === 'env-vars'
    ? { variables: variables(plan, firstContainer), annotations: mark }
    : { variables: [], annotations: { ...annotations(plan), ...mark } };
}

function variables({ causes, configs, now }: Reload, firstContainer: string | undefined): VariableChange[] {
  if (firstContainer === undefined) return [];
  const standing = new Map<string, VariableChange>();
  // If two sources share a variable, the later one sets it.
  for (const { ref, slot, container } of causes) {
    const name = variableOf(ref);
    if (slot !== undefined) standing.set(`${container}/${name}`, { container, name, value: slot });
  }
  // A deleted source does not remove a variable that another source still sets.
  const kept = new Set([...standing.values()].map(({ name }) => name));
  const gone = causes.filter(({ slot }) => slot === undefined).map(({ ref }) => variableOf(ref));
  const removed = [...new Set(gone)].filter((name) => !kept.has(name));
  return [
    ...removed.map((name) => ({ container: undefined, name, value: undefined })),
    ...standing.values(),
    ...(configs.length > 0 ? [{ container: firstContainer, name: TRIGGERED_AT, value: timestamp(now) }] : []),
  ];
}

function annotations({ causes, configs, now }: Reload): Record<string, string> {
  const last = causes.at(-1);
  return {
    ...(last && { [FIXED_ANNOTATIONS.lastReloadedFrom]: reloadedFrom(last, now) }),
    ...(configs.length > 0 && { [FIXED_ANNOTATIONS.lastReload]: timestamp(now) }),
  };
}

/** Stakater's JSON, byte for byte: other tools and Stakater itself read it. */
export function reloadedFrom({ ref, slot, container }: Cause, now: number): string {
  return JSON.stringify({
    type: STAKATER_TYPE[ref.kind],
    name: ref.name,
    namespace: ref.namespace,
    hash: slot ?? STAKATER_DELETED,
    containerRefs: [container],
    observedAt: Math.floor(now / 1000),
  });
}
