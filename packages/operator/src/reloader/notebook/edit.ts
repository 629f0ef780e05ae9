/**
 * Edits the notebook for the command `reloader cleanup`.
 *
 * In: notes. Out: ConfigMaps, each written once, with the resourceVersion that was read as precondition: a concurrent
 * write is not overwritten, and a running operator merges notes that are new to it.
 */
import { type Client, NotFoundError } from '@reloader/runtime';
import { formatNote, type ParsedNote, parseNote, revisionOf } from '../ledger/note.ts';
import type { Note } from '../model/ledger.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { isNewer } from './newer.ts';
import { isDirty, nameBeside, Pieces } from './pieces.ts';
import { NoteStore } from './store.ts';

export class NoteEditor {
  readonly #pieces = new Pieces();
  readonly #store: NoteStore;

  static async open(client: Client, namespace: string, signal: AbortSignal): Promise<NoteEditor> {
    const editor = new NoteEditor(new NoteStore(client, namespace));
    for await (const stored of editor.#store.list(signal)) editor.#pieces.load(stored, isNewer);
    return editor;
  }

  private constructor(store: NoteStore) {
    this.#store = store;
  }

  note(ref: WorkloadRef): ParsedNote {
    return parseNote(this.#pieces.get(ref));
  }

  workloads(): Iterable<WorkloadRef> {
    return this.#pieces.workloads();
  }

  put(ref: WorkloadRef, note: Note): void {
    const revision = revisionOf(this.#pieces.get(ref)) + 1;
    this.#pieces.put(ref, formatNote(note, { revision, ...nameBeside(ref) }));
  }

  async save(signal: AbortSignal): Promise<void> {
    for (const piece of this.#pieces.all()) {
      if (isDirty(piece)) await this.#store.write(piece, signal);
    }
  }

  /** The names of the ConfigMaps with the notes of one namespace, or of all. */
  names(namespace: string | undefined): string[] {
    return [...this.#pieces.all()]
      .filter((piece) => namespace === undefined || piece.namespace === namespace)
      .map((piece) => this.#store.nameOf(piece));
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    await this.#store.remove(name, signal).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  }
}
