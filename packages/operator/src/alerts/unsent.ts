/**
 * Reloads of a process that ended before it could tell of them.
 *
 * The records know every reload, and the history those that were told of, though up to ten seconds late. So what is
 * found here may have been told already: only what is younger than a minute counts, and a crash repeats at most that.
 */
import type { Ledger, RecentReload } from '../reloader/model/ledger.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { History } from '../reloader/report/history.ts';
import { refOf } from '../reloader/report/texts.ts';

export interface UnsentReload {
  readonly workload: WorkloadFacts;
  readonly entry: RecentReload;
}

const OLDEST_S = 60;

/** `since`: when this process began to work, in milliseconds since the epoch. What is younger is its own. */
export function unsentReloads(
  records: Iterable<readonly [WorkloadFacts, Ledger]>,
  history: Pick<History, 'of'>,
  since: number,
): UnsentReload[] {
  const now = Math.floor(since / 1000);
  const found: UnsentReload[] = [];
  for (const [workload, { recent }] of records) {
    const told = history.of(refOf(workload))?.reloads ?? [];
    for (const entry of recent) {
      const isRecent = entry.at < now && entry.at > now - OLDEST_S;
      if (isRecent && !told.some(({ seq, alerted }) => seq === entry.seq && alerted))
        found.push({ workload, entry });
    }
  }
  return found;
}
