/**
 * What this process keeps of a workload between two passes. Pure: old memory in, new memory out.
 *
 * It only saves requests and keeps the order of events that clocks cannot tell; everything that must survive a crash
 * stands in the ledger. The one exception is said so: a baseline that was not or may not be written.
 */
import type { WorkloadFacts } from '../model/workload.ts';
import { type Ledger, retriesOf } from './ledger.ts';
import type { Decision, Memory, PendingChange, Verdict } from './types.ts';

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
  if (decision.action === 'leave' || decision.action === 'ask-pods') return before;
  if (decision.because === 'not-in-sync' || decision.because === 'write-not-seen') return before;
  const { pending: _, ...rest } = knowing(before, decision);
  const pending = pendingAfter(before.pending, workload, decision, now);
  const { revertSettled, returnsSettled } = decision;
  const bornVersion = before.bornVersion ?? bornVersionOf(before, workload);
  return {
    ...rest,
    ...(bornVersion !== undefined && { bornVersion }),
    seenVersion: workload.metadata.resourceVersion,
    ...(revertSettled !== undefined && { revertSettled }),
    ...(returnsSettled !== undefined && { returnsSettled }),
    ...(pending && { pending }),
  };
}

/** Only what its controller has not touched yet, and we see for the first time, is as it was created. */
function bornVersionOf({ seenVersion }: Memory, { metadata, rollout }: WorkloadFacts): string | undefined {
  return seenVersion === undefined && rollout.observedGeneration === 0 ? metadata.resourceVersion : undefined;
}

/** Our write of this ledger was accepted. */
export function afterWrite(memory: Memory, ledger: Ledger): Memory {
  const { refused: _, pending, ...rest } = withLedger(memory, ledger, true);
  return {
    ...rest,
    ...(memory.seenVersion !== undefined && { writtenOver: memory.seenVersion }),
    // A ledger without it was written by a reload, or because there is nothing left to roll out.
    ...(ledger.pendingSince !== undefined && pending && { pending }),
  };
}

/** It was forbidden, or we only observe: the baseline lives in memory. */
export function afterRefusal(memory: Memory, ledger: Ledger): Memory {
  const { pending, ...rest } = withLedger(memory, ledger, false);
  return {
    ...rest,
    refused: true,
    ...(ledger.pendingSince !== undefined && pending && { pending }),
  };
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

function knowing(memory: Memory, { situation, recorded, record }: Verdict): Memory {
  switch (situation) {
    case 'recorded': {
      const { refused: _, ...rest } = memory;
      return recorded ? withLedger(rest, recorded, true) : rest;
    }
    case 'undone':
      return memory;
    case 'vanished':
      return record ? withLedger(memory, record, true) : memory;
    // A change between the first sight and the first write is a change against this baseline.
    case 'first-sight':
    case 'copied':
    case 'restored-from-mark':
    case 'in-memory':
      return record ? withLedger(memory, record, false) : memory;
  }
}

function pendingAfter(
  before: PendingChange | undefined,
  { templateDigest, templateWrittenAt }: WorkloadFacts,
  { fingerprint, because, podsAreOld }: Verdict,
  now: number,
): PendingChange | undefined {
  // Until the note is written, it must stay known that the template came after the change.
  if (because === 'template-changed') return before;
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
