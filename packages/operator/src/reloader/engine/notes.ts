/** What is wrong with the record of a workload, in the words of conditions and Events. */
import type { Verdict } from '../model/decision.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { WorkloadView } from '../report/reporter.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { isContended } from './ledger-writer.ts';
import type { WorkloadState } from './state.ts';

type Notes = WorkloadView['notes'];

export function notesOf(
  workload: WorkloadFacts,
  verdict: Verdict | undefined,
  state: WorkloadState | undefined,
  now: number,
): Notes {
  const notes: { reason: string; message: string }[] = [];
  if (state && isContended(state, now)) {
    const message = `The ledger was taken away ${state.vanished} times: another tool replaces the whole object; let it ignore metadata.annotations["reloader.stakater.com/ledger"]`;
    notes.push({ reason: 'LedgerContended', message });
  }
  if (state?.refused !== undefined) {
    const message = `The ledger may not be written and lives in memory until this process ends: ${state.lastError ?? ''}`;
    notes.push({ reason: 'LedgerRefused', message });
  }
  if (verdict?.reverted || (state?.memory.revertRetries ?? 0) > 0) {
    const message = `The template no longer carries reload ${verdict?.recorded?.seq ?? ''}: another tool put an older one back while old pods were running`;
    notes.push({ reason: 'Reverted', message });
  }
  if (verdict?.tooManySources && verdict.tooManySources.length > 0) {
    const message = `${verdict.tooManySources.length} sources do not fit into the ledger and are not followed, the first is ${verdict.tooManySources[0]}`;
    notes.push({ reason: 'TooManySources', message });
  }
  const rollout = rolloutOf(workload);
  if (rollout.state === 'waiting' && (verdict?.recorded?.seq ?? 0) > 0) {
    notes.push({ reason: 'WaitingForWorkload', message: rollout.message });
  }
  return notes;
}
