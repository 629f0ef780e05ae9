/** The engine's memory of a workload between two passes. State that must survive a crash is in ledger and notebook. */
import { isDeepStrictEqual } from 'node:util';
import { emptyMemory } from '../ledger/remember.ts';
import type { Following } from '../model/following.ts';
import type { Memory } from '../model/memory.ts';
import type { BlockedEviction } from '../model/plan.ts';
import type { RestoreReport } from '../model/restore.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { OpenRollout } from '../report/metrics.ts';
import type { Later } from '../schedule/types.ts';

export interface WorkloadState {
  memory: Memory;
  deferred: Later | undefined;
  lastError: string | undefined;
  /** `lastError` is a missing permission of the operator. */
  forbidden: boolean;
  /** Found on the first pass, reported with the next note. */
  foreignSlots: readonly string[] | undefined;
  /** The reload whose rollout has not ended, or has failed. */
  following: Following | undefined;
  /** Its pods are being evicted. */
  eviction: Eviction | undefined;
  /** The result of restoring its sources. */
  restoration: Restoration | undefined;
  /** Observe mode: the change that was reported last. */
  observed: string | undefined;
  /** The other installation that reloads it. */
  contestedBy: string | undefined;
}

export interface Restoration extends Pick<RestoreReport, 'result' | 'message'> {
  /** Identifies the attempt. */
  readonly attempt: string;
  /** Not retried before, in milliseconds since the epoch. */
  readonly until: number;
}

/** Progress of an eviction. `since`: its start, `movedAt`: its last progress, both in milliseconds since the epoch. */
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
    forbidden: false,
    foreignSlots: undefined,
    following: undefined,
    eviction: undefined,
    restoration: undefined,
    observed: undefined,
    contestedBy: undefined,
  };
}

/** The states of all workloads that this process has decided about. */
export class WorkloadStates {
  readonly #states = new Map<string, WorkloadState>();

  of(ref: WorkloadRef): WorkloadState | undefined {
    return this.#states.get(workloadKey(ref));
  }

  /** A workload with another uid gets a new state. */
  remember(workload: WorkloadFacts, memory: Memory): WorkloadState {
    const key = workloadKey(refOf(workload));
    const known = this.#states.get(key);
    const state = known?.memory.uid === workload.metadata.uid ? known : newState(memory);
    // The same object while nothing is new: results that were made from it stay valid.
    if (!isDeepStrictEqual(state.memory, memory)) state.memory = memory;
    this.#states.set(key, state);
    return state;
  }

  /** True if there was a state. */
  forget(ref: WorkloadRef): boolean {
    return this.#states.delete(workloadKey(ref));
  }

  outdated(ref: WorkloadRef): void {
    const state = this.of(ref);
    if (!state) return;
    state.memory = emptyMemory(state.memory.uid);
    state.following = undefined;
  }

  /** Keys of the workloads that wait for others. */
  *waitingForPeers(): Iterable<string> {
    for (const [key, { deferred }] of this.#states) {
      if (deferred?.why === 'capped' || deferred?.why === 'failed-elsewhere') yield key;
    }
  }

  /** Number of workloads that another installation also reloads. */
  contested(): number {
    let count = 0;
    for (const { contestedBy } of this.#states.values()) if (contestedBy !== undefined) count += 1;
    return count;
  }

  *openRollouts(): Iterable<OpenRollout> {
    for (const { following, eviction } of this.#states.values()) {
      if (following) {
        const state = following.failed === undefined ? 'running' : 'failing';
        yield { since: following.reloadedAt * 1000, state };
      } else if (eviction) yield { since: eviction.since, state: 'running' };
    }
  }
}
