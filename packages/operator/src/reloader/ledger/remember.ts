/**
 * The memory of this process for a workload between two passes. Pure: old memory in, new memory out.
 *
 * It only saves requests and keeps the order of events that clocks cannot show; everything that must survive a crash is
 * in the ledger or in the notebook.
 */

import type { Decision, Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Memory, PendingChange } from '../model/memory.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { retriesOf, sameSources } from './ledger.ts';

/**
 * In seconds. A ledger that another process wrote has a time of that process' clock, and the change that it was written
 * for must not look like a later one.
 */
const CLOCKS_DIFFER_BY = 30;

export function emptyMemory(uid: string): Memory {
  return { uid, highestSeq: 0, revertRetries: 0 };
}

/** Called after each decision, before it is carried out. */
export function remember(
  memory: Memory | undefined,
  workload: WorkloadFacts,
  decision: Decision,
  now: number,
): Memory {
  const { uid } = workload.metadata;
  const before = memory?.uid === uid ? memory : emptyMemory(uid);
  if (decision.action === 'ask-pods') return before;
  if (decision.because === 'not-in-sync' || decision.because === 'write-not-seen') return before;
  const { pending: _, awaitsRolloutSince: __, revertHeldAt: ___, ...rest } = knowing(before, decision, now);
  const pending = pendingAfter(before.pending, workload, decision, now);
  const { revertSettled, revertHeldAt, returnsSettled, changeSeen } = decision;
  const bornVersion = before.bornVersion ?? bornVersionOf(before, workload);
  return {
    ...rest,
    ...(bornVersion !== undefined && { bornVersion }),
    seenVersion: workload.metadata.resourceVersion,
    template: templateSeen(before, workload),
    ...(revertSettled !== undefined && { revertSettled }),
    ...(revertHeldAt !== undefined && { revertHeldAt }),
    ...(returnsSettled !== undefined && { returnsSettled }),
    ...(changeSeen !== undefined && { changeSeen }),
    ...(pending && { pending }),
  };
}

/**
 * The resourceVersion of the creation is known only if we see the workload for the first time before its controller
 * wrote to it.
 */
export function bornVersionOf(
  { seenVersion }: Memory,
  { metadata, rollout }: WorkloadFacts,
): string | undefined {
  return seenVersion === undefined && rollout.observedGeneration === 0 ? metadata.resourceVersion : undefined;
}

function templateSeen(
  { template }: Memory,
  { templateDigest, templateWrittenAt }: WorkloadFacts,
): NonNullable<Memory['template']> {
  return template?.digest === templateDigest
    ? template
    : { digest: templateDigest, since: templateWrittenAt };
}

/** After this record was noted. `base`: of the ledger annotation on the workload. */
export function afterNote(memory: Memory, ledger: Ledger, base: string): Memory {
  const { pending, ...rest } = withReturnsSettled(withLedger(memory, ledger, base), ledger);
  // A record without `pendingSince` was made by a reload, or because there is nothing left to roll out.
  return { ...rest, ...(ledger.pendingSince !== undefined && pending && { pending }) };
}

/** The server accepted our PATCH with this ledger: until its event arrives, the cache is outdated. */
export function afterPatch(memory: Memory, ledger: Ledger, base: string): Memory {
  const { seenVersion: writtenOver } = memory;
  return { ...afterNote(memory, ledger, base), ...(writtenOver !== undefined && { writtenOver }) };
}

/**
 * Seconds since the epoch: changes of sources until then are settled. A ledger that we do not know yet was written by
 * another process, or by us with the answer lost: it covers all changes that we had seen before. For the first ledger
 * that we see this is unknown; but it cannot cover changes after `now`.
 */
export function returnsSettledBy(memory: Memory, recorded: Ledger, now: number): number {
  const { ledger, changeSeen = 0, returnsSettled = 0 } = memory;
  if (!ledger) {
    const known = Math.min(recorded.writtenAt + CLOCKS_DIFFER_BY, Math.floor(now / 1000));
    return Math.max(returnsSettled, recorded.writtenAt, known);
  }
  const isKnown = isSameLedger(ledger, recorded) || recorded.pendingSince !== undefined;
  return isKnown ? returnsSettled : Math.max(returnsSettled, changeSeen);
}

function isSameLedger(one: Ledger, other: Ledger): boolean {
  return (
    one.seq === other.seq && one.writtenAt === other.writtenAt && sameSources(one.sources, other.sources)
  );
}

/** A written ledger covers all changes seen until then, unless it only notes a pending one. */
function withReturnsSettled(memory: Memory, ledger: Ledger): Memory {
  return ledger.pendingSince === undefined ? { ...memory, returnsSettled: memory.changeSeen ?? 0 } : memory;
}

function withLedger(memory: Memory, ledger: Ledger, base: string): Memory {
  return {
    ...memory,
    ledger,
    base,
    highestSeq: Math.max(memory.highestSeq, ledger.seq),
    revertRetries: retriesOf(ledger),
  };
}

function knowing(memory: Memory, verdict: Verdict, now: number): Memory {
  const { situation, recorded, record, base } = verdict;
  switch (situation) {
    case 'recorded':
      return recorded
        ? { ...withLedger(memory, recorded, base), returnsSettled: returnsSettledBy(memory, recorded, now) }
        : memory;
    case 'undone':
    case 'vanished':
      // Unchanged, until the new state is noted.
      return memory;
    case 'first-sight':
    case 'copied':
    case 'restored-from-mark':
    case 'recreated':
      return record ? withBaseline(memory, record, verdict) : memory;
  }
}

/** Later changes are compared with this baseline; earlier ones are covered by it, however long a reload waits. */
function withBaseline(memory: Memory, ledger: Ledger, { changeSeen, base }: Verdict): Memory {
  const known = withLedger(memory, ledger, base);
  return withReturnsSettled(changeSeen === undefined ? known : { ...known, changeSeen }, ledger);
}

function pendingAfter(
  before: PendingChange | undefined,
  { templateDigest, templateWrittenAt }: WorkloadFacts,
  { fingerprint, because, podsAreOld, byTimesAlone }: Verdict,
  now: number,
): PendingChange | undefined {
  // Until the note is written, keep which came first, the template or the change, and how long the change waits.
  if (because === 'template-changed' || because === 'returned') return before;
  if (fingerprint === undefined) return undefined;
  const evidence = podsAreOld && { podsWereOldAt: templateWrittenAt };
  if (before?.fingerprint === fingerprint && before.template === templateDigest) {
    return { ...before, ...evidence };
  }
  const same = before?.fingerprint === fingerprint ? before : undefined;
  return {
    fingerprint,
    template: templateDigest,
    firstSeen: before?.firstSeen ?? now,
    lastSeen: same?.lastSeen ?? now,
    ...evidence,
    ...((byTimesAlone || same?.byTimesAlone) && { byTimesAlone: true as const }),
  };
}
