/** The rollout of a workload as the one judge sees it, from the facts in the cache. Pure. */
import { judgeRollout, type RolloutEvidence, type RolloutStatus } from '@reloader/runtime';
import type { WorkloadFacts } from '../model/workload.ts';

export function rolloutOf({ kind, rollout }: WorkloadFacts, evidence: RolloutEvidence = {}): RolloutStatus {
  return judgeRollout(kind, rollout, evidence);
}
