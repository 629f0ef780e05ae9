/** The notebook for those who only look: all notes at once, without ever writing one. */
import { type Client, ForbiddenError } from '@reloader/runtime';
import { type ParsedNote, parseNote } from '../ledger/note.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { isNewer } from './newer.ts';
import { Pieces } from './pieces.ts';
import { NoteStore } from './store.ts';

/** Undefined: the caller may not list them. */
export async function readNotes(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<((ref: WorkloadRef) => ParsedNote) | undefined> {
  const pieces = new Pieces();
  try {
    for await (const stored of new NoteStore(client, namespace).list(signal)) pieces.load(stored, isNewer);
  } catch (error) {
    if (error instanceof ForbiddenError) return undefined;
    throw error;
  }
  return (ref) => parseNote(pieces.get(ref));
}
