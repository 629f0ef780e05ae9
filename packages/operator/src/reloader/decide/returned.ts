/**
 * A source changed and changed back, so it equals the ledger again before anything was rolled out. A pod that was
 * created in between, by a release or to replace a lost pod, has read the content that is no longer there.
 *
 * Only contents that this process observed count, and only pods whose whole second lies between two writes, or between
 * the ledger and the first content that we observed. A change there and back while no operator ran leaves only the time
 * of a write, and a mere label edit may have changed that as well.
 */

import { entryOf } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import { returnsSettledBy } from '../ledger/remember.ts';
import type { Decision, Difference, PodEvidence, Verdict } from '../model/decision.ts';
import type { Ledger, LedgerEntry } from '../model/ledger.ts';
import type { WantedSource } from '../model/want.ts';
import { type Case, recordAsPending } from './case.ts';

/** Another content than the recorded one, between two writes. */
interface Between {
  readonly key: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Runs after everything else was decided; also where another source is a reason to reload, because that change may be
 * taken back while it waits.
 */
export function returned(c: Case, recorded: Ledger, verdict: Verdict): Decision {
  const { workload, memory, pods, now } = c.input;
  // A CronJob's template creates no pods by itself.
  if (workload.kind === 'CronJob') return verdict;
  const judged = returnsSettledBy(memory, recorded, now);
  const doubtful = contentsBetween(c, recorded.writtenAt).filter(({ until }) => until > judged);
  if (doubtful.length === 0) return verdict;
  if (!pods) return { action: 'ask-pods', why: 'there-and-back', waitForRollout: false };
  const stale = new Set(doubtful.filter((between) => isFrom(between, pods)).map(({ key }) => key));
  if (stale.size === 0) {
    return { ...verdict, returnsSettled: Math.max(...doubtful.map(({ until }) => until)) };
  }
  // Only noted here, so that a crash cannot lose it. The next pass then decides about it as about every change.
  const differences = c.differences.map(
    (difference): Difference => (stale.has(difference.key) ? { ...difference, reload: true } : difference),
  );
  const sources = new Map([...recorded.sources].filter(([key]) => !stale.has(key)));
  const decision = recordAsPending(
    { ...c, differences, recorded: { ...recorded, sources } },
    { because: 'returned' },
  );
  return { ...decision, recorded };
}

function contentsBetween({ input, differences }: Case, recordedAt: number): Between[] {
  const asRecorded = new Map(
    differences.flatMap(({ key, finding, next }) =>
      next && (finding === 'unchanged' || finding === 'restored') ? [[key, next] as const] : [],
    ),
  );
  return input.want.sources.flatMap((source) => {
    const entry = asRecorded.get(source.key);
    return entry ? contentsOtherThan(entry, source, recordedAt) : [];
  });
}

function contentsOtherThan(
  entry: LedgerEntry,
  { key, keys, state }: WantedSource,
  recordedAt: number,
): Between[] {
  if (state.kind !== 'present') return [];
  return (state.facts.past ?? [])
    .filter((content) => !sameEntry(entryOf(content, keys), entry))
    .map(({ from, until, first }) => ({ key, from: first ? Math.min(from, recordedAt) : from, until }));
}

function isFrom({ from, until }: Between, { readSince }: PodEvidence): boolean {
  return readSince.some((read) => read > from && read < until);
}
