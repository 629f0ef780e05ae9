/**
 * Reloads of a process that ended before it could tell of them.
 *
 * The ledgers know every reload, and the history those that were told of, though up to ten seconds late. So what is
 * found here may have been told already: only what is younger than a minute counts, and a crash repeats at most that.
 */
import { parseLedger } from '../reloader/ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { RecentReload } from '../reloader/model/ledger.ts';
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
  workloads: Iterable<WorkloadFacts>,
  history: Pick<History, 'of'>,
  since: number,
): UnsentReload[] {
  const now = Math.floor(since / 1000);
  const found: UnsentReload[] = [];
  for (const workload of workloads) {
    const parsed = parseLedger(workload.annotations[FIXED_ANNOTATIONS.ledger]);
    if (parsed.kind !== 'ledger' || parsed.ledger.uid !== workload.metadata.uid) continue;
    const told = history.of(refOf(workload))?.reloads ?? [];
    for (const entry of parsed.ledger.recent) {
      const isRecent = entry.at < now && entry.at > now - OLDEST_S;
      if (isRecent && !told.some(({ seq, alerted }) => seq === entry.seq && alerted))
        found.push({ workload, entry });
    }
  }
  return found;
}
