/** DaemonSets: one pod on every eligible node, replaced within maxUnavailable (or maxSurge), or on delete. */
import type { LocalEvent } from '../model/local-api.ts';
import { podFromTemplate } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { excessPods, type NodePods, planReplacement, planSurge } from './daemon-set-update.ts';
import { DAEMON_SETS, NODES, PODS, REVISIONS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { availability, isActive, isFinished, isReady, isTerminating, resolveCount } from './pod-state.ts';
import { REVISION_LABEL, Revisions, revisionHash } from './revisions.ts';
import { writeStatus } from './status-writer.ts';
import type { DaemonSet, Pod } from './types.ts';

const USER = 'system:serviceaccount:kube-system:daemon-set-controller';
const GENERATION_LABEL = 'pod-template-generation';

const byAge = (a: Pod, b: Pod): number =>
  a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp);

export function daemonSetController({ api, clock, owned }: Simulation): SimulatedController {
  const revisions = new Revisions(api, owned, USER);

  function* keysFor({ kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, DAEMON_SETS)) yield keyOf(object);
    else if (sameKind(kind, PODS) || sameKind(kind, REVISIONS)) {
      const owner = controllerOf(object);
      if (owner?.kind === 'DaemonSet') yield `${object.metadata.namespace}/${owner.name}`;
    } else if (sameKind(kind, NODES)) for (const set of api.list(DAEMON_SETS)) yield keyOf(set);
  }

  function sync(key: string): number | undefined {
    const set = api.get(DAEMON_SETS, refOf(key)) as DaemonSet | undefined;
    if (!set || set.metadata.deletionTimestamp) return undefined;
    const hash = revisionHash(revisions.current(set));
    const nodes = fittingNodes(set);
    const { type, rollingUpdate = {} } = set.spec.updateStrategy ?? {};
    const surge = type === 'OnDelete' ? 0 : resolveCount(rollingUpdate.maxSurge, nodes.size, 'up');
    keepOnePerNode(set, nodes, hash, surge > 0);
    if (type !== 'OnDelete') {
      const unavailable = Math.max(1, resolveCount(rollingUpdate.maxUnavailable ?? 1, nodes.size, 'up'));
      const state = nodePods(set, nodes, hash);
      const available = (pod: Pod): boolean => isAvailable(set, pod);
      const { remove: outdated, createOn } =
        surge > 0 ? planSurge(state, surge, available) : planReplacement(state, unavailable, available);
      for (const pod of outdated) remove(pod);
      for (const node of createOn) createPod(set, node, hash);
    }
    return report(set, nodes, hash);
  }

  /** Every eligible node has a pod, no other node has one, and none has more than the update allows. */
  function keepOnePerNode(set: DaemonSet, nodes: ReadonlySet<string>, hash: string, surges: boolean): void {
    const byNode = podsByNode(set);
    for (const [node, pods] of byNode) {
      const unwanted = nodes.has(node) ? pods.filter(isFinished) : pods;
      for (const pod of unwanted) if (!isTerminating(pod)) remove(pod);
    }
    for (const { node, fresh, old } of nodePods(set, nodes, hash)) {
      // A terminating pod still occupies its node, unless surge is allowed.
      const taken = surges ? fresh.length + old.length : (byNode.get(node)?.length ?? 0);
      if (taken === 0) createPod(set, node, hash);
      const serves = (pod: Pod): boolean => isAvailable(set, pod);
      for (const pod of excessPods({ node, fresh, old }, surges, isReady, serves, byAge)) remove(pod);
    }
  }

  function nodePods(set: DaemonSet, nodes: ReadonlySet<string>, hash: string): NodePods[] {
    const byNode = podsByNode(set);
    return [...nodes].map((node) => {
      const active = (byNode.get(node) ?? []).filter(isActive).sort(byAge);
      const fresh = active.filter((pod) => isCurrent(pod, hash));
      return { node, fresh, old: active.filter((pod) => !isCurrent(pod, hash)) };
    });
  }

  function createPod(set: DaemonSet, node: string, hash: string): void {
    api.create(PODS, podOn(node, set, hash), USER);
  }

  function fittingNodes(set: DaemonSet): Set<string> {
    const wanted = Object.entries(set.spec.template.spec.nodeSelector ?? {});
    const fits = api
      .list(NODES)
      .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
    return new Set(fits.map(({ metadata }) => metadata.name));
  }

  function podsByNode(set: DaemonSet): Map<string, Pod[]> {
    const byNode = new Map<string, Pod[]>();
    for (const pod of owned.by<Pod>(PODS, set.metadata.uid)) {
      const node = pod.spec.nodeName ?? '';
      byNode.set(node, [...(byNode.get(node) ?? []), pod]);
    }
    return byNode;
  }

  function report(set: DaemonSet, nodes: ReadonlySet<string>, hash: string): number | undefined {
    const live = api.get(DAEMON_SETS, set.metadata) as DaemonSet | undefined;
    if (!live) return undefined;
    const { status, nextMs } = statusOf(live, podsByNode(live), nodes, hash, clock.now());
    writeStatus(api, DAEMON_SETS, live, status, USER);
    const inUse = new Set(
      owned.by<Pod>(PODS, live.metadata.uid).map((pod) => pod.metadata.labels?.[REVISION_LABEL] ?? ''),
    );
    revisions.prune(live, inUse.add(hash), 'all');
    return nextMs;
  }

  const remove = (pod: Pod): void => api.delete(PODS, pod.metadata, { uid: pod.metadata.uid }, USER);
  const isAvailable = (set: DaemonSet, pod: Pod): boolean =>
    availability(pod, set.spec.minReadySeconds ?? 0, clock.now()).available;

  return { name: 'daemon-set-controller', keysFor, sync };
}

const isCurrent = (pod: Pod, hash: string): boolean => pod.metadata.labels?.[REVISION_LABEL] === hash;

function podOn(node: string, set: DaemonSet, hash: string): object {
  const pod = podFromTemplate(set.spec.template, set, {
    generateName: `${set.metadata.name}-`,
    labels: { [REVISION_LABEL]: hash, [GENERATION_LABEL]: String(set.metadata.generation ?? 1) },
  }) as { spec: Record<string, unknown> };
  pod.spec.nodeName = node;
  return pod;
}

/** Counts over the nodes, and in how many milliseconds a pod becomes available. */
function statusOf(
  set: DaemonSet,
  byNode: ReadonlyMap<string, Pod[]>,
  nodes: ReadonlySet<string>,
  hash: string,
  now: number,
): { status: Record<string, unknown>; nextMs: number | undefined } {
  const counts = { scheduled: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  let nextMs: number | undefined;
  for (const [node, pods] of byNode) {
    if (!nodes.has(node)) {
      counts.misscheduled += 1;
      continue;
    }
    counts.scheduled += 1;
    // While a surge pod starts, the old pod counts for the node.
    const [pod] = pods.sort(byAge);
    if (!pod) continue;
    if (isReady(pod)) counts.ready += 1;
    const state = availability(pod, set.spec.minReadySeconds ?? 0, now);
    if (state.available) counts.available += 1;
    if (isCurrent(pod, hash)) counts.updated += 1;
    for (const each of pods) {
      const { inMs } = availability(each, set.spec.minReadySeconds ?? 0, now);
      if (inMs !== undefined) nextMs = Math.min(nextMs ?? inMs, inMs);
    }
  }
  return {
    status: {
      currentNumberScheduled: counts.scheduled,
      numberMisscheduled: counts.misscheduled,
      desiredNumberScheduled: nodes.size,
      numberReady: counts.ready,
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: counts.updated || undefined,
      numberAvailable: counts.available || undefined,
      numberUnavailable: nodes.size - counts.available || undefined,
    },
    nextMs,
  };
}
