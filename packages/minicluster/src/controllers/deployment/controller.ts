/**
 * Deployments, as kube-controller-manager handles them: one ReplicaSet per template, rolling update within maxSurge
 * and maxUnavailable, Recreate, pause, proportional scaling, revisions and the progress deadline.
 */
import type { LocalApi, LocalEvent } from '../../model/local-api.ts';
import type { SimulatedController, Simulation } from '../controller.ts';
import { keyOf, refOf } from '../controller.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS, sameKind } from '../kind-refs.ts';
import { controllerOf } from '../owned.ts';
import { isFinished } from '../pod-state.ts';
import { writeStatus } from '../status-writer.ts';
import type { Deployment, Pod, ReplicaSet } from '../types.ts';
import { ReplicaSets } from './replica-sets.ts';
import { isRolling, isScalingEvent, planRollingUpdate, planScale, wantedReplicas } from './scaling.ts';
import { isComplete, msToDeadline, observedStatus, pauseStatus, reportedStatus } from './status.ts';

const USER = 'system:serviceaccount:kube-system:deployment-controller';

export function deploymentController({ api, clock, owned }: Simulation): SimulatedController {
  const sets = new ReplicaSets(api, owned);

  function sync(key: string): number | undefined {
    const deployment = api.get(DEPLOYMENTS, refOf(key)) as Deployment | undefined;
    if (!deployment) return undefined;
    const all = sets.of(deployment);
    if (deployment.metadata.deletionTimestamp) return report(deployment, sets.current(deployment, all), all);
    if (markPause(deployment)) return 0;
    if (deployment.spec.paused || isScalingEvent(deployment, all)) return scaleOnly(deployment, all);
    return isRolling(deployment) ? roll(deployment, all) : recreate(deployment, all);
  }

  function roll(deployment: Deployment, all: readonly ReplicaSet[]): number | undefined {
    const { fresh, created } = sets.ensureCurrent(deployment, all);
    if (!fresh) return 0;
    const old = all.filter((set) => set.metadata.uid !== fresh.metadata.uid);
    for (const { replicaSet, replicas } of planRollingUpdate(deployment, fresh, old)) {
      sets.scale(deployment, replicaSet, replicas);
    }
    return finish(deployment, fresh, old, created);
  }

  function recreate(deployment: Deployment, all: readonly ReplicaSet[]): number | undefined {
    const existing = sets.current(deployment, all);
    const old = all.filter((set) => set.metadata.uid !== existing?.metadata.uid);
    const active = old.filter((set) => (set.spec.replicas ?? 0) > 0);
    for (const set of active) sets.scale(deployment, set, 0);
    const oldPods = old.flatMap((set) => owned.by<Pod>(PODS, set.metadata.uid));
    if (active.length > 0 || oldPods.some((pod) => !isFinished(pod)))
      return report(deployment, existing, all);
    const { fresh, created } = sets.ensureCurrent(deployment, all);
    if (!fresh) return 0;
    if (fresh.spec.replicas !== wantedReplicas(deployment))
      sets.scale(deployment, fresh, wantedReplicas(deployment));
    return finish(deployment, fresh, old, created);
  }

  function scaleOnly(deployment: Deployment, all: readonly ReplicaSet[]): number | undefined {
    const current = sets.current(deployment, all);
    const fresh =
      current &&
      sets.synced(
        deployment,
        current,
        all.filter((set) => set !== current),
      );
    const old = all.filter((set) => set.metadata.uid !== fresh?.metadata.uid);
    for (const { replicaSet, replicas } of planScale(deployment, fresh, old)) {
      sets.resize(deployment, replicaSet, replicas);
    }
    if (deployment.spec.paused) sets.prune(deployment, old);
    const live = reread(deployment);
    if (live)
      writeStatus(api, DEPLOYMENTS, live, observedStatus(live, fresh, sets.of(live), clock.now()), USER);
    return undefined;
  }

  function finish(
    deployment: Deployment,
    fresh: ReplicaSet,
    old: readonly ReplicaSet[],
    created: boolean,
  ): number | undefined {
    if (isComplete(deployment, deployment.status ?? {})) sets.prune(deployment, old);
    return report(deployment, fresh, [fresh, ...old], created);
  }

  /** Writes the status from the ReplicaSets' current state; requeues at the progress deadline. */
  function report(
    deployment: Deployment,
    fresh: ReplicaSet | undefined,
    all: readonly ReplicaSet[],
    created = false,
  ): number | undefined {
    const live = reread(deployment);
    if (!live) return undefined;
    const current = all.map((set) => (api.get(REPLICA_SETS, set.metadata) as ReplicaSet | undefined) ?? set);
    const now = clock.now();
    const status = reportedStatus(live, fresh, current, created, now);
    writeStatus(api, DEPLOYMENTS, live, status, USER);
    const left = msToDeadline(live, status, now);
    return left === undefined ? undefined : Math.max(left, 0) + 1000;
  }

  function markPause(deployment: Deployment): boolean {
    const status = pauseStatus(deployment, clock.now());
    if (status) writeStatus(api, DEPLOYMENTS, deployment, status, USER);
    return status !== undefined;
  }

  const reread = (deployment: Deployment): Deployment | undefined =>
    api.get(DEPLOYMENTS, deployment.metadata) as Deployment | undefined;

  return { name: 'deployment-controller', keysFor: (event) => deploymentsConcerned(api, event), sync };
}

function* deploymentsConcerned(api: LocalApi, { kind, object }: LocalEvent): Iterable<string> {
  if (sameKind(kind, DEPLOYMENTS)) yield keyOf(object);
  else if (sameKind(kind, REPLICA_SETS)) {
    const owner = controllerOf(object);
    if (owner?.kind === 'Deployment') yield `${object.metadata.namespace}/${owner.name}`;
  } else if (sameKind(kind, PODS)) {
    // Only Recreate waits for pods to be gone; the ReplicaSet's status does not show that.
    const owner = controllerOf(object);
    const set =
      owner?.kind === 'ReplicaSet'
        ? api.get(REPLICA_SETS, { ...object.metadata, name: owner.name })
        : undefined;
    const deployment = set && controllerOf(set);
    if (deployment) yield `${object.metadata.namespace}/${deployment.name}`;
  }
}
