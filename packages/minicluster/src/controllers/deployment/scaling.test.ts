import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../types.ts';
import {
  DESIRED_REPLICAS,
  fenceposts,
  MAX_REPLICAS,
  planRollingUpdate,
  planScale,
  type Scaling,
} from './scaling.ts';

function deployment(
  replicas: number,
  maxSurge: number | string,
  maxUnavailable: number | string,
): Deployment {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
  return { spec: { replicas, strategy } } as unknown as Deployment;
}

/** `sizedFor` holds the values of its annotations: desired replicas, and the maximum with surge. */
function set(name: string, replicas: number, available = replicas, sizedFor?: [number, number]): ReplicaSet {
  const annotations = sizedFor && {
    [DESIRED_REPLICAS]: String(sizedFor[0]),
    [MAX_REPLICAS]: String(sizedFor[1]),
  };
  const metadata = { name, creationTimestamp: `2030-01-01T00:00:0${name.length}Z`, annotations };
  return {
    metadata,
    spec: { replicas },
    status: { replicas, availableReplicas: available },
  } as unknown as ReplicaSet;
}

const sizes = (steps: readonly Scaling[]): Record<string, number> =>
  Object.fromEntries(steps.map(({ replicaSet, replicas }) => [replicaSet.metadata.name, replicas]));

describe('a rolling update', () => {
  test('scales up first, and down only when there is no room for more', () => {
    expect(sizes(planRollingUpdate(deployment(4, 1, 1), set('new', 0), [set('old', 4)]))).toEqual({ new: 1 });
    expect(sizes(planRollingUpdate(deployment(4, 1, 1), set('new', 1, 0), [set('old', 4)]))).toEqual({
      old: 3,
    });
  });

  test('does not count pods that an old ReplicaSet is about to delete', () => {
    const shrinking = set('old', 2, 5);
    expect(sizes(planRollingUpdate(deployment(2, 0, 1), set('new', 0), [shrinking]))).toEqual({ old: 1 });
  });

  test('takes old pods that do not serve first, from the oldest ReplicaSet on', () => {
    const old = [set('a', 2, 0), set('bb', 3, 3)];
    expect(sizes(planRollingUpdate(deployment(4, 1, 1), set('new', 0, 0), old))).toEqual({ a: 0 });
  });

  test('never plans for fewer available pods than it must keep, if it has them', () => {
    const some = fc.record({ size: fc.nat(8), serving: fc.nat(8) });
    fc.assert(
      fc.property(fc.nat(8), fc.nat(4), fc.nat(4), some, fc.array(some, { maxLength: 3 }), (...given) => {
        const [replicas, maxSurge, maxUnavailable, first, rest] = given;
        const target = deployment(replicas, maxSurge, maxUnavailable);
        const fresh = set('new', first.size, Math.min(first.size, first.serving));
        const old = rest.map((each, index) =>
          set('o'.repeat(index + 1), each.size, Math.min(each.size, each.serving)),
        );
        // Surplus pods are deleted at once.
        fc.pre(first.size <= replicas);
        const planned = new Map(
          planRollingUpdate(target, fresh, old).map((step) => [step.replicaSet, step.replicas]),
        );
        const available = (each: ReplicaSet, size = each.spec.replicas ?? 0): number =>
          Math.min(size, each.status?.availableReplicas ?? 0);
        const before = [fresh, ...old].reduce((sum, each) => sum + available(each), 0);
        const after = [fresh, ...old].reduce((sum, each) => sum + available(each, planned.get(each)), 0);
        const least = replicas - fenceposts(target).maxUnavailable;
        expect(after).toBeGreaterThanOrEqual(Math.min(before, least));
      }),
    );
  });
});

describe('scaling', () => {
  test('of the only ReplicaSet with pods gives it the wanted size', () => {
    expect(sizes(planScale(deployment(5, 1, 1), set('new', 0), [set('old', 3)]))).toEqual({ old: 5 });
    expect(planScale(deployment(3, 1, 1), set('new', 0), [set('old', 3)])).toEqual([]);
  });

  test('with no pods at all begins with the current template, or else the newest', () => {
    expect(sizes(planScale(deployment(2, 1, 1), set('new', 0), [set('old', 0)]))).toEqual({ new: 2 });
    expect(sizes(planScale(deployment(2, 1, 1), undefined, [set('a', 0), set('bb', 0)]))).toEqual({ bb: 2 });
  });

  test('in mid-rollout keeps the proportions, and plans also for what keeps its size', () => {
    const old = set('old', 8, 8, [10, 12]);
    expect(sizes(planScale(deployment(5, 2, 2), set('new', 4, 0, [10, 12]), [old]))).toEqual({
      old: 5,
      new: 2,
    });
    expect(sizes(planScale(deployment(10, 2, 2), set('new', 4, 0, [10, 12]), [old]))).toEqual({
      old: 8,
      new: 4,
    });
  });

  test('to nothing takes everything', () => {
    const old = set('old', 8, 8, [10, 12]);
    expect(sizes(planScale(deployment(0, 2, 2), set('new', 4, 0, [10, 12]), [old]))).toEqual({
      old: 0,
      new: 0,
    });
  });

  test('when the current ReplicaSet is complete takes the others away', () => {
    const fresh = set('new', 3, 3, [3, 4]);
    expect(sizes(planScale(deployment(3, 1, 1), fresh, [set('old', 1)]))).toEqual({ old: 0 });
  });

  test('with Recreate leaves two versions alone', () => {
    const recreate = { spec: { replicas: 2, strategy: { type: 'Recreate' } } } as unknown as Deployment;
    expect(planScale(recreate, set('new', 1), [set('old', 3)])).toEqual([]);
  });
});
