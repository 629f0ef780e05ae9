/** What one process knows of the rollout after a reload, beyond what the workload's controller reports. */
import type { PodFailure } from '@reloader/runtime';

export interface Following {
  /** The reload. */
  readonly seq: number;
  /** Seconds since the epoch: pods created before are old. */
  readonly reloadedAt: number;
  /** The workload's resourceVersion before our write: as long as the cache shows that, it shows nothing of it. */
  readonly before: string;
  /** It takes no slot. */
  readonly outsideCap?: boolean;
  /** It undid the reload of this number: pods from before that one live on. */
  readonly undoes?: number;
  /** Pods of the reload that it undid no longer stand in the way. */
  readonly freed?: true;
  /** One of them may not be evicted, and that was told. */
  readonly blockedPod?: string | undefined;
  /** The template's digest: another one is another rollout, and all counts begin anew. */
  readonly template: string;
  /** How far it had come at most, and when (milliseconds since the epoch) that was reached. */
  readonly reached: number;
  readonly movedAt: number;
  /** It began before this process did: when it last moved, only its pods can tell. */
  readonly inherited?: true;
  /** Milliseconds since the epoch: when its pods were listed, and what was seen. */
  readonly lookedAt?: number;
  readonly pods?: RolloutPods;
  /** Milliseconds since the epoch: while it is verified, since when it is done, and when its time began. */
  readonly doneAt?: number;
  readonly startedAt?: number;
  /** It failed, and that was told. */
  readonly failed?: string;
}

export interface RolloutPods {
  readonly failing: PodFailure | undefined;
  readonly readyAbovePartition: number | undefined;
  /** A new pod that is not ready. */
  readonly unready: string | undefined;
  /** The new pod with the most restarts of one container. */
  readonly restarted: { readonly pod: string; readonly restarts: number } | undefined;
  /** Milliseconds since the epoch: when the last of the new pods became ready. */
  readonly readyAt: number;
  /** Milliseconds since the epoch: the newest creation of a pod, or of one getting ready. */
  readonly movedAt: number;
}

/** Where nobody may list them. */
export const NO_PODS_SEEN: RolloutPods = {
  failing: undefined,
  readyAbovePartition: undefined,
  unready: undefined,
  restarted: undefined,
  readyAt: 0,
  movedAt: 0,
};
