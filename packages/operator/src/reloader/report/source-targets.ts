/** How many workloads ask for a source by everything that filters, for the log. Pure. */
import type { ReloaderSettings } from '../model/settings.ts';
import { type SourceRef, sourceKey } from '../model/source.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { wantOf } from '../want/want.ts';

export interface TargetCountOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  /** Whether it can be asked without holding up everybody else. One that cannot counts as if it did ask. */
  readonly isReady: (workload: WorkloadFacts) => boolean;
}

/** Beyond so many a log line is not worth the time: they count as they were found. */
const MOST_ASKED = 1_000;

/** `found`: those that the index found, which may be too many. */
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
