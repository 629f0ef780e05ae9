/** What a config's status says: a pure function of what exists and what went wrong. */
import { findCondition, setCondition } from '@reloader/runtime';
import type { PcmcFacts, PodConfigMapConfigStatus } from './model.ts';
import type { Summary } from './progress.ts';

export interface Counted extends Summary {
  readonly managedConfigMaps: number;
}

export function statusOf(
  config: PcmcFacts,
  { matchedPods, managedConfigMaps, outstanding, trouble: found, troubled }: Counted,
  now: number,
): PodConfigMapConfigStatus {
  const { generation, status: before } = config;
  const trouble = config.trouble ?? found;
  // Pods come and go all the time: what was once carried out stays so while theirs are being written.
  const wasReady =
    before.observedGeneration === generation && findCondition(before.conditions, 'Ready')?.status === 'True';
  const ready = !trouble && (outstanding === 0 || wasReady);
  const more = !config.trouble && troubled > 1 ? ` (and ${troubled - 1} more)` : '';
  const text = trouble
    ? { reason: trouble.reason, message: `${trouble.message}${more}` }
    : ready
      ? { reason: 'Synced', message: `${managedConfigMaps} ConfigMaps for ${matchedPods} pods` }
      : { reason: 'Reconciling', message: `${outstanding} pods are being worked on` };
  const condition = {
    type: 'Ready',
    status: ready ? ('True' as const) : ('False' as const),
    ...text,
    observedGeneration: generation,
  };
  // Only what was carried out is said to be observed.
  const observed = ready ? generation : before.observedGeneration;
  return {
    conditions: setCondition(before.conditions, condition, now),
    matchedPods,
    managedConfigMaps,
    ...(observed !== undefined && { observedGeneration: observed }),
  };
}
