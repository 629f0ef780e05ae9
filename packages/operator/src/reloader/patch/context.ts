import type { Client, Clock, JsonPatchOperation, Logger } from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { Outcome } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { keyOfWorkload } from '../model/workload.ts';
import { annotationOperations, ledgerChange } from './ledger-operations.ts';
import { testsFirst } from './operations.ts';
import { outcomeOf } from './outcome.ts';

/** What everything that writes needs. */
export interface PatchContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: ReloaderSettings;
}

/** One PATCH of the workload itself. */
export async function patchWorkload(
  { client }: PatchContext,
  workload: WorkloadFacts,
  operations: readonly JsonPatchOperation[],
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    await client.patch(
      WORKLOAD_TYPES[workload.kind],
      keyOfWorkload(workload),
      { type: 'json', operations },
      { fieldManager: FIELD_MANAGER, signal },
    );
    return undefined;
  } catch (error) {
    return outcomeOf(error);
  }
}

export interface LedgerWrite {
  readonly ledgerBefore: string | undefined;
  readonly ledgerAfter: string;
}

/** Writes the ledger and nothing else; `changed` is what the caller did before. */
export async function recordLedger(
  context: PatchContext,
  workload: WorkloadFacts,
  { ledgerBefore, ledgerAfter }: LedgerWrite,
  signal: AbortSignal,
  changed = false,
): Promise<Outcome> {
  if (ledgerBefore === ledgerAfter) return { kind: 'done', changed };
  const operations = annotationOperations(workload, ledgerChange(ledgerBefore, ledgerAfter));
  return (
    (await patchWorkload(context, workload, testsFirst(operations), signal)) ?? { kind: 'done', changed }
  );
}

/** After something that cannot be undone: without a right to record it, it is done all the same. */
export async function recordDone(
  context: PatchContext,
  workload: WorkloadFacts,
  ledger: LedgerWrite,
  signal: AbortSignal,
): Promise<Outcome> {
  const outcome = await recordLedger(context, workload, ledger, signal, true);
  if (outcome.kind !== 'forbidden') return outcome;
  return { kind: 'done', changed: true, recorded: false, note: outcome.message };
}
