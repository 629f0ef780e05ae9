/** Workloads for which a change is noted and nothing is restarted: their next run reads the new values by itself. */
import type { Ledger } from '../decide/ledger.ts';
import type { Verdict } from '../decide/types.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export function recordOnlyReason(
  { kind, finished }: WorkloadFacts,
  { policy, sources }: Want,
  { finishedJobs }: ReloaderSettings,
): 'next-run' | 'finished' | undefined {
  if (kind === 'CronJob' && policy.cronJob === 'next-run') return 'next-run';
  if (kind !== 'Job' || !finished) return undefined;
  const annotated = sources.some((source) => source.annotated);
  return finishedJobs === 'skip' || !annotated ? 'finished' : undefined;
}

/** The new digests without the reload: nothing is counted. */
export function uncounted({ reload, recorded }: Verdict): Ledger | undefined {
  if (!reload) return undefined;
  const { reloadedAt: _, pendingSince: __, ...ledger } = reload.ledger;
  return {
    ...ledger,
    seq: recorded?.seq ?? 0,
    recent: recorded?.recent ?? [],
    ...(recorded?.reloadedAt !== undefined && { reloadedAt: recorded.reloadedAt }),
  };
}
