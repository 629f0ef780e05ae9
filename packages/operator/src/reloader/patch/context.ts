import type { Client, Clock, JsonPatchOperation, Logger } from '@reloader/runtime';
import { FIELD_MANAGER } from '../model/annotations.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { keyOfWorkload, type WorkloadFacts, type WorkloadRef } from '../model/workload.ts';
import { outcomeOf } from './outcome.ts';

/** Dependencies of everything that writes. */
export interface PatchContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: ReloaderSettings;
  readonly notes: ProgressNotes;
}

/** Notes about a step that must be stored, so that a crash neither repeats nor loses the step. */
export interface ProgressNotes {
  /** Resolves when the note is stored that the pods of this workload are being evicted. */
  beginEviction(plan: ReloadPlan, progress: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the ledger of this re-created Job is stored. */
  jobCreated(
    job: { readonly ref: WorkloadRef; readonly uid: string },
    ledger: Ledger,
    signal: AbortSignal,
  ): Promise<void>;
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
