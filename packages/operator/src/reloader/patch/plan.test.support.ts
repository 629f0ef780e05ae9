/** Plans with sensible defaults: a test sets only the fields that it is about. */

import type { Cause, ReloadPlan } from '../model/plan.ts';
import { workloadFacts } from '../want/world.test.support.ts';

export const NOW = Date.UTC(2030, 0, 2, 3, 4, 5, 678);
export const NOW_TEXT = '2030-01-02T03:04:05Z';
export const SLOT = 'f83e99e324ba68ccc373a58ef1eb42f8ab88646a';

/** ConfigMap `settings` of `shop` changed, and container `app` carries its variable. */
export function cause(overrides: Partial<Cause> & { readonly name?: string } = {}): Cause {
  const { name = 'settings', ...rest } = overrides;
  return {
    ref: { kind: 'ConfigMap', namespace: 'shop', name },
    finding: 'changed',
    slot: SLOT,
    container: 'app',
    ...rest,
  };
}

/** The first reload of Deployment `web`, which has a ledger: one cause, no config, env-vars. */
export function reloadPlan(overrides: Partial<ReloadPlan> = {}): ReloadPlan {
  return {
    workload: workloadFacts({ annotations: { 'reloader.stakater.com/ledger': 'before' } }),
    ledgerBefore: 'before',
    ledgerAfter: 'after',
    ledger: { uid: 'uid-web', seq: 1, writtenAt: 1001, recent: [], sources: new Map() },
    recordBefore: undefined,
    evicting: undefined,
    mark: '{"n":1,"s":{"cm/settings":"d1"}}',
    seq: 1,
    now: NOW,
    causes: [cause()],
    configs: [],
    reloadStrategy: 'env-vars',
    rolloutStrategy: 'rollout',
    stakaterPauseMs: undefined,
    cronJob: 'run',
    usedWords: {},
    ...overrides,
  };
}
