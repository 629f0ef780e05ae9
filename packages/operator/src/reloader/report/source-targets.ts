/** Counts the workloads that are opted in to a source, with all filters applied, for the log. Pure. */
import type { ReloaderSettings } from '../model/settings.ts';
import { type SourceRef, sourceKey } from '../model/source.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { wantOf } from '../want/want.ts';

export interface TargetCountOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  /** Whether it can be evaluated without blocking other work. If not, it counts as opted in. */
  readonly isReady: (workload: WorkloadFacts) => boolean;
}

/** Above this number the workloads are counted without filters, to save time: the count is only for a log line. */
const MOST_ASKED = 1_000;

/** `found`: the workloads from the index, which may include some that are not opted in. */
export function countTargets(
  ref: SourceRef,
  found: readonly WorkloadRef[],
  { world, settings, isReady }: TargetCountOptions,
): number {
  if (found.length > MOST_ASKED) return found.length;
  const key = sourceKey(ref);
  return found.filter((each) => {
    const workload = world.workload(each);
    if (!workload) return false;
    if (!isReady(workload)) return true;
    return wantOf(workload, world, settings).sources.some((source) => sourceKey(source.ref) === key);
  }).length;
}
