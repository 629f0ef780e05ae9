/** Which of two notes of one workload counts: the one of more reloads, then the one that was noted last. */
import { parseNote, revisionOf } from '../ledger/note.ts';

/** What a newer version of ours wrote counts in any case. */
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
