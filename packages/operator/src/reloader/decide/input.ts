/** The input of a decision about one workload. */
import type { MergedRecord } from '../ledger/record.ts';
import type { Install, PodEvidence } from '../model/decision.ts';
import type { Memory } from '../model/memory.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { OptInSeen, Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface DecideInput {
  readonly workload: WorkloadFacts;
  readonly want: Want;
  /** Merged from ledger, note, mark and memory. */
  readonly record: MergedRecord;
  readonly memory: Memory;
  /** How this process saw the workload opt in, if it did. */
  readonly optInSeen: OptInSeen;
  /** Undefined: the pods were not listed yet. */
  readonly pods: PodEvidence | undefined;
  readonly install: Install;
  readonly settings: ReloaderSettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
