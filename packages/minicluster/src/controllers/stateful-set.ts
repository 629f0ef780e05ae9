/**
 * StatefulSets: pods with ordinals, created and replaced in order, each revision recorded. Supports partition,
 * OnDelete and Parallel; a pod that never becomes ready blocks the ones after it, as in a real cluster.
 */
import type { LocalApi, LocalEvent } from '../model/local-api.ts';
import { podFromTemplate } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { CLAIMS, PODS, REVISIONS, STATEFUL_SETS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { availability, countAvailable, isFinished, isReady, isTerminating } from './pod-state.ts';
import { REVISION_LABEL, Revisions, templateOf } from './revisions.ts';
import { planPods } from './stateful-set-plan.ts';
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

  /** The revision of pods below the partition: the one in the status, while it exists. */
  function currentRevision(set: StatefulSet, update: ControllerRevision): ControllerRevision {
    const name = set.status?.currentRevision;
    return revisions.of(set).find((revision) => revision.metadata.name === name) ?? update;
  }

  function advance(set: StatefulSet, current: ControllerRevision, update: ControllerRevision): void {
    const isAvailable = (pod: Pod): boolean =>
      availability(pod, set.spec.minReadySeconds ?? 0, clock.now()).available;
    const pods = owned.by<Pod>(PODS, set.metadata.uid);
    const plan = planPods(set, pods, current, update, isAvailable);
    for (const { ordinal, revision } of plan.create) createPod(api, set, ordinal, revision);
    for (const { metadata } of plan.remove) api.delete(PODS, metadata, { uid: metadata.uid }, USER);
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

  return { name: 'statefulset-controller', keysFor, sync };
}

/** The pod of one ordinal, and its own claims. */
function createPod(api: LocalApi, set: StatefulSet, ordinal: number, revision: ControllerRevision): void {
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
