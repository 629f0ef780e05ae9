/** Counts the workloads that are opted in to a source, with all filters applied, for the log. Pure. */
import type { ReloaderSettings } from '../model/settings.ts';
import { type SourceRef, sourceKey } from '../model/source.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { isWanted, wantOf } from '../want/want.ts';

export interface TargetCountOptions {
  readonly world: World;
  readonly settings: ReloaderSettings;
  /** Whether it can be evaluated without blocking other work. If not, it counts as opted in. */
  readonly isReady: (workload: WorkloadFacts) => boolean;
}

/**
 * How much is looked at. The other workloads are counted without filters, to save time: the count is only for a log line,
 * and it is made while the event is handled. A workload of configs that watch many sources costs more than one with an
 * annotation.
 */
const MOST_LOOKED_AT = 2_000;
const BY_CONFIG = 10;

/** `found`: the workloads from the index, which may include some that are not opted in. */
export function countTargets(
  ref: SourceRef,
  found: readonly WorkloadRef[],
  { world, settings, isReady }: TargetCountOptions,
): number {
  if (found.length > MOST_LOOKED_AT) return found.length;
  const key = sourceKey(ref);
  let lookedAt = 0;
  return found.filter((each) => {
    const workload = world.workload(each);
    if (!workload) return false;
    if (lookedAt > MOST_LOOKED_AT || !isReady(workload)) return true;
    if (world.configsFor(each).length === 0) {
      lookedAt += 1;
      return isWanted(workload, ref, world, settings);
    }
    const { sources, configs } = wantOf(workload, world, settings);
    lookedAt += 1 + BY_CONFIG * sources.length * configs.length;
    return sources.some((source) => sourceKey(source.ref) === key);
  }).length;
}
