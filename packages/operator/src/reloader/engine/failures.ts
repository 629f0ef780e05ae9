/**
 * Content that failed somewhere, kept up to date with the notes.
 *
 * In: every note that this process reads or writes. Out: the workloads that a content failed on, as far as they still are
 * there; whoever waits is woken when that changes. All notes are looked at before the first answer to a pass, which comes
 * after they were read; those who only look may ask earlier, and are told what is known by then.
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
  /** All that are known. */
  readonly workloads: () => Iterable<WorkloadFacts>;
  readonly wake: (key: string) => void;
  readonly states: Pick<WorkloadStates, 'waitingForPeers'>;
}

/** A note that was read takes some kilobytes. */
const MOST_READ = 1000;

export class Failures {
  readonly #options: FailuresOptions;
  readonly #contents = new FailedContents();
  #isLoaded = false;
  /** As they were last read for peers, who ask again and again. */
  readonly #read = new Map<string, ParsedNote>();
  /** For everybody who writes notes. */
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

  /** In a pass. */
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

  /** The same object as long as nothing else is noted. */
  noteOf(ref: WorkloadRef): ParsedNote {
    const key = workloadKey(ref);
    const known = this.#read.get(key) ?? this.#options.notebook.note(ref);
    if (this.#read.size >= MOST_READ) this.#read.clear();
    this.#read.set(key, known);
    return known;
  }

  /** Another leader has noted something of it. */
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
