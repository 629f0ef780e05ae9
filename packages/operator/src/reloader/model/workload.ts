/** What is kept of a workload: how to address it, what it asks for, what its template uses, how its rollout stands. */
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

/** An environment variable of ours on a container of the template, and where it stands, for patches by index. */
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
   * Seconds since the epoch: since when it asks by annotation, as managedFields tell; its creation where they do not,
   * because the manager of its spec wrote the annotations, too.
   */
  readonly annotatedAt: number;
  /** The program that last wrote our annotations, or anything, by the name it gave itself; empty where nobody knows. */
  readonly writtenBy?: string;
  /** Who last wrote the annotation that freezes it, and when (seconds since the epoch); absent where nothing freezes it. */
  readonly frozen?: { readonly by: string; readonly at: number };
  readonly deleting: boolean;
  /** All of them: conditions may ask for any. */
  readonly labels: Readonly<Record<string, string>>;
  /** Only ours. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the pod template, only ours. */
  readonly templateAnnotations: Readonly<Record<string, string>>;
  readonly pod: PodFacts;
  /** The template has these containers, in this order; each with the number of its env entries. */
  readonly containers: readonly { readonly name: string; readonly envCount: number }[];
  readonly slots: readonly EnvSlot[];
  /** The pod template has annotations at all: a JSON patch must create the map otherwise. */
  readonly hasTemplateAnnotations: boolean;
  readonly hasAnnotations: boolean;
  /** Of the template without our marks, 8 characters: tells whether somebody else changed it. */
  readonly templateDigest: string;
  /**
   * Seconds since the epoch: the newest write by a manager other than us that owns parts of the template, as
   * managedFields tell. An upper bound: the same manager may have changed something else.
   */
  readonly templateWrittenAt: number;
  /** The field manager of that write; empty where several wrote in that second. */
  readonly templateWrittenBy: string;
  readonly rollout: RolloutFacts;
  /** StatefulSet: one pod at a time, each only once the one before it is ready. */
  readonly inOrder?: true;
  /** `Kind/name` of its controller. A Job of a CronJob is never touched. */
  readonly controlledBy: string | undefined;
  /** Job: it has ended, one way or the other. */
  readonly finished: boolean;
  /** Argo Rollout: the workload whose template it uses. */
  readonly workloadRef: WorkloadRef | undefined;
  /** For eviction: how its pods are found. */
  readonly selector: Readonly<Record<string, unknown>> | undefined;
}

export function refOf({ kind, metadata: { namespace, name } }: WorkloadFacts): WorkloadRef {
  return { kind, namespace, name };
}

/** A Job that a CronJob started: never touched, its next run reads the new values. */
export function isRunOfCronJob({
  kind,
  controlledBy,
}: Pick<WorkloadFacts, 'kind' | 'controlledBy'>): boolean {
  return kind === 'Job' && controlledBy?.startsWith('CronJob/') === true;
}

/** Kinds of which the API server knows no types: it stores empty maps and lists as they were sent. */
export function isCustom(kind: WorkloadKind): boolean {
  return kind === 'Rollout' || kind === 'DeploymentConfig';
}

export function keyOfWorkload({ metadata: { namespace, name } }: WorkloadFacts): ObjectKey & {
  readonly namespace: string;
} {
  return { namespace, name };
}
