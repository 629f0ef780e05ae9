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
  /**
   * The ledger that it replaced; and the newest one, if a user had restored an older one or deleted the note: the
   * operator still remembers it.
   */
  readonly before: readonly LedgerView[];
  readonly configs: readonly string[];
  readonly sources: readonly string[];
  /** The record was lost before it, so that only times could tell whether a source had changed. */
  readonly afterLoss: boolean;
  /** The revision of the first ledger that should still have its note and does not: a user removed it. */
  readonly noteTakenAt: number | undefined;
}

/** A ledger keeps the notes of this many reloads. */
const KEPT_NOTES = 5;

/** Numbers of reloads and times of records never go back, unless a user restores an older record. */
function isOlder(one: LedgerView, other: LedgerView): boolean {
  return one.seq < other.seq || (one.seq === other.seq && one.t < other.t);
}

export function reloadEvents(chronicle: Chronicle, ref: Ref): ReloadEvent[] {
  const seen = new Set<string>();
  const events: ReloadEvent[] = [];
  let before: LedgerView | undefined;
  let newest: LedgerView | undefined;
  const ledgers = recordsOf(chronicle, ref);
  let wasLost = false;
  for (const [index, { ledger, revision, afterLoss }] of ledgers.entries()) {
    wasLost ||= afterLoss;
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
        afterLoss: wasLost,
        noteTakenAt,
      });
      wasLost = false;
    }
    before = ledger;
    if (!newest || !isOlder(ledger, newest)) newest = ledger;
  }
  return events;
}
