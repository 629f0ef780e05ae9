/**
 * A note as text: the record in the ledger's own format, and what only the notebook knows. Pure.
 *
 * `parseNote` never throws: what cannot be read is no note, and what a newer version wrote is left alone.
 */
import { createHash } from 'node:crypto';
import type { Note, NotedDoubt } from '../model/ledger.ts';
import type { ReloadOutcome } from '../model/verify.ts';
import { LARGEST_LEDGER_BYTES, ledgerJson, ledgerOf, parseLedger } from './ledger.ts';
import { formatOutcome, type OutcomeJson, parseOutcomes } from './outcomes.ts';

export type ParsedNote =
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'absent' }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'unreadable' };

/** Where no ledger stood on the workload. */
export const NO_BASE = '-';
const BASE_LENGTH = 12;

/** Names the ledger annotation that a note was made from. */
export function baseOf(ledgerAnnotation: string | undefined): string {
  if (ledgerAnnotation === undefined) return NO_BASE;
  return createHash('sha256').update(ledgerAnnotation).digest('hex').slice(0, BASE_LENGTH);
}

interface NoteJson {
  /** Counts how often this note was made: of two copies, the higher one is newer. */
  n: number;
  /** The workload's name, where the key of the ConfigMap has no room for it. */
  w?: string;
  /** The record, as a ledger has it. */
  r: unknown;
  b: string;
  ev?: string;
  /** The outcome of reload `n`; only failures are worth a write. */
  o?: { n: number; r: 'failed'; at: number; m: string };
  /** Outcomes of reloads that were verified. */
  vo?: OutcomeJson[];
  /** A doubt: fingerprint of the changes, and whether they are held. */
  d?: { f: string; h?: 1 };
}

export interface NoteHead {
  readonly revision: number;
  readonly name?: string;
}

export function formatNote(
  { record, base, evicting, failed, outcomes = [], doubt }: Note,
  { revision, name }: NoteHead,
): string {
  const json: NoteJson = {
    n: revision,
    ...(name !== undefined && { w: name }),
    r: ledgerJson(record),
    b: base,
    ...(evicting !== undefined && { ev: evicting }),
    ...(failed && { o: { n: failed.seq, r: 'failed', at: failed.at, m: failed.message } }),
    ...(outcomes.length > 0 && { vo: outcomes.map(formatOutcome) }),
    ...(doubt && { d: { f: doubt.fingerprint, ...(doubt.held && { h: 1 as const }) } }),
  };
  return JSON.stringify(json);
}

export function parseNote(text: string | undefined): ParsedNote {
  if (text === undefined) return { kind: 'absent' };
  let json: Partial<NoteJson> | null;
  try {
    json = JSON.parse(text) as Partial<NoteJson> | null;
  } catch {
    return { kind: 'unreadable' };
  }
  if (typeof json !== 'object' || json === null || typeof json.b !== 'string') return { kind: 'unreadable' };
  // The limit of a ledger's length holds for the record alone, so a long note is looked at the long way.
  const parsed = text.length > LARGEST_LEDGER_BYTES ? parseLedger(JSON.stringify(json.r)) : ledgerOf(json.r);
  if (parsed.kind === 'newer') return parsed;
  if (parsed.kind !== 'ledger') return { kind: 'unreadable' };
  const evicting = typeof json.ev === 'string' ? { evicting: json.ev } : {};
  const failed = failureOf(json.o);
  const outcomes = parseOutcomes(json.vo);
  const doubt = doubtOf(json.d);
  return {
    kind: 'note',
    note: {
      record: parsed.ledger,
      base: json.b,
      ...evicting,
      ...(failed && { failed }),
      ...(outcomes.length > 0 && { outcomes }),
      ...(doubt && { doubt }),
    },
  };
}

/** Those of another workload of this name do not count. */
export function outcomesOf(note: ParsedNote, uid: string): readonly ReloadOutcome[] {
  return note.kind === 'note' && note.note.record.uid === uid ? (note.note.outcomes ?? []) : [];
}

function doubtOf(doubt: NoteJson['d'] | undefined): NotedDoubt | undefined {
  const { f: fingerprint, h } = { ...doubt };
  return typeof fingerprint === 'string' ? { fingerprint, held: h === 1 } : undefined;
}

function failureOf(outcome: NoteJson['o'] | undefined): Note['failed'] {
  const { n: seq, r, at, m: message } = { ...outcome };
  const isWhole = typeof seq === 'number' && typeof at === 'number' && typeof message === 'string';
  return isWhole && r === 'failed' ? { seq, at, message } : undefined;
}

export function revisionOf(text: string | undefined): number {
  const [, revision] = /^\{"n":(\d{1,15}),/.exec(text ?? '') ?? [];
  return Number(revision ?? 0);
}
