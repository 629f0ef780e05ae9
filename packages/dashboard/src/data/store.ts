/**
 * Everything that the page knows, and who wants to be told. Views read it; only the feed writes to it.
 *
 * Guarantees: whoever subscribes is told at most once a frame, however much arrives.
 */
import type { NumberedLine, StatusAnswer, TimelineEvent, WorkloadRef } from '@reloader/operator/api';
import { keyOf } from './words.ts';

/** `denied`: nobody lets us in without a token. */
export type Link = 'loading' | 'live' | 'stale' | 'failed' | 'denied';

const MOST_EVENTS = 2_000;

export class Store {
  link: Link = 'loading';
  /** What the server said when it last refused. */
  trouble = '';
  status: StatusAnswer | undefined;
  user: string | undefined;
  may: readonly string[] = [];
  /** How many there are: known before all of them have arrived. */
  expected = 0;
  isComplete = false;
  readonly events: TimelineEvent[] = [];
  begins = '';
  readonly #lines = new Map<string, NumberedLine>();
  #sorted: readonly NumberedLine[] | undefined;
  readonly #listeners = new Set<() => void>();
  #isTelling = false;

  /** By name. */
  get lines(): readonly NumberedLine[] {
    this.#sorted ??= [...this.#lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
    return this.#sorted;
  }

  line(ref: WorkloadRef): NumberedLine | undefined {
    return this.#lines.get(keyOf(ref));
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    requestAnimationFrame(() => {
      this.#isTelling = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** An answer may be overtaken by the stream: of two lines the one with the higher number is the newer. */
  put(lines: readonly NumberedLine[]): void {
    for (const line of lines) {
      const key = keyOf(line.workload);
      const known = this.#lines.get(key);
      if (!known || known.number <= line.number) this.#lines.set(key, line);
    }
    this.#sorted = undefined;
    this.changed();
  }

  remove(refs: readonly WorkloadRef[]): void {
    for (const ref of refs) this.#lines.delete(keyOf(ref));
    this.#sorted = undefined;
    this.changed();
  }

  addEvents(events: readonly TimelineEvent[]): void {
    const last = this.events.at(-1)?.number ?? 0;
    this.events.push(...events.filter(({ number }) => number > last));
    if (this.events.length > MOST_EVENTS) this.events.splice(0, this.events.length - MOST_EVENTS);
    this.changed();
  }

  /** Of another process, or too old: all of it is read again. */
  clear(): void {
    this.#lines.clear();
    this.#sorted = undefined;
    this.events.length = 0;
    this.isComplete = false;
  }
}
