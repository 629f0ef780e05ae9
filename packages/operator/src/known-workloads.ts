/** All workloads of the caches, for the parts that need all of them. */
import type { Ledger } from './reloader/model/ledger.ts';
import type { PeersOf } from './reloader/model/order.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from './reloader/model/workload.ts';
import type { EngineView } from './reloader/report/reporter.ts';
import { lastMetadataOf } from './reloader/want/want-subject.ts';
import type { Watch } from './reloader/watch/watch.ts';

export function* allWorkloads({ workloadInformers }: Watch): Iterable<WorkloadFacts> {
  for (const { store } of workloadInformers.values()) yield* store.list();
}

/** Every workload that opts in is processed once when a process starts. */
export function* expectedAtStart(watch: Watch): Iterable<string> {
  for (const workload of allWorkloads(watch)) {
    const ref = refOf(workload);
    if (watch.world.inScope(ref.namespace) && watch.affected.asks(workload)) yield workloadKey(ref);
  }
}

/** The workloads that may be reloaded for a source, and the namespaces that have an order. */
export function peersIn({ affected, world }: Watch): PeersOf {
  return {
    of: (source) =>
      affected.bySource(source, [lastMetadataOf(world.source(source))?.labels ?? {}]) as WorkloadRef[],
    isOrdered: (namespace) => affected.isOrdered(namespace),
  };
}

export function* recordsOf(
  watch: Watch,
  view: Pick<EngineView, 'recorded'>,
): Iterable<readonly [WorkloadFacts, Ledger]> {
  for (const workload of allWorkloads(watch)) {
    const recorded = view.recorded(refOf(workload));
    if (recorded) yield [workload, recorded];
  }
}
