/** The freezes in effect, whether or not a change waits for them yet. */
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import { freezeIn, isFrozenAt } from '../reloader/want/freeze.ts';
import type { FreezeFacts, FreezeGroup, Frozen } from './shapes.ts';
import { timeOf } from './times.ts';

type Place = Pick<FreezeGroup, 'scope' | 'namespace' | 'workload'>;

/** Undefined if nothing is frozen there now. */
export function freezeAt(
  { scope, namespace = '', workload }: Place,
  world: Pick<World, 'namespace' | 'workload'>,
  { operatorNamespace }: Pick<ReloaderSettings, 'operatorNamespace'>,
  now: number,
): FreezeFacts | undefined {
  const facts = workload
    ? world.workload(workload)
    : world.namespace(scope === 'cluster' ? operatorNamespace : namespace);
  const freeze = freezeIn(facts?.annotations ?? {});
  if (!freeze || !isFrozenAt(freeze, now)) return undefined;
  const { until, reason } = freeze;
  const { by = '', at = 0 } = facts?.frozen ?? {};
  return {
    ...(until !== undefined && { until: timeOf(until) }),
    ...(reason !== undefined && { reason }),
    ...(by !== '' && { by, since: timeOf(at * 1000) }),
  };
}

/** `workloads`: those that are frozen by an annotation of their own. */
export function frozenParts(
  world: Pick<World, 'namespace' | 'namespaces' | 'workload'>,
  settings: Pick<ReloaderSettings, 'operatorNamespace'>,
  workloads: readonly WorkloadRef[],
  now: number,
): Frozen[] {
  const { operatorNamespace } = settings;
  const namespaces = [...world.namespaces()].filter((name) => name !== operatorNamespace).sort();
  const places = [
    { scope: 'cluster' as const },
    ...namespaces.map((namespace) => ({ scope: 'namespace' as const, namespace })),
    ...workloads.map((workload) => ({ scope: 'workload' as const, workload })),
  ];
  return places.flatMap((place) => {
    const facts = freezeAt(place, world, settings, now);
    return facts ? [{ ...place, ...facts }] : [];
  });
}

/** Whether a freeze applies to a namespace. */
export function isFrozenIn(namespace: string): (frozen: Frozen) => boolean {
  return (frozen) =>
    frozen.scope === 'cluster' ||
    (frozen.scope === 'namespace' ? frozen.namespace : frozen.workload.namespace) === namespace;
}
