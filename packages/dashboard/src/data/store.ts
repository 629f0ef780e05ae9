/**
 * What the page knows beyond the rows that a view shows, and who wants to be told. Views read it; only the feed writes to
 * it.
 *
 * Guarantees: whoever subscribes is told at most once a frame, however much arrives; of lines only the last that the
 * stream told are kept.
 */
import type {
  LineCounts,
  MeAnswer,
  NumberedLine,
  OverviewAnswer,
  StreamBatch,
  TimelineEvent,
  WorkloadRef,
} from '@reloader/operator/api';
import { keyOf } from './words.ts';

/** `denied`: nobody lets us in without a token. */
export type Link = 'loading' | 'live' | 'stale' | 'failed' | 'denied';

const MOST_EVENTS = 2_000;
const MOST_LINES = 1_000;

export class Store {
  link: Link = 'loading';
  /** What the server said when it last refused. */
  trouble = '';
  user: string | undefined;
  may: readonly string[] = [];
  overview: OverviewAnswer | undefined;
  /** `changes` when the overview was asked for. */
  overviewAt = 0;
  counts: LineCounts | undefined;
  leading = true;
  /** Grows whenever a line has changed. */
  changes = 0;
  /** Grows whenever workloads have come or gone, or more has changed than was told. */
  population = 0;
  readonly events: TimelineEvent[] = [];
  begins = '';
  readonly #lines = new Map<string, NumberedLine>();
  #from = '';
  readonly #listeners = new Set<() => void>();
  #isTelling = false;

  /** As the stream told it last. */
  line(ref: WorkloadRef): NumberedLine | undefined {
    return this.#lines.get(keyOf(ref));
  }

  /** An answer may be overtaken by the stream: of two lines the one with the higher number is the newer. */
  newest(line: NumberedLine): NumberedLine {
    const told = this.line(line.workload);
    return told && told.number > line.number ? told : line;
  }

  /** Whether an answer is of before the stream began, so that something may be missing between the two. */
  isBeforeStream(revision: string): boolean {
    const [epoch, number] = this.#from.split(':');
    const [other, mine] = revision.split(':');
    return epoch === other && Number(mine) < Number(number);
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

  /** Of another process, or for the first time: everything else is read again. */
  begin({ user, may }: MeAnswer, overview: OverviewAnswer): void {
    this.user = user;
    this.may = may;
    this.#lines.clear();
    this.events.length = 0;
    this.#from = overview.revision;
    if (this.overview) this.#bump(true);
    this.take(overview, this.changes);
  }

  /** `at`: `changes` when it was asked for. */
  take(overview: OverviewAnswer, at: number): void {
    this.overview = overview;
    this.overviewAt = at;
    this.counts = overview.counts;
    this.leading = overview.leading;
    this.changed();
  }

  add({ lines, gone, more, counts, events, leading }: StreamBatch): void {
    for (const line of lines) this.#put(line);
    for (const ref of gone) this.#lines.delete(keyOf(ref));
    const isOther = gone.length > 0 || more === true || counts.all !== this.counts?.all;
    if (isOther || lines.length > 0) this.#bump(isOther);
    this.counts = counts;
    this.leading = leading;
    this.addEvents(events);
    this.changed();
  }

  /** The oldest first, each once, whatever arrives first. */
  addEvents(events: readonly TimelineEvent[]): void {
    const known = new Set(this.events.map(({ number }) => number));
    this.events.push(...events.filter(({ number }) => !known.has(number)));
    this.events.sort((a, b) => a.number - b.number);
    if (this.events.length > MOST_EVENTS) this.events.splice(0, this.events.length - MOST_EVENTS);
    this.changed();
  }

  #bump(isOther: boolean): void {
    this.changes += 1;
    if (isOther) this.population += 1;
  }

  #put(line: NumberedLine): void {
    const key = keyOf(line.workload);
    this.#lines.delete(key);
    this.#lines.set(key, line);
    for (const oldest of this.#lines.keys()) {
      if (this.#lines.size <= MOST_LINES) break;
      this.#lines.delete(oldest);
    }
  }
}
