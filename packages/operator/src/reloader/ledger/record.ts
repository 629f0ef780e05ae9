/**
 * The one record of a workload, merged from all places: the ledger on the workload, the note in the notebook, the mark
 * on the pod template, and the memory of this process. Pure. `decide` uses this record and does not know where it came
 * from.
 *
 * Precedence: a note (or our memory, which is as new or newer) that was made from the present ledger; else the higher
 * number, at the same number the ledger. If the ledger has a lower number than the note, or is missing although there
 * was one, another client removed or restored it; it is never written again.
 */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Situation } from '../model/decision.ts';
import type { Ledger, Note } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { type ParsedLedger, parseLedger } from './ledger.ts';
import { isMarkOf, ledgerFromMark, parseMark, type RolledMark } from './marks.ts';
import { baseOf, NO_BASE, type ParsedNote } from './note.ts';

export interface RecordInput {
  readonly workload: WorkloadFacts;
  readonly note: ParsedNote;
  readonly memory: Memory | undefined;
  readonly keyId: string | undefined;
}

export interface MergedRecord {
  readonly kind: 'record';
  readonly situation: Situation;
  /** The contents that the workload was last rolled out with, as far as known. */
  readonly recorded: Ledger | undefined;
  /** The part that is already written and need not be noted again. */
  readonly standing: Ledger | undefined;
  /** Of the present ledger annotation: the base of the next note. */
  readonly base: string;
  /** The next reload has a higher number. */
  readonly highestSeq: number;
}

export type RecordOf = MergedRecord | { readonly kind: 'newer'; readonly version: number };

export function recordOf({ workload, note, memory, keyId }: RecordInput): RecordOf {
  const { uid } = workload.metadata;
  const text = workload.annotations[FIXED_ANNOTATIONS.ledger];
  const parsed = parseLedger(text);
  if (parsed.kind === 'newer') return parsed;
  if (note.kind === 'newer') return note;
  const noted = note.kind === 'note' ? note.note : undefined;
  const mark = markOf(workload);
  const known = newest(rememberedNote(memory, uid), noted?.record.uid === uid ? noted : undefined);
  const own = parsed.kind === 'ledger' && parsed.ledger.uid === uid ? parsed.ledger : undefined;
  const base = baseOf(text);
  const highestSeq = Math.max(
    0,
    ...[known?.record.seq, own?.seq, mark?.seq, memory?.uid === uid ? memory.highestSeq : 0].map(
      (seq) => seq ?? 0,
    ),
  );
  const merged = (situation: Situation, recorded?: Ledger, standing?: Ledger): MergedRecord => ({
    kind: 'record',
    situation,
    recorded,
    standing,
    base,
    highestSeq,
  });
  if (known) {
    const { record } = known;
    if (known.base === base && !(mark && !own && mark.seq > record.seq)) {
      return merged('recorded', record, record);
    }
    if (own && own.seq >= record.seq) return merged('recorded', own, own);
    if (own) return undone(record, merged);
    // The reload was rolled out and its ledger removed, both before anything was noted.
    if (mark && mark.seq > record.seq) {
      const rolled = ledgerFromMark(mark, uid, record.writtenAt, keyId);
      return merged('restored-from-mark', { ...rolled, recent: record.recent });
    }
    // The workload had no ledger, and the present one has another uid: it was copied there.
    if (known.base === NO_BASE) return merged('recorded', record, record);
    return merged('vanished', record, record);
  }
  if (own) return merged('recorded', own, own);
  return withoutRecord({ workload, parsed, noted, mark, keyId }, merged);
}

type Merge = (situation: Situation, recorded?: Ledger, standing?: Ledger) => MergedRecord;

/**
 * `kubectl rollout undo` restored an older ledger together with an older template. Our record is newer and stays valid;
 * only the mark on the template is gone, as the user wanted. That has to be noted, so `standing` differs from
 * `recorded`.
 */
function undone(record: Ledger, merged: Merge): MergedRecord {
  return merged('undone', { ...record, unmarked: true }, record);
}

interface Remains {
  readonly workload: WorkloadFacts;
  readonly parsed: ParsedLedger;
  /** With another uid. */
  readonly noted: Note | undefined;
  readonly mark: RolledMark | undefined;
  readonly keyId: string | undefined;
}

function withoutRecord({ workload, parsed, noted, mark, keyId }: Remains, merged: Merge): MergedRecord {
  const { uid } = workload.metadata;
  // A re-created Job has the mark of the contents that it was created with.
  if (noted && !(workload.kind === 'Job' && mark)) {
    // Its numbers were counted for another object, and the mark was on that object's template.
    return merged('recreated', { ...noted.record, uid, seq: 0, recent: [], unmarked: true });
  }
  if (parsed.kind === 'ledger') return merged('copied');
  if (!mark) return merged('first-sight');
  // A mark has no time. The workload's creation is the safest: nothing created since counts as known.
  return merged('restored-from-mark', ledgerFromMark(mark, uid, workload.createdAt, keyId));
}

/** A re-created Job has the mark of the Job before it. */
function markOf({ kind, metadata: { uid }, templateAnnotations }: WorkloadFacts): RolledMark | undefined {
  const mark = parseMark(templateAnnotations[FIXED_ANNOTATIONS.rolled]);
  return mark && (kind === 'Job' || isMarkOf(mark, uid)) ? mark : undefined;
}

function rememberedNote(memory: Memory | undefined, uid: string): Note | undefined {
  if (memory?.uid !== uid || !memory.ledger) return undefined;
  return { record: memory.ledger, base: memory.base ?? NO_BASE };
}

/** A note with a higher number than our memory was written by another leader. */
function newest(remembered: Note | undefined, noted: Note | undefined): Note | undefined {
  if (!remembered || !noted) return remembered ?? noted;
  return noted.record.seq > remembered.record.seq ? noted : remembered;
}
