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
  /** It failed, and that was told. */
  readonly failed?: string;
}

export interface RolloutPods {
  readonly failing: PodFailure | undefined;
  readonly readyAbovePartition: number | undefined;
  /** Milliseconds since the epoch: the newest creation of a pod, or of one getting ready. */
  readonly movedAt: number;
}
