/** Where the settings of a workload come from: the first place that sets a value, in order of precedence. */
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { ConfigPolicy, Want } from '../reloader/model/want.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Explanation } from './shapes.ts';

interface Saying {
  /** The field of `policy` in an explanation. */
  readonly setting: keyof Explanation['policy'];
  readonly ofConfig: (config: ConfigPolicy) => unknown;
  readonly annotation?: string;
  readonly flag: string;
}

const SAYINGS: readonly Saying[] = [
  {
    setting: 'strategy',
    ofConfig: ({ rolloutStrategy, reloadStrategy }) => rolloutStrategy ?? reloadStrategy,
    annotation: FIXED_ANNOTATIONS.rolloutStrategy,
    flag: '--reload-strategy',
  },
  {
    setting: 'settle',
    ofConfig: ({ settleMs }) => settleMs,
    annotation: FIXED_ANNOTATIONS.settle,
    flag: '--settle',
  },
  {
    setting: 'batchWindow',
    ofConfig: ({ batchWindowMs }) => batchWindowMs,
    annotation: FIXED_ANNOTATIONS.batchWindow,
    flag: '--batch-window',
  },
];

/** A pause and a freeze name their own origin; windows are named by their places. */
export function originsOf(
  { annotations, metadata }: WorkloadFacts,
  { policy, policies }: Want,
  { world, settings }: Pick<ClusterView, 'world' | 'settings'>,
): Explanation['origins'] {
  const defaults = settings.namespaceDefaults ? world.namespace(metadata.namespace)?.annotations : undefined;
  const found = SAYINGS.map(({ setting, ofConfig, annotation = '', flag }): [string, string] => {
    const config = policies.byConfig.find((each) => ofConfig(each) !== undefined);
    if (config) return [setting, `ReloaderConfig ${config.config}`];
    if (annotations[annotation] !== undefined) return [setting, `${annotation} on the workload`];
    if (defaults?.[annotation] !== undefined) return [setting, `${annotation} on its Namespace`];
    return [setting, `${flag} or its default`];
  });
  return Object.fromEntries([
    ...found,
    ...(policy.pausedBy === undefined ? [] : [['pause', policy.pausedBy]]),
  ]);
}
