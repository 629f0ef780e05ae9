/**
 * One line for each workload, kept up to date by the changes that the engine tells of, instead of a plan for every
 * workload with every question.
 *
 * In: names of workloads that may look different now (`touch`). Out: lines in the order of their names, each with the
 * number of its last change. Guarantees: a line is computed only when somebody asks, in pieces of a few milliseconds;
 * while nobody reads, nothing is kept, and a touch costs nothing. A line that comes out as before keeps its number.
 */
import { performance } from 'node:perf_hooks';
import type { Problem } from '../reloader/model/want.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { WorkloadView } from '../reloader/report/reporter.ts';
import { lineOf } from './line.ts';
import type { Sequence } from './sequence.ts';
import type { WorkloadLine } from './shapes.ts';

export interface Line {
  /** `namespace/Kind/name`: lists are in this order. */
  readonly key: string;
  readonly line: WorkloadLine;
  /** As it is sent, with its number. */
  readonly json: string;
  readonly number: number;
  readonly problems: readonly Problem[];
}

export interface LinesOptions {
  readonly sequence: Sequence;
  /** All workloads that there are. */
  readonly all: () => Iterable<WorkloadRef>;
  readonly view: (ref: WorkloadRef) => WorkloadView | undefined;
  /** Milliseconds of any clock. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly time: () => number;
}

/** The event loop belongs to reloads: this long at a time, and never longer than one line takes. */
const PIECE_MS = 5;
/** Lines that nobody has asked for in so long are given up. */
const KEEP_MS = 120_000;
/** Names of deleted workloads that readers who come back are told. */
const MOST_GONE = 1_000;

export class Lines {
  readonly #options: LinesOptions;
  readonly #lines = new Map<string, Line>();
  readonly #dirty = new Map<string, WorkloadRef>();
  readonly #gone = new Map<string, { readonly ref: WorkloadRef; readonly number: number }>();
  readonly #listeners = new Set<() => void>();
  #sorted: readonly Line[] | undefined;
  #isKept = false;
  /** Whoever saw less than this has to begin anew. */
  #floor = 0;
  #usedAt = 0;
  #working: Promise<void> | undefined;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  /** False while nobody asks. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** This workload may look different now. */
  touch(ref: WorkloadRef): void {
    if (!this.#isKept) return;
    if (this.#listeners.size === 0 && this.#options.now() - this.#usedAt > KEEP_MS) {
      this.#giveUp();
      return;
    }
    this.#dirty.set(keyOf(ref), ref);
    for (const listener of this.#listeners) listener();
  }

  touchAll(): void {
    if (this.#isKept) for (const ref of this.#options.all()) this.touch(ref);
  }

  /** Called whenever something may have changed. Whoever listens keeps the lines. Returns the way to stop. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#usedAt = this.#options.now();
      this.#listeners.delete(listener);
    };
  }

  /** Resolves when the lines are those of now. */
  fresh(): Promise<void> {
    this.#begin();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  /** All lines as they are now, in order. For many lines call `fresh` first: this does at once what is left. */
  all(): readonly Line[] {
    this.#begin();
    for (const ref of this.#dirty.values()) this.#compute(ref);
    this.#dirty.clear();
    this.#sorted ??= [...this.#lines.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    return this.#sorted;
  }

  /** Lines that changed after a number, the oldest change first; undefined where that is not known any more. */
  since(number: number): Iterable<Line> | undefined {
    if (!this.#isKept || number < this.#floor) return undefined;
    return after(this.#lines.values(), number);
  }

  goneSince(number: number): readonly { readonly ref: WorkloadRef; readonly number: number }[] {
    return [...after(this.#gone.values(), number)];
  }

  #begin(): void {
    this.#usedAt = this.#options.now();
    if (this.#isKept) return;
    this.#isKept = true;
    this.#floor = this.#options.sequence.next();
    for (const ref of this.#options.all()) this.#dirty.set(keyOf(ref), ref);
  }

  #giveUp(): void {
    this.#isKept = false;
    this.#sorted = undefined;
    this.#lines.clear();
    this.#dirty.clear();
    this.#gone.clear();
  }

  async #work(): Promise<void> {
    while (this.#dirty.size > 0) {
      const end = performance.now() + PIECE_MS;
      for (const [key, ref] of this.#dirty) {
        this.#dirty.delete(key);
        this.#compute(ref);
        if (performance.now() >= end) break;
      }
      if (this.#dirty.size > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #compute(ref: WorkloadRef): void {
    const key = keyOf(ref);
    const before = this.#lines.get(key);
    const view = this.#options.view(ref);
    const line = view && lineOf(view, this.#options.time());
    if (!view || !line) {
      if (before) this.#forget(key, ref);
      return;
    }
    const text = JSON.stringify(line).slice(1);
    const problems = view.want.problems;
    if (before && withoutNumber(before.json) === text) {
      // Texts of problems are not part of the line.
      if (problems.length + before.problems.length > 0) this.#replace({ ...before, problems });
      return;
    }
    const number = this.#options.sequence.next();
    // At the end of the map: its order is that of the numbers.
    this.#lines.delete(key);
    this.#gone.delete(key);
    this.#replace({ key, line, json: `{"number":${number},${text}`, number, problems });
  }

  #replace(line: Line): void {
    this.#lines.set(line.key, line);
    this.#sorted = undefined;
  }

  #forget(key: string, ref: WorkloadRef): void {
    this.#lines.delete(key);
    this.#sorted = undefined;
    this.#gone.set(key, { ref, number: this.#options.sequence.next() });
    for (const [oldest, { number }] of this.#gone) {
      if (this.#gone.size <= MOST_GONE) return;
      this.#floor = number;
      this.#gone.delete(oldest);
    }
  }
}

function* after<T extends { readonly number: number }>(all: Iterable<T>, number: number): Iterable<T> {
  for (const each of all) if (each.number > number) yield each;
}

function withoutNumber(json: string): string {
  return json.slice(json.indexOf(',') + 1);
}

function keyOf({ kind, namespace, name }: WorkloadRef): string {
  return `${namespace}/${kind}/${name}`;
}
