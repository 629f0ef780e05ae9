/** What is frozen, whether or not anything waits for it yet. */
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { Freeze } from '../reloader/model/want.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { freezeIn, isFrozenAt } from '../reloader/want/freeze.ts';
import type { Frozen } from './shapes.ts';
import { timeOf } from './times.ts';

/** `workloads`: those that are frozen by themselves. */
export function frozenParts(
  world: Pick<World, 'namespace' | 'namespaces' | 'workload'>,
  { operatorNamespace }: Pick<ReloaderSettings, 'operatorNamespace'>,
  workloads: readonly WorkloadRef[],
  now: number,
): Frozen[] {
  const freezeOf = (namespace: string) => {
    const freeze = freezeIn(world.namespace(namespace)?.annotations ?? {});
    return freeze && isFrozenAt(freeze, now) ? [freeze] : [];
  };
  const namespaces = [...world.namespaces()].filter((name) => name !== operatorNamespace).sort();
  return [
    ...freezeOf(operatorNamespace).map((freeze) => ({ scope: 'cluster' as const, ...told(freeze) })),
    ...namespaces.flatMap((namespace) =>
      freezeOf(namespace).map((freeze) => ({ scope: 'namespace' as const, namespace, ...told(freeze) })),
    ),
    ...workloads.map((workload) => {
      const freeze = freezeIn(world.workload(workload)?.annotations ?? {});
      return { scope: 'workload' as const, workload, ...(freeze && told(freeze)) };
    }),
  ];
}

function told({ until, reason }: Omit<Freeze, 'place'>) {
  return {
    ...(until !== undefined && { until: timeOf(until) }),
    ...(reason !== undefined && { reason }),
  };
}

/** Whether it concerns a namespace. */
export function isFrozenIn(namespace: string): (frozen: Frozen) => boolean {
  return (frozen) =>
    frozen.scope === 'cluster' ||
    (frozen.scope === 'namespace' ? frozen.namespace : frozen.workload.namespace) === namespace;
}
