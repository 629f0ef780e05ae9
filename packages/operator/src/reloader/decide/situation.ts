/** Where the comparison starts: which ledger counts, and whether what stands on the workload is to be trusted. */

import { isOlder, type ParsedLedger } from '../ledger/ledger.ts';
import { ledgerFromMark, parseMark } from '../ledger/marks.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Situation } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface Start {
  readonly situation: Situation;
  /** What the workload was last rolled out with, as far as we know. */
  readonly recorded: Ledger | undefined;
  /** What need not be written again: it stands on the workload, or it was refused. */
  readonly standing: Ledger | undefined;
}

export function startOf(
  workload: WorkloadFacts,
  parsed: ParsedLedger,
  memory: Memory,
  keyId: string | undefined,
): Start {
  const { uid } = workload.metadata;
  const known = memory.ledger;
  if (parsed.kind === 'ledger' && parsed.ledger.uid === uid) {
    const own = parsed.ledger;
    if (known && memory.refused && !isOlder(known, own)) return inMemory(known, known);
    // A baseline that is not stored yet is often younger than a true ledger; only its number, read from the mark, counts.
    if (known && (memory.stored ? isOlder(own, known) : own.seq < known.seq)) return undone(known, own);
    return { situation: 'recorded', recorded: own, standing: own };
  }
  if (known && memory.stored) return { situation: 'vanished', recorded: known, standing: undefined };
  if (known) return inMemory(known, memory.refused ? known : undefined);
  if (parsed.kind === 'ledger') return { situation: 'copied', recorded: undefined, standing: undefined };
  const mark = parseMark(workload.templateAnnotations[FIXED_ANNOTATIONS.rolled]);
  if (!mark) return { situation: 'first-sight', recorded: undefined, standing: undefined };
  return {
    situation: 'restored-from-mark',
    // A mark has no time. The workload's creation is the safest: nothing created since counts as known.
    recorded: ledgerFromMark(mark, uid, workload.createdAt, keyId),
    standing: undefined,
  };
}

function inMemory(recorded: Ledger, standing: Ledger | undefined): Start {
  return { situation: 'in-memory', recorded, standing };
}

/**
 * `kubectl rollout undo` put an older ledger back, and an older template with it. What we know is newer and stays
 * true; only the mark on the template is gone for good, by somebody's will.
 */
function undone(known: Ledger, own: Ledger): Start {
  return { situation: 'undone', recorded: { ...known, unmarked: true }, standing: own };
}
