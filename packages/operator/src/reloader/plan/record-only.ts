/** Workloads for which a change is only recorded, without a restart: their next run reads the new values by itself. */
import type { Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { sourceKey } from '../model/source.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export type RecordOnlyReason = 'next-run' | 'finished';

export function recordOnlyReason(
  { kind, finished }: WorkloadFacts,
  { sources }: Want,
  { policy, causes }: Pick<NonNullable<Verdict['reload']>, 'policy' | 'causes'>,
  { finishedJobs }: ReloaderSettings,
): RecordOnlyReason | undefined {
  if (kind === 'CronJob' && policy.cronJob === 'next-run') return 'next-run';
  if (kind !== 'Job' || !finished) return undefined;
  const changed = new Set(causes.map(({ ref }) => sourceKey(ref)));
  const annotated = sources.some((source) => source.annotated && changed.has(sourceKey(source.ref)));
  return finishedJobs === 'skip' || !annotated ? 'finished' : undefined;
}

/** The new digests, recorded without a reload: number, rate and list of reloads stay as they were. */
export function uncounted(reloaded: Ledger, recorded: Ledger | undefined): Ledger {
  const { reloadedAt: _, pendingSince: __, rateClock: ___, ...ledger } = reloaded;
  return {
    ...ledger,
    seq: recorded?.seq ?? 0,
    recent: recorded?.recent ?? [],
    ...(recorded?.reloadedAt !== undefined && { reloadedAt: recorded.reloadedAt }),
    ...(recorded?.rateClock !== undefined && { rateClock: recorded.rateClock }),
  };
}
