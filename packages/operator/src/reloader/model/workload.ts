/** The cached part of a workload: its identity, its annotations, the sources its template uses, its rollout status. */
import type { ObjectKey, RolloutFacts } from '@reloader/runtime';
import type { PodFacts } from './pod-facts.ts';

export type { RolloutFacts };

export type WorkloadKind =
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'CronJob'
  | 'Job'
  | 'Rollout'
  | 'DeploymentConfig';

/** In Stakater's order of processing. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [
  'Deployment',
  'CronJob',
  'Job',
  'DaemonSet',
  'StatefulSet',
  'Rollout',
  'DeploymentConfig',
];

export interface WorkloadRef {
  readonly kind: WorkloadKind;
  readonly namespace: string;
  readonly name: string;
}

/** `Kind/namespace/name`: the queue's key. */
export function workloadKey({ kind, namespace, name }: WorkloadRef): string {
  return `${kind}/${namespace}/${name}`;
}

export function parseWorkloadKey(key: string): WorkloadRef {
  const [kind, namespace = '', name = ''] = key.split('/');
  return { kind: kind as WorkloadKind, namespace, name };
}

/** An environment variable of ours on a container of the template, with its position for JSON patches by index. */
export interface EnvSlot {
  readonly container: string;
  readonly containerIndex: number;
  readonly envIndex: number;
  readonly name: string;
  readonly value: string;
}

export interface WorkloadFacts {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly kind: WorkloadKind;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /**
   * Seconds since the epoch: when its opt-in annotations were written according to managedFields; its creation if they
   * do not tell, because the manager of its spec wrote the annotations, too.
   */
  readonly annotatedAt: number;
  /** The field manager that last wrote the operator's annotations, or else anything; empty if unknown. */
  readonly writtenBy?: string;
  /** The field manager and time (seconds since the epoch) of the freeze annotation; absent if not frozen. */
  readonly frozen?: { readonly by: string; readonly at: number };
  readonly deleting: boolean;
  /** All labels, because conditions may read any of them. */
  readonly labels: Readonly<Record<string, string>>;
  /** Only the operator's own. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the pod template, only the operator's own. */
  readonly templateAnnotations: Readonly<Record<string, string>>;
  readonly pod: PodFacts;
  /** The template's containers in their order, each with the number of its env entries. */
  readonly containers: readonly { readonly name: string; readonly envCount: number }[];
  readonly slots: readonly EnvSlot[];
  /** The pod template has annotations; if not, a JSON patch must create the map. */
  readonly hasTemplateAnnotations: boolean;
  readonly hasAnnotations: boolean;
  /** Digest of the template without our marks, 8 characters: differs if another client changed the template. */
  readonly templateDigest: string;
  /**
   * Seconds since the epoch: the newest write by another field manager that owns parts of the template, according to
   * managedFields. An upper bound: that manager may have changed something else.
   */
  readonly templateWrittenAt: number;
  /** The field manager of that write; empty if several wrote in the same second. */
  readonly templateWrittenBy: string;
  readonly rollout: RolloutFacts;
  /** StatefulSet with ordered pod management: each pod starts only when the one before it is ready. */
  readonly inOrder?: true;
  /** `Kind/name` of its controller. A Job of a CronJob is never touched. */
  readonly controlledBy: string | undefined;
  /** Job: it has succeeded or failed. */
  readonly finished: boolean;
  /** Argo Rollout: the workload whose template it uses. */
  readonly workloadRef: WorkloadRef | undefined;
  /** Selects its pods, for eviction. */
  readonly selector: Readonly<Record<string, unknown>> | undefined;
}

export function refOf({ kind, metadata: { namespace, name } }: WorkloadFacts): WorkloadRef {
  return { kind, namespace, name };
}

/** A Job that a CronJob started. It is never reloaded: the CronJob's next run reads the new values. */
export function isRunOfCronJob({
  kind,
  controlledBy,
}: Pick<WorkloadFacts, 'kind' | 'controlledBy'>): boolean {
  return kind === 'Job' && controlledBy?.startsWith('CronJob/') === true;
}

/** Kinds without built-in types in the API server: it stores empty maps and lists as they were sent. */
export function isCustom(kind: WorkloadKind): boolean {
  return kind === 'Rollout' || kind === 'DeploymentConfig';
}

export function keyOfWorkload({ metadata: { namespace, name } }: WorkloadFacts): ObjectKey & {
  readonly namespace: string;
} {
  return { namespace, name };
}
