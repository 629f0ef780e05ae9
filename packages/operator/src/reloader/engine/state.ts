/** What the engine remembers between two passes over a workload. What must survive a crash is in ledger and notebook. */
import type { Memory } from '../model/memory.ts';
import type { Later } from '../schedule/types.ts';

export interface WorkloadState {
  memory: Memory;
  deferred: Later | undefined;
  lastError: string | undefined;
  /** Seen at first sight, told when it is noted. */
  foreignSlots: readonly string[] | undefined;
  /** The reload whose rollout has not ended. */
  following:
    | {
        readonly seq: number;
        /** The workload's resourceVersion before our write: as long as the cache shows that, it shows nothing of it. */
        readonly before: string;
      }
    | undefined;
  /** Observe mode: the change that was reported last. */
  observed: string | undefined;
}

export function newState(memory: Memory): WorkloadState {
  return {
    memory,
    deferred: undefined,
    lastError: undefined,
    foreignSlots: undefined,
    following: undefined,
    observed: undefined,
  };
}
