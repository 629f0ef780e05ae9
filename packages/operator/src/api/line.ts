/** One workload as one line of a list: its sources and its state. */
import type { WorkloadSummary } from '../reloader/report/reporter.ts';
import { isFrozenAt } from '../reloader/want/freeze.ts';
import type { LineState, WorkloadLine } from './shapes.ts';
import { timeOf, waitOf } from './times.ts';

/** For workloads that opt in, did so earlier, or tried to with a mistake; undefined for all others. */
export function lineOf(view: WorkloadSummary, now: number): WorkloadLine | undefined {
  const { ref, facts, want, recorded, deferred, lastError, rolloutFailed } = view;
  const asks = want.sources.length > 0 || (recorded?.seq ?? 0) > 0;
  if (!asks && want.problems.length === 0) return undefined;
  const frozen = want.policy.freezes.find((freeze) => isFrozenAt(freeze, now));
  const { wanted, updated, available } = facts.rollout;
  return {
    workload: ref,
    state: stateOf(view),
    sources: want.sources.map((source) => source.ref),
    reloads: recorded?.seq ?? 0,
    ...(recorded?.reloadedAt !== undefined && { lastReload: timeOf(recorded.reloadedAt * 1000) }),
    ...(deferred && { pending: waitOf(deferred) }),
    ...(deferred &&
      recorded?.pendingSince !== undefined && { pendingSince: timeOf(recorded.pendingSince * 1000) }),
    ...(frozen && { frozen: frozen.place }),
    ...(view.rollout.state === 'progressing' && { pods: { wanted, updated, available } }),
    ...(lastError !== undefined && { lastError }),
    ...(rolloutFailed !== undefined && { rolloutFailed }),
    problems: want.problems.length,
  };
}

/** The most important state: the one to look at first if several apply. */
function stateOf({ rollout, rolloutFailed, lastError, deferred, want }: WorkloadSummary): LineState {
  if (rolloutFailed !== undefined || lastError !== undefined) return 'failing';
  if (deferred) return 'waiting';
  if (rollout.state === 'progressing') return 'rolling';
  return want.problems.length > 0 ? 'troubled' : 'current';
}
