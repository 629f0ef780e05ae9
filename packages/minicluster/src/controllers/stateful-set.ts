/**
 * StatefulSets: pods with ordinals, created and replaced in order, each revision recorded. Honours partition,
 * OnDelete and Parallel; a pod that never becomes ready holds up the ones behind it, as in a real cluster.
 */
import type { LocalEvent } from '../api/local-api.ts';
import { podFromTemplate } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { CLAIMS, PODS, REVISIONS, STATEFUL_SETS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import {
  availability,
  countAvailable,
  isFinished,
  isReady,
  isTerminating,
  resolveCount,
} from './pod-state.ts';
import { REVISION_LABEL, Revisions, templateOf } from './revisions.ts';
import { writeStatus } from './status-writer.ts';
import type { ControllerRevision, Pod, StatefulSet } from './types.ts';

const USER = 'system:serviceaccount:kube-system:statefulset-controller';

export function statefulSetController({ api, clock, owned }: Simulation): SimulatedController {
  const revisions = new Revisions(api, owned, USER);

  function* keysFor({ kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, STATEFUL_SETS)) yield keyOf(object);
    else if (sameKind(kind, PODS) || sameKind(kind, REVISIONS)) {
      const owner = controllerOf(object);
      if (owner?.kind === 'StatefulSet') yield `${object.metadata.namespace}/${owner.name}`;
    }
  }

  function sync(key: string): number | undefined {
    const set = api.get(STATEFUL_SETS, refOf(key)) as StatefulSet | undefined;
    if (!set || set.metadata.deletionTimestamp) return undefined;
    const update = revisions.current(set);
    const current = currentRevision(set, update);
    advance(set, current, update);
    return report(set, current, update);
  }

  /** The revision that pods below the partition keep: the one recorded in the status, while it exists. */
  function currentRevision(set: StatefulSet, update: ControllerRevision): ControllerRevision {
    const name = set.status?.currentRevision;
    return revisions.of(set).find((revision) => revision.metadata.name === name) ?? update;
  }

  function advance(set: StatefulSet, current: ControllerRevision, update: ControllerRevision): void {
    const parallel = set.spec.podManagementPolicy === 'Parallel';
    const first = set.spec.ordinals?.start ?? 0;
    const end = first + (set.spec.replicas ?? 1);
    const byOrdinal = new Map(owned.by<Pod>(PODS, set.metadata.uid).map((pod) => [ordinalOf(set, pod), pod]));

    for (let ordinal = first; ordinal < end; ordinal++) {
      const pod = byOrdinal.get(ordinal);
      if (!pod) {
        createPod(set, ordinal, revisionFor(set, ordinal, current, update));
        if (!parallel) return;
      } else if (isFinished(pod) && !isTerminating(pod)) {
        remove(pod);
        if (!parallel) return;
      } else if (!parallel && (isTerminating(pod) || !isAvailable(set, pod))) return;
    }

    const surplus = [...byOrdinal]
      .filter(([ordinal]) => ordinal < first || ordinal >= end)
      .sort(([a], [b]) => b - a);
    const isUnhealthy = (pod: Pod): boolean => isTerminating(pod) || !isAvailable(set, pod);
    const lowestUnhealthy = surplus.findLast(([, pod]) => isUnhealthy(pod))?.[1];
    for (const [, pod] of surplus) {
      // In order, a pod goes only when those below it serve; of several that do not, the lowest is waited for.
      const waits = !parallel && isUnhealthy(pod) && pod !== lowestUnhealthy;
      if (!waits && !isTerminating(pod)) remove(pod);
      if (!parallel) return;
    }
    if (surplus.length === 0) replaceOutdated(set, byOrdinal, update, first, end);
  }

  /** Deletes outdated pods from the highest ordinal down, waiting for each to be healthy again. */
  function replaceOutdated(
    set: StatefulSet,
    byOrdinal: ReadonlyMap<number, Pod>,
    update: ControllerRevision,
    first: number,
    end: number,
  ): void {
    const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
    if (type === 'OnDelete') return;
    const partition = first + (rollingUpdate?.partition ?? 0);
    const allowed = Math.max(1, resolveCount(rollingUpdate?.maxUnavailable ?? 1, end - first, 'up'));
    let unavailable = 0;
    for (let ordinal = end - 1; ordinal >= partition; ordinal--) {
      const pod = byOrdinal.get(ordinal);
      if (!pod) return;
      if (pod.metadata.labels?.[REVISION_LABEL] !== update.metadata.name && !isTerminating(pod)) {
        remove(pod);
        unavailable += 1;
      } else if (isTerminating(pod) || !isAvailable(set, pod)) unavailable += 1;
      if (unavailable >= allowed) return;
    }
  }

  function createPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): void {
    const name = `${set.metadata.name}-${ordinal}`;
    const pod = podFromTemplate(templateOf(revision), set, {
      name,
      labels: {
        'apps.kubernetes.io/pod-index': String(ordinal),
        [REVISION_LABEL]: revision.metadata.name,
        'statefulset.kubernetes.io/pod-name': name,
      },
    }) as { spec: Record<string, unknown> };
    const claims = (set.spec.volumeClaimTemplates ?? []).map((template) => {
      const claimName = `${template.metadata.name}-${name}`;
      const ref = { namespace: set.metadata.namespace, name: claimName };
      if (!api.get(CLAIMS, ref)) {
        const metadata = { ...template.metadata, ...ref, labels: set.spec.selector.matchLabels };
        api.create(CLAIMS, { ...template, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata }, USER);
      }
      return { name: template.metadata.name, persistentVolumeClaim: { claimName } };
    });
    const volumes = [...((pod.spec.volumes as object[] | undefined) ?? []), ...claims];
    const hostname = { hostname: name, ...(set.spec.serviceName && { subdomain: set.spec.serviceName }) };
    Object.assign(pod.spec, hostname, volumes.length > 0 && { volumes });
    api.create(PODS, pod, USER);
  }

  function report(
    set: StatefulSet,
    current: ControllerRevision,
    update: ControllerRevision,
  ): number | undefined {
    const live = api.get(STATEFUL_SETS, set.metadata) as StatefulSet | undefined;
    if (!live) return undefined;
    const pods = owned.by<Pod>(PODS, live.metadata.uid).filter((pod) => !isFinished(pod));
    const settled = pods.filter((pod) => !isTerminating(pod));
    const onRevision = (name: string): number =>
      settled.filter((pod) => pod.metadata.labels?.[REVISION_LABEL] === name).length;
    const { available, nextMs } = countAvailable(settled, live.spec.minReadySeconds ?? 0, clock.now());
    const ready = settled.filter(isReady).length;
    const replicas = live.spec.replicas ?? 1;
    const updated = onRevision(update.metadata.name);
    const done =
      updated === replicas &&
      pods.length === replicas &&
      ready === replicas &&
      live.spec.updateStrategy?.type !== 'OnDelete';
    const currentName = done ? update.metadata.name : current.metadata.name;
    writeStatus(
      api,
      STATEFUL_SETS,
      live,
      {
        observedGeneration: live.metadata.generation,
        replicas: pods.length,
        readyReplicas: ready || undefined,
        availableReplicas: available,
        currentReplicas: onRevision(currentName) || undefined,
        updatedReplicas: updated || undefined,
        currentRevision: currentName,
        updateRevision: update.metadata.name,
        collisionCount: live.status?.collisionCount ?? 0,
      },
      USER,
    );
    const inUse = new Set([currentName, update.metadata.name]);
    for (const pod of pods) inUse.add(pod.metadata.labels?.[REVISION_LABEL] ?? '');
    revisions.prune(live, inUse, 'unused');
    return nextMs;
  }

  const remove = (pod: Pod): void => api.delete(PODS, pod.metadata, { uid: pod.metadata.uid }, USER);
  const isAvailable = (set: StatefulSet, pod: Pod): boolean =>
    availability(pod, set.spec.minReadySeconds ?? 0, clock.now()).available;

  return { name: 'statefulset-controller', keysFor, sync };
}

function ordinalOf(set: StatefulSet, pod: Pod): number {
  return Number(pod.metadata.name.slice(set.metadata.name.length + 1));
}

/** Below the partition a missing pod comes back with the revision it had. */
function revisionFor(
  set: StatefulSet,
  ordinal: number,
  current: ControllerRevision,
  update: ControllerRevision,
): ControllerRevision {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return update;
  const partition = (set.spec.ordinals?.start ?? 0) + (rollingUpdate?.partition ?? 0);
  const beforePartition = ordinal < partition;
  return beforePartition ? current : update;
}
