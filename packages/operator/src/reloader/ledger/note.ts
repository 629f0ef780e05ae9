/**
 * A note as text: the record in the ledger's own format, and data that only the notebook has. Pure.
 *
 * `parseNote` never throws: an unreadable note counts as absent, and one of a newer version is left alone.
 */
import { hashed } from '../model/hashed.ts';
import type { Note, NotedDoubt, Restoring } from '../model/ledger.ts';
import type { ReloadOutcome } from '../model/verify.ts';
import { LARGEST_LEDGER_BYTES, ledgerJson, ledgerOf, parseLedger, parseRefused } from './ledger.ts';
import { formatOutcome, type OutcomeJson, parseOutcomes } from './outcomes.ts';

export type ParsedNote =
  | { readonly kind: 'note'; readonly note: Note }
  | { readonly kind: 'absent' }
  | { readonly kind: 'newer'; readonly version: number }
  | { readonly kind: 'unreadable' };

/** The base of a note that was made without a ledger on the workload. */
export const NO_BASE = '-';
const BASE_LENGTH = 12;

/** Identifies the ledger annotation that a note was made from. */
export function baseOf(ledgerAnnotation: string | undefined): string {
  if (ledgerAnnotation === undefined) return NO_BASE;
  return hashed('sha256', ledgerAnnotation, 'hex').slice(0, BASE_LENGTH);
}

interface NoteJson {
  /** The revision of this note: of two copies, the higher one is newer. */
  n: number;
  /** The workload's name, if it does not fit into the key of the ConfigMap. */
  w?: string;
  /** The record, in the format of a ledger. */
  r: unknown;
  b: string;
  ev?: string;
  /** The outcome of reload `n`; only failures are written. */
  o?: { n: number; r: 'failed'; at: number; m: string };
  /** Outcomes of reloads that were verified. */
  vo?: OutcomeJson[];
  /**
   * Contents that failed with reload `n` and are being replaced: source, content, and the resourceVersion that is
   * replaced.
   */
  rs?: { n: number; s: [key: string, content: string, version: string][] };
  /** A doubt: fingerprint of the changes, and whether they are held. */
  d?: { f: string; h?: 1 };
}

export interface NoteHead {
  readonly revision: number;
  readonly name?: string;
}

export function formatNote(
  { record, base, evicting, failed, outcomes = [], restoring, doubt }: Note,
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
    ...(restoring && {
      rs: {
        n: restoring.seq,
        s: restoring.sources.map(({ key, content, version }) => [key, content, version]),
      },
    }),
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
  // The length limit of a ledger applies to the record alone, so a long note has its record measured separately.
  const parsed = text.length > LARGEST_LEDGER_BYTES ? parseLedger(JSON.stringify(json.r)) : ledgerOf(json.r);
  if (parsed.kind === 'newer') return parsed;
  if (parsed.kind !== 'ledger') return { kind: 'unreadable' };
  const evicting = typeof json.ev === 'string' ? { evicting: json.ev } : {};
  const failed = failureOf(json.o);
  const outcomes = parseOutcomes(json.vo);
  const restoring = restoringOf(json.rs);
  const doubt = doubtOf(json.d);
  return {
    kind: 'note',
    note: {
      record: parsed.ledger,
      base: json.b,
      ...evicting,
      ...(failed && { failed }),
      ...(outcomes.length > 0 && { outcomes }),
      ...(restoring && { restoring }),
      ...(doubt && { doubt }),
    },
  };
}

/** Outcomes of another workload of this name do not count. */
export function outcomesOf(note: ParsedNote, uid: string): readonly ReloadOutcome[] {
  return note.kind === 'note' && note.note.record.uid === uid ? (note.note.outcomes ?? []) : [];
}

/**
 * The restore that was begun after the reload of this number; undefined if the note is of another workload or reload.
 */
export function restoringIn(note: ParsedNote, uid: string, seq: number): Restoring | undefined {
  if (note.kind !== 'note' || note.note.record.uid !== uid) return undefined;
  const { restoring } = note.note;
  return restoring?.seq === seq ? restoring : undefined;
}

function restoringOf(json: NoteJson['rs'] | undefined): Restoring | undefined {
  const { n: seq, s } = { ...json };
  if (typeof seq !== 'number') return undefined;
  const versions = new Map((Array.isArray(s) ? s : []).map((each) => [each?.[0], each?.[2]]));
  const sources = parseRefused(s).map((each) => ({ ...each, version: String(versions.get(each.key) ?? '') }));
  return sources.length > 0 ? { seq, sources } : undefined;
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
