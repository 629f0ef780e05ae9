/**
 * An index of content that failed on a workload, kept up to date with the notes.
 *
 * In: every note that this process reads or writes. Out: the existing workloads that a content failed on; when that
 * changes, workloads that wait for peers are requeued. `of`, for passes, first loads all notes, and is called only
 * after the notebook was read; `known`, for views, can be called earlier and answers with the notes seen by then.
 */

import { FailedContents } from '../ledger/failed-contents.ts';
import type { ParsedNote } from '../ledger/note.ts';
import type { FailedContent } from '../model/failed-content.ts';
import {
  parseWorkloadKey,
  refOf,
  type WorkloadFacts,
  type WorkloadRef,
  workloadKey,
} from '../model/workload.ts';
import type { World } from '../model/world.ts';
import type { NotebookPort } from './execution.ts';
import type { WorkloadStates } from './state.ts';

export interface FailuresOptions {
  readonly world: Pick<World, 'workload'>;
  readonly notebook: NotebookPort;
  /** All workloads in the caches. */
  readonly workloads: () => Iterable<WorkloadFacts>;
  readonly wake: (key: string) => void;
  readonly states: Pick<WorkloadStates, 'waitingForPeers'>;
}

/** Bounds memory: a parsed note takes some kilobytes. */
const MOST_READ = 1000;

export class Failures {
  readonly #options: FailuresOptions;
  readonly #contents = new FailedContents();
  #isLoaded = false;
  /** Cache of parsed notes: plans read the notes of all peers, again and again. */
  readonly #read = new Map<string, ParsedNote>();
  /** All writers of notes use this one, so that the index sees each note. */
  readonly notebook: NotebookPort;

  constructor(options: FailuresOptions) {
    this.#options = options;
    const { notebook } = options;
    this.notebook = {
      note: (ref) => notebook.note(ref),
      put: (ref, note) => {
        notebook.put(ref, note);
        this.#set(ref, { kind: 'note', note });
      },
      forget: (ref) => {
        notebook.forget(ref);
        this.#set(ref, { kind: 'absent' });
      },
    };
  }

  /** For passes; the first call loads all notes. */
  of(content: string): readonly FailedContent[] {
    const { workloads, notebook } = this.#options;
    if (!this.#isLoaded) {
      this.#isLoaded = true;
      for (const workload of workloads()) this.#set(refOf(workload), notebook.note(refOf(workload)), false);
    }
    return this.known(content);
  }

  known(content: string): readonly FailedContent[] {
    const { world } = this.#options;
    return this.#contents
      .of(content)
      .filter(({ workload, uid }) => world.workload(parseWorkloadKey(workload))?.metadata.uid === uid);
  }

  /** Usually the same object until the note changes, because parsed notes are cached. */
  noteOf(ref: WorkloadRef): ParsedNote {
    const key = workloadKey(ref);
    const known = this.#read.get(key) ?? this.#options.notebook.note(ref);
    if (this.#read.size >= MOST_READ) this.#read.clear();
    this.#read.set(key, known);
    return known;
  }

  /** Another leader has written this workload's note. */
  reread(ref: WorkloadRef): void {
    this.#set(ref, this.#options.notebook.note(ref));
  }

  #set(ref: WorkloadRef, note: ParsedNote, tells = true): void {
    this.#read.delete(workloadKey(ref));
    const isNew = this.#contents.set(ref, note.kind === 'note' ? note.note : undefined);
    if (!isNew || !tells) return;
    for (const key of this.#options.states.waitingForPeers()) this.#options.wake(key);
  }
}
