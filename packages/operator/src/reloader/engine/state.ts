/** What the engine remembers between two passes over a workload. Everything that must survive a crash is in the ledger. */
import type { Memory } from '../model/memory.ts';
import type { Later } from '../schedule/types.ts';

export interface WorkloadState {
  memory: Memory;
  deferred: Later | undefined;
  lastError: string | undefined;
  /** Milliseconds since the epoch: the turn of this workload to have its first ledger written. */
  adoptAt: number | undefined;
  /** Seen at first sight, told when the ledger is written. */
  foreignSlots: readonly string[] | undefined;
  /** How often the ledger was taken away while we watched. */
  vanished: number;
  /** Milliseconds since the epoch: not written again before. */
  notBefore: number;
  /** We may not write the ledger: it lives in memory, until an event changes something. */
  refused: string | undefined;
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
    adoptAt: undefined,
    foreignSlots: undefined,
    vanished: 0,
    notBefore: 0,
    refused: undefined,
    following: undefined,
    observed: undefined,
  };
}
