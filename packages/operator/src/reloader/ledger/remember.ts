/**
 * What this process keeps of a workload between two passes. Pure: old memory in, new memory out.
 *
 * It only saves requests and keeps the order of events that clocks cannot tell; everything that must survive a crash
 * stands in the ledger. The one exception is said so: a baseline that was not or may not be written.
 */

import { type Decision, isVerdict, type Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Memory, PendingChange } from '../model/memory.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { retriesOf, sameSources } from './ledger.ts';

/**
 * In seconds. A ledger that another process wrote has a time by that one's clock, and what it was written for must not
 * look like something that came later.
 */
const CLOCKS_DIFFER_BY = 30;

export function emptyMemory(uid: string): Memory {
  return { uid, stored: false, highestSeq: 0, revertRetries: 0 };
}

/** After each decision, before anything is done about it. */
export function remember(
  memory: Memory | undefined,
  workload: WorkloadFacts,
  decision: Decision,
  now: number,
): Memory {
  const { uid } = workload.metadata;
  const before = memory?.uid === uid ? memory : emptyMemory(uid);
  if (!isVerdict(decision)) return before;
  if (decision.because === 'not-in-sync' || decision.because === 'write-not-seen') return before;
  const { pending: _, awaitsRolloutSince: __, ...rest } = knowing(before, decision, now);
  const pending = pendingAfter(before.pending, workload, decision, now);
  const { revertSettled, returnsSettled, changeSeen } = decision;
  const bornVersion = before.bornVersion ?? bornVersionOf(before, workload);
  return {
    ...rest,
    ...(bornVersion !== undefined && { bornVersion }),
    seenVersion: workload.metadata.resourceVersion,
    ...(revertSettled !== undefined && { revertSettled }),
    ...(returnsSettled !== undefined && { returnsSettled }),
    ...(changeSeen !== undefined && { changeSeen }),
    ...(pending && { pending }),
  };
}

/** Only what its controller has not touched yet, and we see for the first time, is as it was created. */
function bornVersionOf({ seenVersion }: Memory, { metadata, rollout }: WorkloadFacts): string | undefined {
  return seenVersion === undefined && rollout.observedGeneration === 0 ? metadata.resourceVersion : undefined;
}

/** Our write of this ledger was accepted. */
export function afterWrite(memory: Memory, ledger: Ledger): Memory {
  const { refused: _, pending, ...rest } = withReturnsSettled(withLedger(memory, ledger, true), ledger);
  return {
    ...rest,
    ...(memory.seenVersion !== undefined && { writtenOver: memory.seenVersion }),
    // A ledger without it was written by a reload, or because there is nothing left to roll out.
    ...(ledger.pendingSince !== undefined && pending && { pending }),
  };
}

/** It was forbidden, or we only observe: the baseline lives in memory. */
export function afterRefusal(memory: Memory, ledger: Ledger): Memory {
  const { pending, ...rest } = withReturnsSettled(withLedger(memory, ledger, false), ledger);
  return {
    ...rest,
    refused: true,
    ...(ledger.pendingSince !== undefined && pending && { pending }),
  };
}

/**
 * Until when changes of sources are dealt with, in seconds since the epoch. A ledger that we do not know yet is of
 * somebody else, or of a write of ours whose answer got lost: then all that we had seen before stands in it. Of the
 * first ledger that we see, we cannot tell; but it knows nothing of what comes after this moment, `now`.
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

/** Whoever writes a ledger has dealt with all that it saw until then, unless it only notes what waits. */
function withReturnsSettled(memory: Memory, ledger: Ledger): Memory {
  return ledger.pendingSince === undefined ? { ...memory, returnsSettled: memory.changeSeen ?? 0 } : memory;
}

function withLedger(memory: Memory, ledger: Ledger, stored: boolean): Memory {
  return {
    ...memory,
    ledger,
    stored,
    highestSeq: Math.max(memory.highestSeq, ledger.seq),
    revertRetries: retriesOf(ledger),
  };
}

function knowing(memory: Memory, verdict: Verdict, now: number): Memory {
  const { situation, recorded, record } = verdict;
  switch (situation) {
    case 'recorded': {
      const { refused: _, ...rest } = memory;
      if (!recorded) return rest;
      const returnsSettled = returnsSettledBy(memory, recorded, now);
      return { ...withLedger(rest, recorded, true), returnsSettled };
    }
    case 'undone':
      return memory;
    case 'vanished':
      return record ? withBaseline(memory, record, verdict, true) : memory;
    case 'first-sight':
    case 'copied':
    case 'restored-from-mark':
    case 'in-memory':
      return record ? withBaseline(memory, record, verdict, false) : memory;
  }
}

/**
 * Until the first write gets through, however often it has to be tried: what changes from now on is a change against
 * this, and what changed before is not.
 */
function withBaseline(memory: Memory, ledger: Ledger, { changeSeen }: Verdict, stored: boolean): Memory {
  const known = withLedger(memory, ledger, stored);
  return withReturnsSettled(changeSeen === undefined ? known : { ...known, changeSeen }, ledger);
}

function pendingAfter(
  before: PendingChange | undefined,
  { templateDigest, templateWrittenAt }: WorkloadFacts,
  { fingerprint, because, podsAreOld }: Verdict,
  now: number,
): PendingChange | undefined {
  // Until the note is written, it must stay known what came first, the template or the change, and how long it waits.
  if (because === 'template-changed' || because === 'returned') return before;
  if (fingerprint === undefined) return undefined;
  const evidence = podsAreOld && { podsWereOldAt: templateWrittenAt };
  if (before?.fingerprint === fingerprint && before.template === templateDigest) {
    return { ...before, ...evidence };
  }
  return {
    fingerprint,
    template: templateDigest,
    firstSeen: before?.firstSeen ?? now,
    lastSeen: before?.fingerprint === fingerprint ? before.lastSeen : now,
    ...evidence,
  };
}
