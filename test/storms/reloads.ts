/**
 * The reloads of a workload, from its ledgers. A number together with its time is one reload: if a user restored an
 * older ledger and no operator remembered the newer one, a number occurs twice. Pure.
 */

import type { Chronicle, Ref } from '../reloader/chronicle.ts';
import type { LedgerView } from '../reloader/ledger-view.ts';
import { recordsOf } from '../reloader/records.ts';

export interface ReloadEvent {
  readonly revision: number;
  readonly ledger: LedgerView;
  /** The ledger that it replaced; and the newest one, if a user had restored an older one. */
  readonly before: readonly LedgerView[];
  readonly configs: readonly string[];
  readonly sources: readonly string[];
  /** The revision of the first ledger that should still have its note and does not: a user removed it. */
  readonly noteTakenAt: number | undefined;
}

/** A ledger keeps the notes of this many reloads. */
const KEPT_NOTES = 5;

export function reloadEvents(chronicle: Chronicle, ref: Ref): ReloadEvent[] {
  const seen = new Set<string>();
  const events: ReloadEvent[] = [];
  let before: LedgerView | undefined;
  let newest: LedgerView | undefined;
  const ledgers = recordsOf(chronicle, ref);
  for (const [index, { ledger, revision }] of ledgers.entries()) {
    const last = ledger.recent?.find(({ n }) => n === ledger.seq);
    const id = last && `${last.n}@${last.at}`;
    if (last && id !== undefined && !seen.has(id)) {
      seen.add(id);
      const without = ledgers
        .slice(index + 1)
        .find(({ ledger: later }) => !later.recent?.some(({ n, at }) => n === last.n && at === last.at));
      const noteTakenAt = without && without.ledger.seq < last.n + KEPT_NOTES ? without.revision : undefined;
      events.push({
        revision,
        ledger,
        before: [before, newest].filter((one) => one !== undefined),
        configs: last.c ?? [],
        sources: last.s ?? [],
        noteTakenAt,
      });
    }
    before = ledger;
    if (!newest || ledger.seq >= newest.seq) newest = ledger;
  }
  return events;
}
