/** How far the rollout of a workload has come, by what its controller reports. Pure. */
import type { RolloutFacts, WorkloadFacts } from '../model/workload.ts';

export interface RolloutState {
  readonly state: 'done' | 'progressing' | 'failed' | 'waiting';
  readonly message: string;
}

const WAITS: Readonly<Record<NonNullable<RolloutFacts['waits']>, string>> = {
  'on-delete': 'pods get the new template only when somebody deletes them (update strategy OnDelete)',
  partition: 'pods below the partition keep the old template until it is lowered',
  paused: 'it is paused and rolls out when somebody resumes it',
  suspended: 'it is suspended and runs when somebody resumes it',
};

export function rolloutOf(workload: WorkloadFacts): RolloutState {
  const { rollout } = workload;
  const { generation, observedGeneration, wanted, updated, available, total } = rollout;
  if (workload.kind === 'CronJob' || workload.kind === 'Job') return oneOff(workload);
  if (observedGeneration < generation) {
    return progressing(`its controller has seen generation ${observedGeneration} of ${generation}`);
  }
  if (rollout.deadlineExceeded) {
    return {
      state: 'failed',
      message: `no progress within its deadline: ${updated} of ${wanted} pods are updated`,
    };
  }
  if (updated >= wanted && total <= updated && available >= wanted) {
    return { state: 'done', message: `${updated} of ${wanted} pods are updated and available` };
  }
  if (rollout.waits !== undefined) return { state: 'waiting', message: WAITS[rollout.waits] };
  if (updated < wanted) return progressing(`${updated} of ${wanted} pods are updated`);
  if (total > updated) return progressing(`${total - updated} old pods are still there`);
  return progressing(`${available} of ${wanted} updated pods are available`);
}

/** Nothing is replaced in these: a Job runs once, a CronJob starts others. */
function oneOff({ kind, finished, rollout }: WorkloadFacts): RolloutState {
  if (rollout.waits !== undefined) return { state: 'waiting', message: WAITS[rollout.waits] };
  if (kind === 'Job' && !finished) return progressing('the Job is running');
  return {
    state: 'done',
    message: kind === 'Job' ? 'the Job has ended' : 'the next run reads what is there then',
  };
}

function progressing(message: string): RolloutState {
  return { state: 'progressing', message };
}
