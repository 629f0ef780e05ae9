/** Look-ups of the other users of a source and their state, in the caches and the notebook. Pure. */
import type { ParsedNote } from '../../ledger/note.ts';
import type { Following } from '../../model/following.ts';
import type { Memory } from '../../model/memory.ts';
import type { PeersOf } from '../../model/order.ts';
import type { WorkloadRef } from '../../model/workload.ts';

export interface PeerLookup extends PeersOf {
  note(ref: WorkloadRef): ParsedNote;
  /** This process' state of the workload; undefined: no pass has run for it yet, or this process runs none. */
  known(ref: WorkloadRef): PeerState | undefined;
}

export interface PeerState {
  readonly memory: Memory;
  readonly following: Following | undefined;
}

export function lookupOf(
  peers: PeersOf,
  note: (ref: WorkloadRef) => ParsedNote,
  states: { of(ref: WorkloadRef): PeerState | undefined },
): PeerLookup {
  return {
    of: (source) => peers.of(source),
    isOrdered: (namespace) => peers.isOrdered(namespace),
    note,
    known: (ref) => states.of(ref),
  };
}
