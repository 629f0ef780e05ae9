/**
 * The ledger as it should stand: after recording, while a reload waits, and after a reload. Pure.
 *
 * Guarantees: it never outgrows its limit, numbers and times never go back, and what is kept when there is too much
 * does not depend on anything but the sources, so that a full ledger is stable.
 */
import { DIGEST_VERSION } from '../digest/framed.ts';
import type { Difference } from '../model/decision.ts';
import type { Ledger, LedgerEntry, RecentReload, Replaced } from '../model/ledger.ts';
import { clockAfter, type RateLimit } from '../model/rate.ts';
import { deferredEntry, NEVER_ROLLED } from './entry.ts';
import { formatEntry, formatLedger, LARGEST_LEDGER_BYTES, MOST_RECENT } from './ledger.ts';

/** Of the whole ledger: number, times and recent reloads. The rest is for sources. */
const LARGEST_HEAD_BYTES = 2048;
const LARGEST_SOURCES_BYTES = LARGEST_LEDGER_BYTES - LARGEST_HEAD_BYTES;
/** Quotes, colon and comma of an entry. */
const ENTRY_FRAME_BYTES = 6;
const MOST_RECENT_SOURCES = 8;

export interface LedgerHead {
  readonly uid: string;
  readonly recorded: Ledger | undefined;
  /** At least this number, whatever `recorded` says. */
  readonly lowestSeq: number;
  readonly keyId: string | undefined;
  readonly template: string;
  readonly unmarked: boolean;
  /** Who reloads. */
  readonly installation: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Everything as it is now counts as rolled out. */
export function recordedLedger(head: LedgerHead, differences: readonly Difference[]): Ledger {
  return assemble(
    head,
    head.recorded,
    entries(differences, ({ next }) => next),
  );
}

/** The reload waits: what it would roll out stays as it was recorded, everything else is noted. */
export function deferredLedger(
  head: LedgerHead,
  differences: readonly Difference[],
  pendingSince: number,
): Ledger {
  const { recorded } = head;
  const kept = entries(differences, ({ key, next, reload }) =>
    reload ? deferredEntry(recorded?.sources.get(key)) : next,
  );
  const ledger = assemble(head, recorded, kept);
  // Whether somebody changed the template since the sources changed is still to be told, by template and time.
  const { template = ledger.template, writtenAt } = recorded ?? ledger;
  return { ...ledger, ...(template !== undefined && { template }), writtenAt, pendingSince };
}

export function reloadedLedger(
  head: LedgerHead,
  differences: readonly Difference[],
  { configs, sources }: Pick<RecentReload, 'configs' | 'sources'>,
  rate?: RateLimit,
  replaced?: Replaced,
): Ledger {
  const { recorded, now } = head;
  const at = Math.floor(now / 1000);
  const seq = seqOf(head) + 1;
  const recent = [
    ...(recorded?.recent ?? []),
    { seq, at, configs, sources: sources.slice(0, MOST_RECENT_SOURCES) },
  ];
  const ledger = assemble(
    head,
    undefined,
    entries(differences, ({ next }) => next),
  );
  const { installation } = head;
  const { rateClock: _, ...plain } = ledger;
  return withinHead({
    ...plain,
    seq,
    reloadedAt: at,
    installation,
    ...(rate && { rateClock: clockAfter(rate, recorded?.rateClock, now) }),
    ...(replaced && { replaced }),
    recent: recent.slice(-MOST_RECENT),
  });
}

/** Times are those of `last`; the rest is of now. */
function assemble(head: LedgerHead, last: Ledger | undefined, sources: Map<string, LedgerEntry>): Ledger {
  const { uid, recorded, keyId, template, unmarked, now } = head;
  return {
    uid,
    seq: seqOf(head),
    writtenAt: Math.max(Math.floor(now / 1000), recorded?.writtenAt ?? 0),
    ...(last?.reloadedAt !== undefined && { reloadedAt: last.reloadedAt }),
    ...(keyId !== undefined && { keyId }),
    ...(DIGEST_VERSION !== FIRST_DIGEST_VERSION && { digestVersion: DIGEST_VERSION }),
    template,
    ...(unmarked && { unmarked: true as const }),
    ...(last?.installation !== undefined && { installation: last.installation }),
    ...(recorded?.rateClock !== undefined && { rateClock: recorded.rateClock }),
    // Under a template of somebody else there is nothing of ours to put back.
    ...(last?.replaced && last.template === template && { replaced: last.replaced }),
    // What failed may work with a template of somebody else.
    ...(recorded?.refused && recorded.template === template && { refused: recorded.refused }),
    recent: recorded?.recent ?? [],
    sources,
  };
}

const FIRST_DIGEST_VERSION: number = 1;

function seqOf({ recorded, lowestSeq }: LedgerHead): number {
  return Math.max(recorded?.seq ?? 0, lowestSeq);
}

function entries(
  differences: readonly Difference[],
  entryOf: (difference: Difference) => LedgerEntry | undefined,
): Map<string, LedgerEntry> {
  const sources = new Map<string, LedgerEntry>();
  for (const difference of differences) {
    const entry = entryOf(difference);
    if (entry) sources.set(difference.key, entry);
  }
  return sources;
}

/**
 * The oldest reloads go first; then the way back, without which a return is an ordinary reload; then of the newest reload
 * the names of sources but one, then those of configs; and at last the oldest of the contents that are refused.
 */
export function withinHead(ledger: Ledger): Ledger {
  let fitting = ledger;
  while (headBytes(fitting) > LARGEST_HEAD_BYTES) {
    const [oldest, ...younger] = fitting.recent;
    if (younger.length > 0) fitting = { ...fitting, recent: younger };
    else if (fitting.replaced) {
      const { replaced: _, ...withoutWayBack } = fitting;
      fitting = withoutWayBack;
    } else {
      const recent = oldest && shortened(oldest);
      const { refused = [], ...rest } = fitting;
      if (recent) fitting = { ...fitting, recent };
      else if (refused.length > 0)
        fitting = { ...rest, ...(refused.length > 1 && { refused: refused.slice(1) }) };
      else break;
    }
  }
  return fitting;
}

function headBytes(ledger: Ledger): number {
  return Buffer.byteLength(formatLedger({ ...ledger, sources: new Map() }));
}

function shortened({ sources, configs, ...rest }: RecentReload): RecentReload[] | undefined {
  // Without any source it would look like a repetition.
  if (sources.length > 1) return [{ ...rest, configs, sources: sources.slice(0, -1) }];
  return configs.length > 0 ? [{ ...rest, configs: configs.slice(0, -1), sources }] : undefined;
}

/**
 * Which sources the ledger has room for. Those that exist come before those that are only named, and among them those
 * it knows already, so that a new one never pushes out one that is followed. The others are not followed: no entry, and
 * no reload, which could never be told from the next one.
 */
export function withinLimit(
  recorded: Ledger | undefined,
  differences: readonly Difference[],
): { readonly differences: readonly Difference[]; readonly left: readonly string[] } {
  const size = ({ key, next }: Difference): number =>
    next ? Buffer.byteLength(key) + formatEntry(next).length + ENTRY_FRAME_BYTES : 0;
  const isKnown = ({ key }: Difference): boolean => recorded?.sources.has(key) === true;
  if (differences.reduce((sum, difference) => sum + size(difference), 0) <= LARGEST_SOURCES_BYTES) {
    return { differences, left: [] };
  }
  const left = new Set<string>();
  let room = LARGEST_SOURCES_BYTES;
  const rank = (difference: Difference): number =>
    (isAbsent(difference) ? 2 : 0) + (isKnown(difference) ? 0 : 1);
  for (const difference of differences.toSorted((one, other) => rank(one) - rank(other))) {
    const needed = size(difference);
    if (needed > room) left.add(difference.key);
    else room -= needed;
  }
  return {
    differences: differences.map((difference) =>
      left.has(difference.key) ? { ...difference, reload: false, next: undefined } : difference,
    ),
    left: [...left].sort(),
  };
}

/** Never seen: what it costs to leave it out is that its creation is judged by clocks. */
function isAbsent({ next }: Difference): boolean {
  return next?.digest === NEVER_ROLLED && next.gone === true;
}
