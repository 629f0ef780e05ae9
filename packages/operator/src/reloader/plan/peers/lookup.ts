/** Who else uses a source, and what is known of them. Pure look-ups in what the caches and the notebook have. */
import type { ParsedNote } from '../../ledger/note.ts';
import type { Following } from '../../model/following.ts';
import type { Memory } from '../../model/memory.ts';
import type { PeersOf } from '../../model/order.ts';
import type { WorkloadRef } from '../../model/workload.ts';

export interface PeerLookup extends PeersOf {
  note(ref: WorkloadRef): ParsedNote;
  /** What this process knows of it; undefined: it has not looked at it yet, or it looks at nothing. */
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
