/** PodDisruptionBudgets: how many of the selected pods may be evicted now. The eviction subresource respects it. */
import type { LocalEvent } from '../model/local-api.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { BUDGETS, DEPLOYMENTS, JOBS, PODS, REPLICA_SETS, STATEFUL_SETS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { isActive, isReady, resolveCount } from './pod-state.ts';
import { selects } from './selector.ts';
import { timestamp, withCondition, writeStatus } from './status-writer.ts';
import type { Condition, Pod, PodDisruptionBudget } from './types.ts';

const USER = 'system:serviceaccount:kube-system:disruption-controller';
const SCALABLE: Readonly<Record<string, typeof REPLICA_SETS>> = {
  ReplicaSet: REPLICA_SETS,
  StatefulSet: STATEFUL_SETS,
  Job: JOBS,
};

export function disruptionBudgetController({ api, clock }: Simulation): SimulatedController {
  function* keysFor({ kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, BUDGETS)) yield keyOf(object);
    else if (sameKind(kind, PODS)) {
      for (const budget of api.list(BUDGETS, object.metadata.namespace) as PodDisruptionBudget[]) {
        if (selects(budget.spec.selector, object.metadata.labels)) yield keyOf(budget);
      }
    }
  }

  function sync(key: string): undefined {
    const budget = api.get(BUDGETS, refOf(key)) as PodDisruptionBudget | undefined;
    if (!budget || budget.metadata.deletionTimestamp) return;
    const pods = (api.list(PODS, budget.metadata.namespace) as Pod[]).filter(
      (pod) => isActive(pod) && selects(budget.spec.selector, pod.metadata.labels),
    );
    const { expected, desired } = expectation(budget, pods);
    const healthy = pods.filter(isReady).length;
    const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
    const condition: Condition = {
      type: 'DisruptionAllowed',
      status: allowed > 0 ? 'True' : 'False',
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
      observedGeneration: budget.metadata.generation ?? 1,
    };
    const conditions = withCondition(
      budget.status?.conditions as Condition[] | undefined,
      condition,
      timestamp(clock.now()),
    );
    writeStatus(
      api,
      BUDGETS,
      budget,
      {
        conditions,
        currentHealthy: healthy,
        desiredHealthy: desired,
        disruptionsAllowed: allowed,
        expectedPods: expected,
        observedGeneration: budget.metadata.generation,
      },
      USER,
    );
  }

  /** Percentages and maxUnavailable refer to the desired replicas of the pods' controllers, not to existing pods. */
  function expectation(
    { spec }: PodDisruptionBudget,
    pods: readonly Pod[],
  ): { expected: number; desired: number } {
    if (typeof spec.minAvailable === 'number') return { expected: pods.length, desired: spec.minAvailable };
    const expected = wantedByControllers(pods);
    const desired =
      spec.minAvailable !== undefined
        ? resolveCount(spec.minAvailable, expected, 'up')
        : expected - resolveCount(spec.maxUnavailable, expected, 'up');
    return { expected, desired: Math.max(0, desired) };
  }

  function wantedByControllers(pods: readonly Pod[]): number {
    const counted = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      const kind = owner && SCALABLE[owner.kind];
      if (!owner || !kind) continue;
      const controller = api.get(kind, { namespace: pod.metadata.namespace, name: owner.name });
      if (!controller) continue;
      const parent = controllerOf(controller);
      const scaled =
        parent?.kind === 'Deployment'
          ? api.get(DEPLOYMENTS, { ...controller.metadata, name: parent.name })
          : controller;
      const replicas = (scaled?.spec as { replicas?: number } | undefined)?.replicas;
      if (scaled && replicas !== undefined) counted.set(scaled.metadata.uid, replicas);
    }
    return [...counted.values()].reduce((total, count) => total + count, 0);
  }

  return { name: 'disruption-controller', keysFor, sync };
}
