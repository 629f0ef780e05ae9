/** State of the rollout after a reload that one process keeps, beyond the workload's own status. */
import type { PodFailure } from '@reloader/runtime';

export interface Following {
  /** Number of the reload. */
  readonly seq: number;
  /** Seconds since the epoch: pods created earlier are old. */
  readonly reloadedAt: number;
  /** The workload's resourceVersion before our write: while the cache shows it, the cache has not seen the write. */
  readonly before: string;
  /** The rollout occupies no slot. */
  readonly outsideCap?: boolean;
  /** It undid the reload with this number: pods from before that reload stay. */
  readonly undoes?: number;
  /** Pods of the undone reload no longer block the rollout. */
  readonly freed?: true;
  /** One of those pods that may not be evicted; an Event reported it. */
  readonly blockedPod?: string | undefined;
  /** The template's digest: another digest is another rollout, and all counters start again. */
  readonly template: string;
  /** The furthest progress, and when (milliseconds since the epoch) it was reached. */
  readonly reached: number;
  readonly movedAt: number;
  /** It began before this process started: only its pods show when it last progressed. */
  readonly inherited?: true;
  /** Milliseconds since the epoch: when its pods were last listed, and the result. */
  readonly lookedAt?: number;
  readonly pods?: RolloutPods;
  /** During verification, milliseconds since the epoch: when the rollout was done, and when its timeout started. */
  readonly doneAt?: number;
  readonly startedAt?: number;
  /** Why it failed; already reported. */
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
  /** Milliseconds since the epoch: the newest time at which a pod was created or became ready. */
  readonly movedAt: number;
}

/** Used if the operator may not list pods. */
export const NO_PODS_SEEN: RolloutPods = {
  failing: undefined,
  readyAbovePartition: undefined,
  unready: undefined,
  restarted: undefined,
  readyAt: 0,
  movedAt: 0,
};
