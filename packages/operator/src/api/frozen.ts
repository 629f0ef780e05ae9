/** What is frozen, whether or not anything waits for it yet. */
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { Freeze } from '../reloader/model/want.ts';
import type { World } from '../reloader/model/world.ts';
import type { WorkloadView } from '../reloader/report/reporter.ts';
import { freezeIn, isFrozenAt } from '../reloader/want/freeze.ts';
import type { Frozen } from './shapes.ts';
import { timeOf } from './times.ts';

export function frozenParts(
  world: Pick<World, 'namespace' | 'namespaces'>,
  { operatorNamespace }: Pick<ReloaderSettings, 'operatorNamespace'>,
  views: readonly WorkloadView[],
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
    ...views.flatMap(({ ref, want }) =>
      want.policy.freezes
        .filter((freeze) => freeze.place === 'workload' && isFrozenAt(freeze, now))
        .map((freeze) => ({ scope: 'workload' as const, workload: ref, ...told(freeze) })),
    ),
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
