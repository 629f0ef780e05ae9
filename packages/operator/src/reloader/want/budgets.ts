/** The budgets that apply to a workload: of the cluster, of its Namespace, and of ReloaderConfigs that name it. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { type Budget, limitOf, parseConcurrency } from '../model/budget.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Problem } from '../model/want.ts';
import { parseWorkloadKey, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { configName } from './config-match.ts';
import { own } from './own.ts';
import { quote } from './policy-reader.ts';

export interface BudgetsOf {
  readonly budgets: readonly Budget[];
  /** Each of these problems holds the workload's reloads. */
  readonly problems: readonly Problem[];
}

export function ownBudgets(
  namespace: string,
  world: World,
  { maxUnfinishedRollouts }: ReloaderSettings,
): BudgetsOf {
  const cluster: Budget[] =
    maxUnfinishedRollouts > 0
      ? [{ name: '--max-unfinished-rollouts', limit: maxUnfinishedRollouts, has: () => true }]
      : [];
  const field = FIXED_ANNOTATIONS.maxConcurrent;
  const text = own(world.namespace(namespace)?.annotations ?? {}, field) ?? '';
  if (text === '') return { budgets: cluster, problems: [] };
  const read = parseConcurrency(text);
  if (!read || !('count' in read)) {
    const message = `${quote(text)} in ${field} of Namespace ${namespace} is no number of rollouts: write how many may run at a time, such as "3"; only maxConcurrent of a ReloaderConfig takes a percentage`;
    return { budgets: cluster, problems: [{ field, reason: 'InvalidBudget', message }] };
  }
  const has = (key: string): boolean => parseWorkloadKey(key).namespace === namespace;
  return {
    budgets: [...cluster, { name: `annotation ${field} of Namespace ${namespace}`, limit: read.count, has }],
    problems: [],
  };
}

export function budgetOfConfig(config: ConfigFacts): BudgetsOf {
  const { maxConcurrent, problems } = config;
  const where = `ReloaderConfig ${configName(config)}`;
  const bad = problems.filter(({ field }) => field === 'spec.maxConcurrent');
  const members = membersOf(config);
  return {
    budgets: maxConcurrent
      ? [
          {
            name: `maxConcurrent of ${where}`,
            limit: limitOf(maxConcurrent, members.size),
            has: (key) => members.has(key),
          },
        ]
      : [],
    problems: bad.map(({ field, message }) => ({
      field,
      reason: 'InvalidBudget',
      message: `${field} of ${where} ${message}`,
    })),
  };
}

/** Cached, because a config may have hundreds of targets, and the pass over each of them needs all keys. */
const members = new WeakMap<ConfigFacts, ReadonlySet<string>>();

/** Keys of the config's targets. */
export function membersOf(config: ConfigFacts): ReadonlySet<string> {
  let known = members.get(config);
  if (!known) {
    known = new Set(config.targets.map(workloadKey));
    members.set(config, known);
  }
  return known;
}
