import { describe, expect, it } from 'vitest';
import { parseConcurrency } from '../model/budget.ts';
import { policyFor } from '../model/policy.ts';
import { full } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  workloadFacts,
} from './world.test.support.ts';

const targets = ['web', 'api', 'job', 'web'].map((name) => targetFacts({ name }));

function wanted(
  config: Parameters<typeof configFacts>[0],
  { namespace = '', cap = 0 }: { namespace?: string; cap?: number } = {},
) {
  const annotations = namespace === '' ? {} : full({ 'max-concurrent': namespace });
  const world = fakeWorld({
    sources: [sourceFacts({ kind: 'Secret', name: 'db' }), sourceFacts({ kind: 'Secret', name: 'other' })],
    configs: [configFacts({ secrets: ['db'], targets, ...config })],
    namespaces: [namespaceFacts({ annotations })],
  });
  return wantOf(workloadFacts(), world, defaultSettings({ maxUnfinishedRollouts: cap }));
}

describe('how many at a time', () => {
  it('the cluster, the Namespace and the config each set a budget', () => {
    const { budgets } = policyFor(wanted({ maxConcurrent: { count: 2 } }, { namespace: '3', cap: 10 }), [
      'secret/db',
    ]);
    expect(budgets.map(({ name, limit }) => `${limit} by ${name}`)).toEqual([
      '10 by --max-unfinished-rollouts',
      '3 by annotation reloader.stakater.com/max-concurrent of Namespace shop',
      '2 by maxConcurrent of ReloaderConfig shop/rules',
    ]);
    const [cluster, namespace, config] = budgets.map(({ has }) => has);
    expect(
      ['Deployment/lab/x', 'Deployment/shop/x', 'Deployment/shop/api'].map((key) => cluster?.(key)),
    ).toEqual([true, true, true]);
    expect([namespace?.('Deployment/lab/x'), namespace?.('Deployment/shop/x')]).toEqual([false, true]);
    expect([config?.('Deployment/shop/x'), config?.('Deployment/shop/api')]).toEqual([false, true]);
  });

  it.each([
    [1, 1],
    [34, 2],
    [100, 3],
  ])('a share of %s%% of three targets is %s: rounded up, and each counts once', (percent, limit) => {
    const { policy } = wanted({ maxConcurrent: { percent } });
    expect(policy.budgets).toMatchObject([{ limit }]);
  });

  it('the budget of a config applies only to changes of sources that it watches', () => {
    expect(policyFor(wanted({ maxConcurrent: { count: 2 } }), ['secret/other']).budgets).toEqual([]);
  });

  it('an invalid value holds the workload, and the message shows a valid one', () => {
    const ofNamespace = wanted({}, { namespace: '25%' });
    expect(ofNamespace.policy.invalid).toContain(
      '"25%" in reloader.stakater.com/max-concurrent of Namespace shop',
    );
    expect(ofNamespace.problems).toMatchObject([{ reason: 'InvalidBudget' }]);
    const problems = [{ field: 'spec.maxConcurrent', message: 'must be a number' }];
    const ofConfig = wanted({ problems });
    expect(ofConfig.policy.invalid).toBe('spec.maxConcurrent of ReloaderConfig shop/rules must be a number');
  });
});

describe('numbers and shares', () => {
  it.each([
    [3, { count: 3 }],
    ['3', { count: 3 }],
    [' 25% ', { percent: 25 }],
    ['100%', { percent: 100 }],
    [10_000, { count: 10_000 }],
  ])('%j', (text, read) => {
    expect(parseConcurrency(text)).toEqual(read);
  });

  it.each([0, -1, 1.5, 10_001, 1e21, '0', '0%', '101%', '1e3', 'all', '', '25 %', null, {}, [3], true])(
    '%j is neither',
    (text) => {
      expect(parseConcurrency(text)).toBeUndefined();
    },
  );
});
