/**
 * Reloads of a process that ended before it could report them.
 *
 * The records have every reload. The history has those that were reported, but is written up to ten seconds late. So a
 * reload found here may already have been reported: only reloads of the last minute count, and a crash repeats at most
 * those.
 */
import { inPieces } from '../pace/pieces.ts';
import type { Ledger, RecentReload } from '../reloader/model/ledger.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { History } from '../reloader/report/history.ts';
import { refOf } from '../reloader/report/texts.ts';

export interface UnsentReload {
  readonly workload: WorkloadFacts;
  readonly entry: RecentReload;
}

const OLDEST_S = 60;

/**
 * `since`: when this process started, in milliseconds since the epoch. Later reloads are its own. All records are
 * looked at, a few at a time.
 */
export async function unsentReloads(
  records: Iterable<readonly [WorkloadFacts, Ledger]>,
  history: Pick<History, 'of'>,
  since: number,
): Promise<UnsentReload[]> {
  const now = Math.floor(since / 1000);
  const found: UnsentReload[] = [];
  await inPieces(records, ([workload, { recent }]) => {
    const told = history.of(refOf(workload))?.reloads ?? [];
    for (const entry of recent) {
      const isRecent = entry.at < now && entry.at > now - OLDEST_S;
      if (isRecent && !told.some(({ seq, alerted }) => seq === entry.seq && alerted))
        found.push({ workload, entry });
    }
  });
  return found;
}
