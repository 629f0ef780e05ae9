/** What the engine remembers between two passes over a workload. What must survive a crash is in ledger and notebook. */
import type { Following } from '../model/following.ts';
import type { Memory } from '../model/memory.ts';
import type { BlockedEviction } from '../model/plan.ts';
import type { Later } from '../schedule/types.ts';

export interface WorkloadState {
  memory: Memory;
  deferred: Later | undefined;
  lastError: string | undefined;
  /** Seen at first sight, told when it is noted. */
  foreignSlots: readonly string[] | undefined;
  /** The reload whose rollout has not ended, or has failed. */
  following: Following | undefined;
  /** Its pods are being evicted. */
  eviction: Eviction | undefined;
  /** Observe mode: the change that was reported last. */
  observed: string | undefined;
}

/** How far it is. Milliseconds since the epoch: when it began, and when the last pod went. */
export interface Eviction {
  readonly since: number;
  readonly movedAt: number;
  readonly blocked: BlockedEviction | undefined;
}

export function newState(memory: Memory): WorkloadState {
  return {
    memory,
    deferred: undefined,
    lastError: undefined,
    foreignSlots: undefined,
    following: undefined,
    eviction: undefined,
    observed: undefined,
  };
}
