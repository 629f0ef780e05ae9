/**
 * The outcomes of the last reloads of a workload, as its note keeps them. Pure.
 *
 * They are carried from reload to reload, so a failed content stays known after the next change. A reload that succeeds
 * clears failures of contents that are still in use, since they run now.
 */
import type { Difference } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import { isFailure, OUTCOMES, type OutcomeResult, type ReloadOutcome } from '../model/verify.ts';
import { formatEntry } from './ledger.ts';

const MOST_OUTCOMES = 4;
const MOST_SOURCES = 8;
const LONGEST_MESSAGE = 200;

/** For a note: the field is left out if there is nothing to keep. */
export function outcomesOfNote(outcomes: readonly ReloadOutcome[]): {
  readonly outcomes?: readonly ReloadOutcome[];
} {
  return outcomes.length > 0 ? { outcomes } : {};
}

export function outcomeOf(outcomes: readonly ReloadOutcome[], seq: number): ReloadOutcome | undefined {
  return outcomes.find((outcome) => outcome.seq === seq);
}

/**
 * The outcome that decides about a content of a source. A content whose reload was followed by another one before its
 * outcome was known is proven by that one, for other sources: its pods run with both. `seq`: the last reload. Without
 * the answer to its PATCH, the outcome of the one before may still be noted as open.
 */
export function outcomeWith(
  outcomes: readonly ReloadOutcome[],
  key: string,
  content: string | undefined,
  seq: number,
): ReloadOutcome | undefined {
  const index = outcomes.findLastIndex(({ sources }) => sources[key] === content);
  const found = outcomes[index];
  if (!found || !(found.result === 'superseded' || isLeftOpen(found, seq))) return found;
  const later = outcomes.slice(index + 1);
  // The source had another content in between: it is unknown which of them the later reload proves.
  if (later.some(({ sources }) => Object.hasOwn(sources, key))) return found;
  const isOpen = (each: ReloadOutcome): boolean => each.result === 'open' && !isLeftOpen(each, seq);
  return later.find(({ result }) => result === 'ok') ?? later.find(isOpen) ?? found;
}

/** It is noted as open, and a later reload was made. */
export function isLeftOpen(outcome: ReloadOutcome, seq: number): boolean {
  return outcome.result === 'open' && outcome.seq < seq;
}

/** A new reload was made: an open outcome of an earlier one becomes superseded. */
export function superseding(outcomes: readonly ReloadOutcome[], at: number): readonly ReloadOutcome[] {
  return outcomes.map((each) => (each.result === 'open' ? { ...each, result: 'superseded', at } : each));
}

export function opened(
  outcomes: readonly ReloadOutcome[],
  reload: Pick<ReloadOutcome, 'seq' | 'at' | 'template' | 'sources'>,
): readonly ReloadOutcome[] {
  const others = outcomes.filter(({ seq }) => seq !== reload.seq);
  return [...others, { ...reload, result: 'open' as const }].slice(-MOST_OUTCOMES);
}

export interface End {
  readonly seq: number;
  readonly result: Exclude<OutcomeResult, 'open'>;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly message: string;
}

export function ended(
  outcomes: readonly ReloadOutcome[],
  { seq, result, at, message }: End,
  running: Ledger['sources'],
): readonly ReloadOutcome[] {
  const all = outcomes.map((each): ReloadOutcome => {
    if (isLeftOpen(each, seq)) return { ...each, result: 'superseded', at };
    if (each.seq !== seq) return each;
    const { message: _, ...rest } = each;
    const why = isFailure({ result }) ? { message: message.slice(0, LONGEST_MESSAGE) } : {};
    return { ...rest, result, at, ...why };
  });
  return result === 'ok' ? all.flatMap((each) => withoutRunning(each, running)) : all;
}

/** Removes contents that run successfully now from a failure. */
function withoutRunning(outcome: ReloadOutcome, running: Ledger['sources']): ReloadOutcome[] {
  if (!isFailure(outcome)) return [outcome];
  const left = Object.entries(outcome.sources).filter(([key, content]) => {
    const entry = running.get(key);
    return !entry || formatEntry(entry) !== content;
  });
  return left.length > 0 ? [{ ...outcome, sources: Object.fromEntries(left) }] : [];
}

/** The contents that a reload rolls out, by the keys of the ledger. */
export function contentOf(differences: readonly Difference[]): Readonly<Record<string, string>> {
  const changed = differences.flatMap(({ key, next, reload }) =>
    reload && next ? [[key, formatEntry(next)] as const] : [],
  );
  return Object.fromEntries(changed.slice(0, MOST_SOURCES));
}

/** The same for a reload whose process ended before it noted the outcome. */
export function contentOfRecord({ recent, sources }: Ledger, seq: number): Readonly<Record<string, string>> {
  const keys = recent.find((each) => each.seq === seq)?.sources ?? [];
  const known = keys.flatMap((key) => {
    const entry = sources.get(key);
    return entry ? [[key, formatEntry(entry)] as const] : [];
  });
  return Object.fromEntries(known);
}

export interface OutcomeJson {
  n: number;
  r: string;
  at: number;
  td: string;
  s: Record<string, string>;
  m?: string;
}

export function formatOutcome({ seq, result, at, template, sources, message }: ReloadOutcome): OutcomeJson {
  return {
    n: seq,
    r: result,
    at,
    td: template,
    s: { ...sources },
    ...(message !== undefined && { m: message }),
  };
}

export function parseOutcomes(list: unknown): ReloadOutcome[] {
  if (!Array.isArray(list)) return [];
  return (list as (Partial<OutcomeJson> | null)[]).slice(-MOST_OUTCOMES).flatMap((each) => {
    const { n: seq, r, at, td: template, s, m: message } = { ...each };
    const result = OUTCOMES.find((known) => known === r);
    const isWhole = typeof seq === 'number' && typeof at === 'number' && typeof template === 'string';
    if (!isWhole || !result || typeof s !== 'object' || s === null) return [];
    const sources = Object.entries(s).filter(([, content]) => typeof content === 'string');
    return [
      {
        seq,
        result,
        at,
        template,
        sources: Object.fromEntries(sources.slice(0, MOST_SOURCES)),
        ...(typeof message === 'string' && { message: message.slice(0, LONGEST_MESSAGE) }),
      },
    ];
  });
}
