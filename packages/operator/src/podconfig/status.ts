/** What a config's status says: a pure function of what exists and what went wrong. */
import { setCondition } from '@reloader/runtime';
import type { PcmcFacts, PodConfigMapConfigStatus, Trouble } from './model.ts';

export interface Progress {
  readonly matchedPods: number;
  readonly managedConfigMaps: number;
  /** ConfigMaps that are not as they should be, and no trouble explains it: work that is under way. */
  readonly outstanding: number;
  /** The first by the pod's name, and how many there are. */
  readonly trouble: Trouble | undefined;
  readonly troubled: number;
}

export function statusOf(config: PcmcFacts, progress: Progress, now: number): PodConfigMapConfigStatus {
  const { matchedPods, managedConfigMaps, outstanding, troubled } = progress;
  const trouble = config.trouble ?? progress.trouble;
  const ready = !trouble && outstanding === 0;
  const more = troubled > 1 ? ` (and ${troubled - 1} more)` : '';
  const text = trouble
    ? { reason: trouble.reason, message: `${trouble.message}${more}` }
    : ready
      ? { reason: 'Synced', message: `${managedConfigMaps} ConfigMaps for ${matchedPods} pods` }
      : { reason: 'Reconciling', message: `${outstanding} of ${matchedPods} ConfigMaps are being written` };
  const condition = {
    type: 'Ready',
    status: ready ? ('True' as const) : ('False' as const),
    ...text,
    observedGeneration: config.generation,
  };
  // Only what was carried out is said to be observed.
  const { observedGeneration } = ready ? { observedGeneration: config.generation } : config.status;
  return {
    conditions: setCondition(config.status.conditions, condition, now),
    matchedPods,
    managedConfigMaps,
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}
