/**
 * The next ledger: after recording, while a reload waits, and after a reload. Pure.
 *
 * Guarantees: it never exceeds its limit, numbers and times never go back, and what is dropped from a full ledger
 * depends only on the sources, so that a full ledger is stable.
 */
import { DIGEST_VERSION } from '../digest/framed.ts';
import type { Difference } from '../model/decision.ts';
import type { Ledger, LedgerEntry, RecentReload, Replaced } from '../model/ledger.ts';
import { clockAfter, type RateLimit } from '../model/rate.ts';
import { deferredEntry, NEVER_ROLLED } from './entry.ts';
import { formatEntry, formatLedger, LARGEST_LEDGER_BYTES, MOST_RECENT } from './ledger.ts';

/** For number, times and recent reloads. The rest of the ledger is for sources. */
const LARGEST_HEAD_BYTES = 2048;
const LARGEST_SOURCES_BYTES = LARGEST_LEDGER_BYTES - LARGEST_HEAD_BYTES;
/** Quotes, colon and comma of an entry. */
const ENTRY_FRAME_BYTES = 6;
const MOST_RECENT_SOURCES = 8;

export interface LedgerHead {
  readonly uid: string;
  readonly recorded: Ledger | undefined;
  /** The number is at least this one, whatever `recorded` says. */
  readonly lowestSeq: number;
  readonly keyId: string | undefined;
  readonly template: string;
  /** Seconds since the epoch, by the API server's clock: the newest write to a source; undefined if none is there. */
  readonly sourcesWrittenAt?: number | undefined;
  readonly unmarked: boolean;
  /** The name of this installation. */
  readonly installation: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The current content of all sources counts as rolled out. */
export function recordedLedger(head: LedgerHead, differences: readonly Difference[]): Ledger {
  return assemble(
    head,
    head.recorded,
    entries(differences, ({ next }) => next),
  );
}

/** The reload waits: sources that it would roll out keep their recorded entry, all others are updated. */
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
  // Template and times are kept: they show whether another client changed the template after the sources changed.
  const { sourcesWrittenAt: _, ...rest } = ledger;
  const { template = ledger.template, writtenAt, sourcesWrittenAt } = recorded ?? ledger;
  return {
    ...rest,
    ...(template !== undefined && { template }),
    writtenAt,
    ...(sourcesWrittenAt !== undefined && { sourcesWrittenAt }),
    pendingSince,
  };
}

export function reloadedLedger(
  head: LedgerHead,
  differences: readonly Difference[],
  { configs, configIds, sources }: Pick<RecentReload, 'configs' | 'configIds' | 'sources'>,
  rate?: RateLimit,
  replaced?: Replaced,
): Ledger {
  const { recorded, now } = head;
  const at = Math.floor(now / 1000);
  const seq = seqOf(head) + 1;
  const recent = [
    ...(recorded?.recent ?? []),
    { seq, at, configs, ...(configIds && { configIds }), sources: sources.slice(0, MOST_RECENT_SOURCES) },
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

/** Times are taken from `last`; everything else is current. */
function assemble(head: LedgerHead, last: Ledger | undefined, sources: Map<string, LedgerEntry>): Ledger {
  const { uid, recorded, keyId, template, sourcesWrittenAt, unmarked, now } = head;
  return {
    uid,
    seq: seqOf(head),
    writtenAt: Math.max(Math.floor(now / 1000), recorded?.writtenAt ?? 0),
    ...(sourcesWrittenAt !== undefined && { sourcesWrittenAt }),
    ...(last?.reloadedAt !== undefined && { reloadedAt: last.reloadedAt }),
    ...(keyId !== undefined && { keyId }),
    ...(DIGEST_VERSION !== FIRST_DIGEST_VERSION && { digestVersion: DIGEST_VERSION }),
    template,
    ...(unmarked && { unmarked: true as const }),
    ...(last?.installation !== undefined && { installation: last.installation }),
    ...(recorded?.rateClock !== undefined && { rateClock: recorded.rateClock }),
    // If another client changed the template, there is nothing of ours to undo.
    ...(last?.replaced && last.template === template && { replaced: last.replaced }),
    // A failed content may work with another client's template.
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
 * Drops what does not fit, in this order: the oldest reloads; the data for an undo, without which a return is an
 * ordinary reload; of the newest reload all source names but one, then its config names; at last the oldest of the
 * refused contents.
 */
export function withinHead(ledger: Ledger): Ledger {
  let fitting = ledger;
  while (mostHeadBytes(fitting) > LARGEST_HEAD_BYTES && headBytes(fitting) > LARGEST_HEAD_BYTES) {
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

/** Names, quotes and commas of the fields, and all numbers. */
const FRAME_BYTES = { head: 330, reload: 80, text: 6 };
/** Characters that have one byte in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;
const MOST_BYTES_OF_CHARACTER = 6;

/** An upper limit without formatting: nearly every ledger stays far below what is allowed. */
function mostHeadBytes({ uid, keyId, template, installation, replaced, refused, recent }: Ledger): number {
  if (replaced || refused) return Infinity;
  let text = `${uid}${keyId}${template}${installation}`;
  let frame = FRAME_BYTES.head;
  for (const { configs, configIds, sources } of recent) {
    frame += FRAME_BYTES.reload;
    for (const texts of [configs, configIds, sources]) {
      if (!texts) continue;
      frame += texts.length * FRAME_BYTES.text;
      for (const each of texts) text += each;
    }
  }
  return frame + text.length * (PLAIN.test(text) ? 1 : MOST_BYTES_OF_CHARACTER);
}

function headBytes(ledger: Ledger): number {
  return Buffer.byteLength(formatLedger({ ...ledger, sources: new Map() }));
}

function shortened({ sources, configs, configIds, ...rest }: RecentReload): RecentReload[] | undefined {
  const named = (most: number): Pick<RecentReload, 'configs' | 'configIds'> => ({
    configs: configs.slice(0, most),
    ...(configIds && most > 0 && { configIds: configIds.slice(0, most) }),
  });
  // Without any source it would look like a repetition after a revert.
  if (sources.length > 1) return [{ ...rest, ...named(configs.length), sources: sources.slice(0, -1) }];
  return configs.length > 0 ? [{ ...rest, ...named(configs.length - 1), sources }] : undefined;
}

/**
 * The sources that fit into the ledger. Existing ones come before those that are only named, and known ones before new
 * ones, so that a new source never displaces one that is followed. The others are not followed: they get no entry and
 * no reload, because without an entry the next pass would reload for them again.
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

/** Never seen. If it is left out, only clocks can tell whether it was created later. */
function isAbsent({ next }: Difference): boolean {
  return next?.digest === NEVER_ROLLED && next.gone === true;
}
