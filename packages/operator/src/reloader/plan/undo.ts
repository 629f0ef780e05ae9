/**
 * The undo of a reload that failed, once its sources are again what they were before it. Pure.
 *
 * The old pods that the update strategy kept still run with that content, so they need no restart: the reload's changes
 * to the pod template are removed, and the controller returns to its old revision. Whether that revision and its pods
 * are unchanged, only the server knows; the caller checks, and reloads in case of doubt.
 */
import { formatLedger, sameEntry } from '../ledger/ledger.ts';
import { isMarkMissing, leavesMark } from '../ledger/marks.ts';
import { outcomesOf, type ParsedNote } from '../ledger/note.ts';
import { outcomeOf } from '../ledger/outcomes.ts';
import type { Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { UndoPlan } from '../model/plan.ts';
import { isFailure } from '../model/verify.ts';
import type { WorkloadFacts, WorkloadKind } from '../model/workload.ts';

/** Kinds that keep old revisions which can be read. */
const KEEP_REVISIONS: ReadonlySet<WorkloadKind> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Rollout',
]);

export function undoOf(
  workload: WorkloadFacts,
  { situation, differences, recorded, reload, reverted }: Verdict,
  note: ParsedNote,
): UndoPlan | undefined {
  const replaced = recorded?.replaced;
  if (!recorded || !replaced || !reload || reverted || situation !== 'recorded') return undefined;
  const { policy, ledger, causes } = reload;
  if (!KEEP_REVISIONS.has(workload.kind) || !leavesMark(workload, policy) || policy.stakaterPauseMs) {
    return undefined;
  }
  const { seq } = recorded;
  const outcome = outcomeOf(outcomesOf(note, workload.metadata.uid), seq);
  if (!outcome || !isFailure(outcome)) return undefined;
  // Another client changed the template or removed our mark: the present template is not the one that failed.
  if (outcome.template !== workload.templateDigest || isMarkMissing(workload, policy, recorded)) {
    return undefined;
  }
  const isReturned = differences.every(({ key, finding, reload: isChange, next }) => {
    const before = replaced.sources.get(key);
    return before ? isChange && sameEntry(next, before) : finding === 'unchanged' || finding === 'still-gone';
  });
  const returned = differences.filter(({ key }) => replaced.sources.has(key)).length;
  if (!isReturned || returned !== replaced.sources.size) return undefined;
  const undone = undoneLedger(ledger, seq);
  return {
    seq,
    ledger: undone,
    ledgerAfter: formatLedger(undone),
    fields: replaced.fields,
    from: replaced.until,
    until: Math.max(...causes.map(({ writtenAt = Number.POSITIVE_INFINITY }) => writtenAt)),
  };
}

/** `unmarked`: the template then has the mark of an earlier reload, or none, as intended. */
function undoneLedger({ replaced: _, recent, ...ledger }: Ledger, undoes: number): Ledger {
  return {
    ...ledger,
    unmarked: true,
    recent: recent.map((each) => (each.seq === ledger.seq ? { ...each, undoes } : each)),
  };
}
