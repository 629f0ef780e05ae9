/**
 * The one record of a workload, merged from everything that may know: the ledger on the workload, the note in the
 * notebook, the mark on the pod template, and the memory of this process. Pure. Deciding sees this record, and does not
 * know where it came from.
 *
 * Which one counts: a note (or our memory, which is as new or newer) that was made from the ledger that stands there
 * now; else the higher number, at the same number the ledger. A ledger with a lower number than the note's, or none
 * although there was one, was stripped or put back by somebody; it is never written again.
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
  /** What the workload was last rolled out with, as far as anything knows. */
  readonly recorded: Ledger | undefined;
  /** What need not be noted again. */
  readonly standing: Ledger | undefined;
  /** Of the ledger annotation that stands there now: the base of the next note. */
  readonly base: string;
  /** No next reload has a lower number. */
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
    // Rolled out and stripped, both before anything was noted.
    if (mark && mark.seq > record.seq) {
      const rolled = ledgerFromMark(mark, uid, record.writtenAt, keyId);
      return merged('restored-from-mark', { ...rolled, recent: record.recent });
    }
    // Nothing had stood on the workload, and what stands there now is not of this workload: it was copied there.
    if (known.base === NO_BASE) return merged('recorded', record, record);
    return merged('vanished', record, record);
  }
  if (own) return merged('recorded', own, own);
  return withoutRecord({ workload, parsed, noted, mark, keyId }, merged);
}

type Merge = (situation: Situation, recorded?: Ledger, standing?: Ledger) => MergedRecord;

/**
 * `kubectl rollout undo` put an older ledger back, and an older template with it. What we know is newer and stays
 * true; only the mark on the template is gone, as somebody wanted. That is to be noted: `standing` is not what it is.
 */
function undone(record: Ledger, merged: Merge): MergedRecord {
  return merged('undone', { ...record, unmarked: true }, record);
}

interface Remains {
  readonly workload: WorkloadFacts;
  readonly parsed: ParsedLedger;
  /** Of another uid. */
  readonly noted: Note | undefined;
  readonly mark: RolledMark | undefined;
  readonly keyId: string | undefined;
}

function withoutRecord({ workload, parsed, noted, mark, keyId }: Remains, merged: Merge): MergedRecord {
  const { uid } = workload.metadata;
  // A Job that was created anew has the mark of what it was created with.
  if (noted && !(workload.kind === 'Job' && mark)) {
    // Its numbers were counted for another object; the mark went with that one's template.
    return merged('recreated', { ...noted.record, uid, seq: 0, recent: [], unmarked: true });
  }
  if (parsed.kind === 'ledger') return merged('copied');
  if (!mark) return merged('first-sight');
  // A mark has no time. The workload's creation is the safest: nothing created since counts as known.
  return merged('restored-from-mark', ledgerFromMark(mark, uid, workload.createdAt, keyId));
}

/** A Job that was created anew has the mark of the Job before it. */
function markOf({ kind, metadata: { uid }, templateAnnotations }: WorkloadFacts): RolledMark | undefined {
  const mark = parseMark(templateAnnotations[FIXED_ANNOTATIONS.rolled]);
  return mark && (kind === 'Job' || isMarkOf(mark, uid)) ? mark : undefined;
}

function rememberedNote(memory: Memory | undefined, uid: string): Note | undefined {
  if (memory?.uid !== uid || !memory.ledger) return undefined;
  return { record: memory.ledger, base: memory.base ?? NO_BASE };
}

/** A note of a higher number than we remember was written by another leader. */
function newest(remembered: Note | undefined, noted: Note | undefined): Note | undefined {
  if (!remembered || !noted) return remembered ?? noted;
  return noted.record.seq > remembered.record.seq ? noted : remembered;
}
