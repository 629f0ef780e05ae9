/**
 * Finds pieces of the notebook that another client deleted, restored or wrote to. No write of ours would notice that
 * before the next note, and until then a crash would lose the notes.
 */
import { isDirty, type Piece, type Pieces } from './pieces.ts';
import type { NoteStore } from './store.ts';

/** Marks these pieces as to be written and returns them. Pieces that are being written detect it by themselves. */
export async function changedOutside(
  pieces: Pieces,
  store: Pick<NoteStore, 'nameOf' | 'versions'>,
  signal: AbortSignal,
): Promise<readonly Piece[]> {
  const before = [...pieces.all()]
    .filter((piece) => !isDirty(piece) && piece.resourceVersion !== undefined)
    .map((piece) => ({ piece, version: piece.resourceVersion }));
  if (before.length === 0) return [];
  const stored = await store.versions(signal);
  return before
    .filter(({ piece, version }) => !isDirty(piece) && piece.resourceVersion === version)
    .filter(({ piece, version }) => stored.get(store.nameOf(piece)) !== version)
    .map(({ piece }) => {
      pieces.rewrite(piece);
      return piece;
    });
}
