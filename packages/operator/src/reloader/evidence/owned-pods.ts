/**
 * The pods of one workload: one LIST by its selector, filtered by owner, because the selector alone also matches pods
 * of other workloads with the same labels.
 */
import {
  type Client,
  controllerOf,
  type KubernetesObject,
  kinds,
  listPages,
  type OwnerReference,
  type PodFailure,
  podFailure,
  type ResourceType,
  selectorFrom,
} from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { WorkloadFacts, WorkloadKind } from '../model/workload.ts';

export interface OwnedPod {
  readonly name: string;
  readonly uid: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** `status.startTime` in seconds since the epoch; undefined before a kubelet has accepted the pod. */
  readonly startedAt: number | undefined;
  /** It has a node. */
  readonly scheduled: boolean;
  readonly ready: boolean;
  /** Seconds since the epoch; undefined while it is not ready. */
  readonly readyAt: number | undefined;
  /** Restarts of the container with the most. */
  readonly restarts: number;
  /** Why it will not become ready without a change. */
  readonly failure: PodFailure | undefined;
  /** The mark of the reload that it was created by, from its pod template. */
  readonly mark: string | undefined;
  /** The latest start of its containers, in seconds since the epoch; undefined while one of them is not running. */
  readonly lastStartAt: number | undefined;
}

interface RawPod extends KubernetesObject {
  spec?: { nodeName?: string; containers?: unknown[] };
  status?: {
    phase?: string;
    startTime?: string;
    containerStatuses?: { restartCount?: number; state?: { running?: { startedAt?: string } } }[];
    conditions?: { type?: string; status?: string; lastTransitionTime?: string }[];
  };
}

const PODS: ResourceType<RawPod> = kinds.Pod;
/** Larger pages would burden the API server. */
const PAGE = 500;

/** The pods that are not being deleted and have not ended. */
export async function livingPods(
  client: Client,
  workload: WorkloadFacts,
  signal: AbortSignal,
): Promise<OwnedPod[]> {
  const labelSelector = selectorText(workload);
  if (labelSelector === undefined) return [];
  const { namespace } = workload.metadata;
  const living: OwnedPod[] = [];
  for await (const { items } of listPages(client, PODS, { namespace, labelSelector, limit: PAGE, signal })) {
    for (const pod of items) {
      const { name, uid, creationTimestamp = '', deletionTimestamp } = pod.metadata;
      const { phase, startTime, conditions = [], containerStatuses = [] } = pod.status ?? {};
      if (deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed') continue;
      if (!isOwned(pod, workload)) continue;
      const readiness = conditions.find(({ type, status }) => type === 'Ready' && status === 'True');
      living.push({
        name,
        uid,
        createdAt: secondsOf(creationTimestamp),
        startedAt: startTime === undefined ? undefined : secondsOf(startTime),
        scheduled: (pod.spec?.nodeName ?? '') !== '',
        ready: readiness !== undefined,
        readyAt: readiness && secondsOf(readiness.lastTransitionTime ?? creationTimestamp),
        restarts: Math.max(0, ...containerStatuses.map(({ restartCount = 0 }) => restartCount)),
        failure: readiness ? undefined : podFailure(pod),
        mark: pod.metadata.annotations?.[FIXED_ANNOTATIONS.rolled],
        lastStartAt: lastStartAt(pod),
      });
    }
  }
  return living;
}

/** A restarted container reads its environment variables again. */
function lastStartAt({ spec, status }: RawPod): number | undefined {
  const starts = (status?.containerStatuses ?? []).map(({ state }) => state?.running?.startedAt);
  if (starts.length === 0 || starts.length < (spec?.containers ?? []).length) return undefined;
  return starts.includes(undefined) ? undefined : Math.max(...starts.map((time = '') => secondsOf(time)));
}

function secondsOf(time: string): number {
  return Math.floor(Date.parse(time) / 1000);
}

/** A Rollout with a `workloadRef` has no selector of its own, but its pods always have this label. */
const HASH_LABEL: Readonly<Partial<Record<WorkloadKind, string>>> = {
  Deployment: 'pod-template-hash',
  Rollout: 'rollouts-pod-template-hash',
};

function selectorText({ kind, selector }: WorkloadFacts): string | undefined {
  if (kind === 'CronJob') return undefined;
  if (!selector) return HASH_LABEL[kind] ?? '';
  return selectorFrom(selector).text;
}

function isOwned(pod: KubernetesObject, workload: WorkloadFacts): boolean {
  const owner = controllerOf(pod);
  if (!owner) return false;
  const { kind, metadata } = workload;
  const hashLabel = HASH_LABEL[kind];
  if (hashLabel) return isReplicaSetOf(owner, metadata.name, pod.metadata?.labels?.[hashLabel]);
  if (kind === 'DeploymentConfig') {
    const prefix = `${metadata.name}-`;
    const version = owner.name.startsWith(prefix) ? owner.name.slice(prefix.length) : '';
    return owner.kind === 'ReplicationController' && /^\d+$/.test(version);
  }
  return owner.uid === metadata.uid;
}

/**
 * The name of a ReplicaSet is that of its Deployment and the hash in its pods' labels, and the hash has no dash. So the
 * name identifies the Deployment, without the right to read ReplicaSets and without another LIST.
 */
function isReplicaSetOf(owner: OwnerReference, name: string, hash: string | undefined): boolean {
  return owner.kind === 'ReplicaSet' && hash !== undefined && owner.name === `${name}-${hash}`;
}
