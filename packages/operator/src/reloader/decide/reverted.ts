/**
 * Our last rollout is missing from the template: another client, mostly a GitOps tool, restored an older template. If a
 * pod from before that rollout lives, the change is still wanted and is rolled out again, a bounded number of times.
 */

import { retriesOf } from '../ledger/ledger.ts';
import { isMarkMissing } from '../ledger/marks.ts';
import { NO_BASE } from '../ledger/note.ts';
import type { Decision, Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import { type Case, recordAsRolledOut, reload, revertFingerprint } from './case.ts';
import { isOlderThan } from './changed-sources.ts';

export const MOST_REVERT_RETRIES = 3;

/** For a workload without changed sources. */
export function unchanged(c: Case, recorded: Ledger): Decision {
  const verdict = recordAsRolledOut(c, becauseOf(c));
  // Write the note first: without it, a crash would lose the reason to ask the pods.
  if (verdict.recordUrgent || !isReverted(c, recorded)) return verdict;
  const { memory, pods, workload } = c.input;
  if (isLedgerGone(c)) return onlyTold(c, recorded, verdict);
  if (retriesOf(recorded) >= MOST_REVERT_RETRIES) return { ...verdict, reverted: true };
  const { pending } = memory;
  const asked =
    pending?.fingerprint === revertFingerprint(recorded) &&
    pending.template === workload.templateDigest &&
    pending.podsWereOldAt === workload.templateWrittenAt;
  if (asked) return reload(c, { reverted: true, podsAreOld: true });
  if (!pods) return { action: 'ask-pods', why: 'reverted', waitForRollout: true };
  return isOlderThan(pods, recorded.reloadedAt ?? 0)
    ? reload(c, { reverted: true, podsAreOld: true })
    : { ...verdict, revertSettled: recorded.seq };
}

/**
 * Ledger and mark are gone together: `kubectl rollout undo` to a template from before our first rollout, or a tool that
 * replaced the whole object. The two cannot be told apart, so it is never rolled out again automatically; while a pod
 * from before the reload lives, the user is told.
 */
function onlyTold({ input }: Case, recorded: Ledger, verdict: Verdict): Decision {
  const { pods, memory, workload } = input;
  const { resourceVersion } = workload.metadata;
  if (memory.revertHeldAt === resourceVersion) {
    return { ...verdict, reverted: true, revertHeldAt: resourceVersion };
  }
  if (!pods) return { action: 'ask-pods', why: 'reverted', waitForRollout: true };
  return isOlderThan(pods, recorded.reloadedAt ?? 0)
    ? { ...verdict, reverted: true, revertHeldAt: resourceVersion }
    : { ...verdict, revertSettled: recorded.seq };
}

function isLedgerGone({ input }: Case): boolean {
  return input.record.base === NO_BASE;
}

function becauseOf({ situation }: Case): { because?: 'undone' } {
  return situation === 'undone' ? { because: 'undone' } : {};
}

function isReverted({ input }: Case, recorded: Ledger): boolean {
  const { workload, want, memory } = input;
  // A workload that is opted in to nothing any more is not rolled out again.
  if (want.sources.length === 0 || recorded.reloadedAt === undefined) return false;
  return memory.revertSettled !== recorded.seq && isMarkMissing(workload, want.policy, recorded);
}
