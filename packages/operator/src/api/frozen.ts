/** What is frozen, whether or not anything waits for it yet. */
import { parseGoBool } from '../go/bool.ts';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { own } from '../reloader/want/own.ts';
import type { Frozen } from './shapes.ts';

/** `workloads`: those that are frozen by themselves. */
export function frozenParts(
  world: Pick<World, 'namespace' | 'namespaces'>,
  { operatorNamespace }: Pick<ReloaderSettings, 'operatorNamespace'>,
  workloads: readonly WorkloadRef[],
): Frozen[] {
  const isFrozen = (namespace: string): boolean => {
    const facts = world.namespace(namespace);
    return parseGoBool((facts && own(facts.annotations, FIXED_ANNOTATIONS.freeze)) ?? '') ?? false;
  };
  const namespaces = [...world.namespaces()].filter((name) => name !== operatorNamespace && isFrozen(name));
  return [
    ...(isFrozen(operatorNamespace) ? [{ scope: 'cluster' as const }] : []),
    ...namespaces.sort().map((namespace) => ({ scope: 'namespace' as const, namespace })),
    ...workloads.map((workload) => ({ scope: 'workload' as const, workload })),
  ];
}

/** Whether it concerns a namespace. */
export function isFrozenIn(namespace: string): (frozen: Frozen) => boolean {
  return (frozen) =>
    frozen.scope === 'cluster' ||
    (frozen.scope === 'namespace' ? frozen.namespace : frozen.workload.namespace) === namespace;
}
