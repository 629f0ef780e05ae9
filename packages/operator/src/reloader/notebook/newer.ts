/** Decides which of two notes of one workload counts: the one with the higher number of reloads, then the later one. */
import { parseNote, revisionOf } from '../ledger/note.ts';

/** A note in the format of a newer operator version always counts. */
export function seqOf(text: string): number {
  const parsed = parseNote(text);
  return parsed.kind === 'note'
    ? parsed.note.record.seq
    : parsed.kind === 'newer'
      ? Number.POSITIVE_INFINITY
      : -1;
}

export function isNewer(text: string, than: string): boolean {
  return (
    seqOf(text) - seqOf(than) > 0 || (seqOf(text) === seqOf(than) && revisionOf(text) > revisionOf(than))
  );
}
