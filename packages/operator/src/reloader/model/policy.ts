/** Selects the ReloaderConfigs that determine how a change is rolled out: those that watch a changed source. Pure. */
import type { ConfigPolicy, Policy, Want } from './want.ts';

/** The policy for a change of these sources (keys of the ledger). */
export function policyFor(
  { sources, policies }: Pick<Want, 'sources' | 'policies'>,
  changed: Iterable<string>,
): Policy {
  const { own, byConfig } = policies;
  const keys = new Set(changed);
  const concerned = sources.filter(({ key }) => keys.has(key));
  const watching = new Set(concerned.flatMap(({ configs }) => configs));
  const annotated = concerned.some((source) => source.annotated);
  return withConfigs(
    own,
    byConfig.filter(({ config }) => watching.has(config)),
    annotated,
  );
}

/** `configs`: those that apply, the oldest first. */
export function withConfigs(own: Policy, configs: readonly ConfigPolicy[], annotated: boolean): Policy {
  const [oldest] = configs;
  if (!oldest) return own;
  const said = <K extends keyof ConfigPolicy>(key: K): ConfigPolicy[K] | undefined =>
    configs.find((config) => config[key] !== undefined)?.[key];
  const settleMs = said('settleMs') ?? own.settleMs;
  const pausing = configs.find(({ pauseMs }) => pauseMs !== undefined);
  const isLonger = pausing?.pauseMs !== undefined && pausing.pauseMs > own.pauseMs;
  return {
    ...own,
    reloadStrategy: said('reloadStrategy') ?? own.reloadStrategy,
    rolloutStrategy: said('rolloutStrategy') ?? own.rolloutStrategy,
    settleMs,
    settleMaxMs: Math.max(own.settleMaxMs, settleMs),
    batchWindowMs: said('batchWindowMs') ?? own.batchWindowMs,
    ...(isLonger && {
      pauseMs: pausing.pauseMs,
      pausedBy: `pausePeriod of ReloaderConfig ${pausing.config}`,
    }),
    rateLimit: said('rateLimit') ?? own.rateLimit,
    // Windows, budgets and conditions of all places add up: every one of them must allow the reload.
    windows: [...own.windows, ...configs.flatMap(({ windows }) => windows)],
    maxWaitMs: shortest([own.maxWaitMs, ...configs.map(({ maxWaitMs }) => maxWaitMs)]),
    budgets: [...own.budgets, ...configs.flatMap(({ budgets }) => budgets)],
    conditions: [...own.conditions, ...configs.flatMap(({ conditions }) => conditions)],
    verify: said('verify') ?? own.verify,
    onFailure: said('onFailure') ?? own.onFailure,
    invalid: own.invalid ?? said('invalid'),
    cronJob: annotated ? own.cronJob : oldest.cronJob,
  };
}

export function shortest(times: readonly (number | undefined)[]): number | undefined {
  const said = times.filter((time) => time !== undefined);
  return said.length > 0 ? Math.min(...said) : undefined;
}
