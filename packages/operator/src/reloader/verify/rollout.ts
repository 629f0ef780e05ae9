/** The rollout status of a workload, by the runtime's `judgeRollout`, from the facts in the cache. Pure. */
import { judgeRollout, type RolloutEvidence, type RolloutStatus } from '@reloader/runtime';
import type { WorkloadFacts } from '../model/workload.ts';

export function rolloutOf({ kind, rollout }: WorkloadFacts, evidence: RolloutEvidence = {}): RolloutStatus {
  return judgeRollout(kind, rollout, evidence);
}
