/** Read-only access to the notebook: reads all notes at once and never writes. */
import { type Client, ForbiddenError } from '@reloader/runtime';
import { type ParsedNote, parseNote } from '../ledger/note.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { isNewer } from './newer.ts';
import { Pieces } from './pieces.ts';
import { NoteStore } from './store.ts';

/** Undefined: the caller has no right to list the ConfigMaps. */
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
