/** DaemonSets: one pod on every node that fits, replaced within maxUnavailable (or maxSurge), or on delete. */
import type { LocalEvent } from '../api/local-api.ts';
import { podFromTemplate } from './children.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { keyOf, refOf } from './controller.ts';
import { DAEMON_SETS, NODES, PODS, REVISIONS, sameKind } from './kind-refs.ts';
import { controllerOf } from './owned.ts';
import { availability, isFinished, isReady, isTerminating, resolveCount } from './pod-state.ts';
import { REVISION_LABEL, Revisions, revisionHash } from './revisions.ts';
import { writeStatus } from './status-writer.ts';
import type { DaemonSet, Pod } from './types.ts';

const USER = 'system:serviceaccount:kube-system:daemon-set-controller';
const GENERATION_LABEL = 'pod-template-generation';

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
    const byNode = podsByNode(set);
    for (const node of nodes) {
      const pods = byNode.get(node) ?? [];
      for (const pod of pods) if (isFinished(pod) && !isTerminating(pod)) remove(pod);
      if (pods.length === 0) createPod(set, node, hash);
    }
    for (const [node, pods] of byNode) {
      if (!nodes.has(node)) for (const pod of pods) if (!isTerminating(pod)) remove(pod);
    }
    if (set.spec.updateStrategy?.type !== 'OnDelete') update(set, nodes, byNode, hash);
    return report(set, nodes, hash);
  }

  function update(
    set: DaemonSet,
    nodes: ReadonlySet<string>,
    byNode: ReadonlyMap<string, Pod[]>,
    hash: string,
  ): void {
    const { maxUnavailable = 1, maxSurge } = set.spec.updateStrategy?.rollingUpdate ?? {};
    const surge = resolveCount(maxSurge, nodes.size, 'up');
    if (surge > 0) surgeOutdated(set, nodes, byNode, hash, surge);
    else
      replaceOutdated(set, nodes, byNode, hash, Math.max(1, resolveCount(maxUnavailable, nodes.size, 'up')));
  }

  function replaceOutdated(
    set: DaemonSet,
    nodes: ReadonlySet<string>,
    byNode: ReadonlyMap<string, Pod[]>,
    hash: string,
    allowed: number,
  ): void {
    const outdated: Pod[] = [];
    let unavailable = 0;
    for (const node of nodes) {
      const pod = (byNode.get(node) ?? []).find((candidate) => !isTerminating(candidate));
      if (!pod || !isAvailable(set, pod)) unavailable += 1;
      if (pod && !isCurrent(pod, hash)) outdated.push(pod);
    }
    // What does not serve anyway costs nothing to replace.
    const broken = outdated.filter((pod) => !isAvailable(set, pod));
    const healthy = outdated.filter((pod) => isAvailable(set, pod));
    for (const pod of [...broken, ...healthy.slice(0, Math.max(0, allowed - unavailable))]) remove(pod);
  }

  /** With maxSurge the new pod comes first, and the old one goes when the new one serves. */
  function surgeOutdated(
    set: DaemonSet,
    nodes: ReadonlySet<string>,
    byNode: ReadonlyMap<string, Pod[]>,
    hash: string,
    surge: number,
  ): void {
    let surging = [...nodes].filter((node) => (byNode.get(node)?.length ?? 0) > 1).length;
    for (const node of nodes) {
      const pods = (byNode.get(node) ?? []).filter((pod) => !isTerminating(pod));
      const fresh = pods.find((pod) => isCurrent(pod, hash));
      const old = pods.filter((pod) => !isCurrent(pod, hash));
      if (old.length === 0) continue;
      if (!fresh) {
        if (surging >= surge) continue;
        createPod(set, node, hash);
        surging += 1;
      } else if (isAvailable(set, fresh)) for (const pod of old) remove(pod);
    }
  }

  function createPod(set: DaemonSet, node: string, hash: string): void {
    const pod = podFromTemplate(set.spec.template, set, {
      generateName: `${set.metadata.name}-`,
      labels: { [REVISION_LABEL]: hash, [GENERATION_LABEL]: String(set.metadata.generation ?? 1) },
    }) as { spec: Record<string, unknown> };
    pod.spec.nodeName = node;
    api.create(PODS, pod, USER);
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
    const counts = { scheduled: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
    let nextMs: number | undefined;
    for (const [node, all] of podsByNode(live)) {
      const pods = all.filter((pod) => !isTerminating(pod));
      if (pods.length === 0) continue;
      if (!nodes.has(node)) {
        counts.misscheduled += 1;
        continue;
      }
      counts.scheduled += 1;
      const pod = pods.find((candidate) => isCurrent(candidate, hash)) ?? pods[0];
      if (!pod) continue;
      if (isReady(pod)) counts.ready += 1;
      const state = availability(pod, live.spec.minReadySeconds ?? 0, clock.now());
      if (state.available) counts.available += 1;
      else if (state.inMs !== undefined) nextMs = Math.min(nextMs ?? state.inMs, state.inMs);
      if (isCurrent(pod, hash)) counts.updated += 1;
    }
    writeStatus(
      api,
      DAEMON_SETS,
      live,
      {
        currentNumberScheduled: counts.scheduled,
        numberMisscheduled: counts.misscheduled,
        desiredNumberScheduled: nodes.size,
        numberReady: counts.ready,
        observedGeneration: live.metadata.generation,
        updatedNumberScheduled: counts.updated || undefined,
        numberAvailable: counts.available || undefined,
        numberUnavailable: nodes.size - counts.available || undefined,
      },
      USER,
    );
    const inUse = new Set(
      owned.by<Pod>(PODS, live.metadata.uid).map((pod) => pod.metadata.labels?.[REVISION_LABEL] ?? ''),
    );
    revisions.prune(live, inUse.add(hash));
    return nextMs;
  }

  const remove = (pod: Pod): void => api.delete(PODS, pod.metadata, { uid: pod.metadata.uid }, USER);
  const isAvailable = (set: DaemonSet, pod: Pod): boolean =>
    availability(pod, set.spec.minReadySeconds ?? 0, clock.now()).available;
  const isCurrent = (pod: Pod, hash: string): boolean => pod.metadata.labels?.[REVISION_LABEL] === hash;

  return { name: 'daemon-set-controller', keysFor, sync };
}
