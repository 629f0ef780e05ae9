/** ReplicaSets: the desired number of pods, the least useful deleted first, matching orphans adopted. */
import type { LocalEvent } from '../model/local-api.ts';
import { StatusError } from '../model/status.ts';
import { controllerReference, podFromTemplate } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { PODS, REPLICA_SETS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { compareForDeletion, countAvailable, isActive, isReady, isTerminating } from './pod-state.ts';
import { selects } from './selector.ts';
import { timestamp, withCondition, writeStatus } from './status-writer.ts';
import type { Condition, Pod, ReplicaSet } from './types.ts';

const USER = 'system:serviceaccount:kube-system:replicaset-controller';

export function replicaSetController({ api, clock, owned }: Simulation): SimulatedController {
  function* keysFor({ kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, REPLICA_SETS)) yield keyOf(object);
    if (!sameKind(kind, PODS)) return;
    const owner = controllerOf(object);
    if (owner?.kind === 'ReplicaSet') yield `${object.metadata.namespace}/${owner.name}`;
    // Any ReplicaSet of the namespace whose selector matches may adopt an orphan.
    if (!owner && object.metadata.deletionTimestamp === undefined) {
      for (const set of api.list(REPLICA_SETS, object.metadata.namespace) as ReplicaSet[]) {
        if (selects(set.spec.selector, object.metadata.labels)) yield keyOf(set);
      }
    }
  }

  function sync(key: string): number | undefined {
    const set = api.get(REPLICA_SETS, refOf(key)) as ReplicaSet | undefined;
    if (!set) return undefined;
    if (set.metadata.deletionTimestamp) return report(set, undefined);
    const pods = [...released(set), ...adopted(set)].filter(isActive);
    let failure: Error | undefined;
    const missing = (set.spec.replicas ?? 1) - pods.length;
    try {
      for (let count = 0; count < missing; count++) {
        api.create(
          PODS,
          podFromTemplate(set.spec.template, set, { generateName: `${set.metadata.name}-` }),
          USER,
        );
      }
    } catch (error) {
      // Quota, an invalid template or a terminating namespace: reported as a condition and retried.
      if (!(error instanceof StatusError)) throw error;
      failure = error;
    }
    for (const pod of pods.sort(compareForDeletion).slice(0, Math.max(0, -missing))) {
      api.delete(PODS, pod.metadata, { uid: pod.metadata.uid }, USER);
    }
    const next = report(set, failure);
    return failure ? 1000 : next;
  }

  /** Our pods; those whose labels no longer match are released. */
  function released(set: ReplicaSet): Pod[] {
    return owned.by<Pod>(PODS, set.metadata.uid).filter((pod) => {
      if (selects(set.spec.selector, pod.metadata.labels) || pod.metadata.deletionTimestamp) return true;
      const ownerReferences = (pod.metadata.ownerReferences ?? []).filter(
        ({ uid }) => uid !== set.metadata.uid,
      );
      api.update(PODS, { ...pod, metadata: { ...pod.metadata, ownerReferences } }, USER);
      return false;
    });
  }

  function adopted(set: ReplicaSet): Pod[] {
    return owned
      .orphans<Pod>(PODS, set.metadata.namespace)
      .filter((pod) => isActive(pod) && selects(set.spec.selector, pod.metadata.labels))
      .map((pod) => {
        const ownerReferences = [...(pod.metadata.ownerReferences ?? []), controllerReference(set)];
        return api.update(PODS, { ...pod, metadata: { ...pod.metadata, ownerReferences } }, USER) as Pod;
      });
  }

  function report(set: ReplicaSet, failure: Error | undefined): number | undefined {
    const live = api.get(REPLICA_SETS, set.metadata) as ReplicaSet | undefined;
    if (!live) return undefined;
    const now = clock.now();
    const pods = owned.by<Pod>(PODS, live.metadata.uid).filter(isActive);
    const { available, nextMs } = countAvailable(pods, live.spec.minReadySeconds ?? 0, now);
    const wanted = Object.entries(live.spec.template.metadata?.labels ?? {});
    const labelled = pods.filter((pod) =>
      wanted.every(([key, value]) => pod.metadata.labels?.[key] === value),
    );
    const conditions = failureCondition(live.status?.conditions, failure, now);
    writeStatus(
      api,
      REPLICA_SETS,
      live,
      {
        replicas: pods.length,
        fullyLabeledReplicas: labelled.length || undefined,
        readyReplicas: pods.filter(isReady).length || undefined,
        availableReplicas: available || undefined,
        terminatingReplicas: owned.by<Pod>(PODS, live.metadata.uid).filter(isTerminating).length,
        observedGeneration: live.metadata.generation,
        conditions: conditions.length > 0 ? conditions : undefined,
      },
      USER,
    );
    return nextMs;
  }

  return { name: 'replicaset-controller', keysFor, sync };
}

function failureCondition(
  before: Condition[] | undefined,
  failure: Error | undefined,
  now: number,
): Condition[] {
  const others = (before ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  if (!failure) return others;
  return withCondition(
    before,
    { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure.message },
    timestamp(now),
  );
}
