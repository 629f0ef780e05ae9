import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { WorkloadState } from './state.ts';

/** One workload in one pass. */
export interface Pass {
  readonly key: string;
  readonly workload: WorkloadFacts;
  readonly want: Want;
  readonly state: WorkloadState;
  readonly now: number;
  readonly signal: AbortSignal;
}
