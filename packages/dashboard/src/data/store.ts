/**
 * The state of the page beyond the rows that a view shows, and its subscribers. Views read it; only the feed writes to
 * it.
 *
 * Guarantees: a subscriber is called at most four times a second, however much arrives, and only if it is concerned;
 * without one that is, no frame is drawn. Of each workload only the latest line that the stream sent is kept.
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

/** `denied`: the operator requires a token. */
export type Link = 'loading' | 'live' | 'stale' | 'failed' | 'denied';

/** The oldest beyond these are dropped. */
export const MOST_EVENTS = 2_000;
const MOST_LINES = 1_000;
/** Between two frames: while changes keep coming, drawing each batch would keep the browser busy. */
const FRAME_MS = 250;

interface Subscriber {
  readonly tell: () => void;
  readonly isConcerned: () => boolean;
}

export class Store {
  link: Link = 'loading';
  /** The server's last error message. */
  trouble = '';
  user: string | undefined;
  may: readonly string[] = [];
  /** Options of every command that the page shows. */
  kubectl: readonly string[] = [];
  overview: OverviewAnswer | undefined;
  /** The value of `changes` when the overview was requested. */
  overviewAt = 0;
  counts: LineCounts | undefined;
  leading = true;
  /** Incremented when a line has changed. */
  changes = 0;
  /** Incremented when workloads were added or deleted, or when the stream did not send all changes. */
  population = 0;
  readonly events: TimelineEvent[] = [];
  begins = '';
  readonly #lines = new Map<string, NumberedLine>();
  #from = '';
  readonly #subscribers = new Set<Subscriber>();
  /** Until the next frame may be drawn. */
  #isTelling = false;

  /** The latest line that the stream sent. */
  line(ref: WorkloadRef): NumberedLine | undefined {
    return this.#lines.get(keyOf(ref));
  }

  /** The stream may be ahead of an answer: of two lines, the one with the higher number is newer. */
  newest(line: NumberedLine): NumberedLine {
    const told = this.line(line.workload);
    return told && told.number > line.number ? told : line;
  }

  /** True if an answer is older than the start of the stream, so that changes between the two may be missing. */
  isBeforeStream(revision: string): boolean {
    const [epoch, number] = this.#from.split(':');
    const [other, mine] = revision.split(':');
    return epoch === other && Number(mine) < Number(number);
  }

  subscribe(tell: () => void, isConcerned = (): boolean => true): () => void {
    const subscriber = { tell, isConcerned };
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  changed(): void {
    if (this.#isTelling || this.#concerned().length === 0) return;
    this.#isTelling = true;
    requestAnimationFrame(() => {
      for (const { tell } of this.#concerned()) tell();
      setTimeout(() => {
        this.#isTelling = false;
        this.changed();
      }, FRAME_MS);
    });
  }

  /** At the first load, or after the operator process was replaced: everything else is read again. */
  begin({ user, may, kubectl = [] }: MeAnswer, overview: OverviewAnswer): void {
    this.user = user;
    this.may = may;
    this.kubectl = kubectl;
    this.#lines.clear();
    this.events.length = 0;
    this.#from = overview.revision;
    if (this.overview) this.#bump(true);
    this.take(overview, this.changes);
  }

  /** `at`: the value of `changes` when the overview was requested. */
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
    const isOther = more === true || gone.length > 0 || counts.all !== this.counts?.all;
    if (isOther || lines.length > 0) this.#bump(isOther);
    this.counts = counts;
    this.leading = leading;
    this.addEvents(events);
    this.changed();
  }

  /** Keeps the events in order, oldest first, each once, in whichever order they arrive. */
  addEvents(events: readonly TimelineEvent[]): void {
    const [first] = events;
    if (!first) return;
    const last = this.events.at(-1);
    if (last && first.number <= last.number) {
      const known = new Set(this.events.map(({ number }) => number));
      this.events.push(...events.filter(({ number }) => !known.has(number)));
      this.events.sort((a, b) => a.number - b.number);
    } else this.events.push(...events);
    if (this.events.length > MOST_EVENTS) this.events.splice(0, this.events.length - MOST_EVENTS);
    this.changed();
  }

  /** The number of the newest change of a source; of any source if none is given. */
  lastChangeOf(source?: string): number {
    const isMeant = (event: TimelineEvent): boolean =>
      event.source !== undefined && (source === undefined || keyOf(event.source) === source);
    return this.events.findLast(isMeant)?.number ?? 0;
  }

  #concerned(): readonly Subscriber[] {
    return [...this.#subscribers].filter(({ isConcerned }) => isConcerned());
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
