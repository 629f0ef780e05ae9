/**
 * What changes, told to readers that stay: lines of workloads and events of the timeline, as server-sent events.
 *
 * In: readers, each with the number up to which it knows everything. Out: batches, at most one for each reader in
 * `BATCH_MS`. Guarantees: what one reader can make us hold is bounded: a reader gets the state of now, not every step on
 * the way, and nothing while it has not taken what it was sent; who takes nothing for long is dropped. A reader that
 * comes back with its number misses nothing, or is told to begin anew (`reset`). All of them end at once at `end`.
 */
import type { Clock, Timer } from '@reloader/runtime';
import type { Lines } from './lines.ts';
import type { Sequence } from './sequence.ts';
import type { TimelineEvent } from './shapes.ts';
import type { Timeline } from './timeline.ts';

/** The other end of a stream. */
export interface Sink {
  write(text: string): void;
  /** Bytes that were written and not taken yet. */
  readonly buffered: number;
  end(): void;
}

export interface Subscription {
  readonly sink: Sink;
  /** Up to which the reader knows everything: `epoch:number`. */
  readonly from: string | undefined;
  /** Of which namespaces it is told. */
  readonly includes: (namespace: string) => boolean;
  /** Whether it still may; asked once a minute. */
  readonly stillMay: () => Promise<boolean>;
}

export interface StreamsOptions {
  readonly lines: Lines;
  readonly timeline: Timeline;
  readonly sequence: Sequence;
  readonly leads: () => boolean;
  readonly clock: Clock;
}

const MOST_STREAMS = 32;
const BATCH_MS = 100;
const HEARTBEAT_MS = 15_000;
/** Rights are looked at again with every so many heartbeats. */
const BEATS_BETWEEN_REVIEWS = 4;
const MOST_LINES = 500;
const MOST_EVENTS = 500;
/** While so much is on its way nothing more is written. */
const MOST_BUFFERED = 256 * 1024;
const LONGEST_STALL_MS = 30_000;

interface Reader extends Subscription {
  cursor: number;
  /** Since when nothing was taken. */
  stalledAt: number | undefined;
}

export class Streams {
  readonly #options: StreamsOptions;
  readonly #readers = new Set<Reader>();
  #batch: Timer | undefined;
  #heartbeat: Timer | undefined;
  #beats = 0;
  #unlisten: (() => void)[] = [];
  #isOver = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#readers.size;
  }

  get isFull(): boolean {
    return this.#isOver || this.#readers.size >= MOST_STREAMS;
  }

  /** Returns what to call when the reader has gone. The first batch follows at once, empty or not. */
  open(subscription: Subscription): () => void {
    const { lines, sequence } = this.#options;
    if (this.#readers.size === 0) this.#begin();
    const from = sequence.parse(subscription.from);
    const known = from !== undefined && lines.since(from) !== undefined ? from : undefined;
    const reader: Reader = { ...subscription, cursor: known ?? sequence.last, stalledAt: undefined };
    this.#readers.add(reader);
    // Node sends no headers before there is something to send.
    reader.sink.write(':\n\n');
    if (known === undefined && subscription.from !== undefined)
      reader.sink.write('event: reset\ndata: {}\n\n');
    this.#tell(reader, true);
    // What was touched while nobody listened has not been computed yet.
    this.#schedule();
    return () => this.#drop(reader);
  }

  end(): void {
    this.#isOver = true;
    for (const reader of [...this.#readers]) this.#close(reader);
  }

  #begin(): void {
    const { lines, timeline } = this.#options;
    const notice = (): void => this.#schedule();
    this.#unlisten = [lines.listen(notice), timeline.listen(notice)];
    this.#beat();
  }

  #close(reader: Reader): void {
    this.#drop(reader);
    reader.sink.end();
  }

  #drop(reader: Reader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    for (const unlisten of this.#unlisten) unlisten();
    this.#unlisten = [];
    this.#batch?.cancel();
    this.#heartbeat?.cancel();
    this.#batch = undefined;
  }

  #schedule(): void {
    if (this.#batch || this.#readers.size === 0) return;
    this.#batch = this.#options.clock.setTimeout(() => void this.#tellAll(), BATCH_MS);
    this.#batch.unref?.();
  }

  async #tellAll(): Promise<void> {
    await this.#options.lines.fresh();
    this.#batch = undefined;
    for (const reader of this.#readers) this.#tell(reader, false);
  }

  #tell(reader: Reader, isFirst: boolean): void {
    const { lines, timeline, sequence, leads, clock } = this.#options;
    const { sink, includes } = reader;
    if (sink.buffered > MOST_BUFFERED) {
      reader.stalledAt ??= clock.monotonic();
      if (clock.monotonic() - reader.stalledAt > LONGEST_STALL_MS) this.#close(reader);
      else this.#schedule();
      return;
    }
    reader.stalledAt = undefined;
    const before = reader.cursor;
    let upTo = sequence.last;
    const texts: string[] = [];
    for (const { line, json, number } of lines.since(before) ?? []) {
      if (texts.length >= MOST_LINES) {
        this.#schedule();
        break;
      }
      upTo = number;
      if (includes(line.workload.namespace)) texts.push(json);
    }
    if (texts.length < MOST_LINES) upTo = sequence.last;
    reader.cursor = upTo;
    const gone = lines
      .goneSince(before)
      .filter(({ ref, number }) => number <= upTo && includes(ref.namespace))
      .map(({ ref }) => ref);
    const events = timeline
      .after(before, MOST_EVENTS)
      .filter((event) => event.number <= upTo && includes(namespaceOf(event)));
    if (!isFirst && texts.length + gone.length + events.length === 0) return;
    const mark = sequence.mark(upTo);
    const rest = JSON.stringify({ revision: mark, gone, events, leading: leads() }).slice(1);
    sink.write(`id: ${mark}\nevent: batch\ndata: {"lines":[${texts.join(',')}],${rest}\n\n`);
  }

  #beat(): void {
    this.#heartbeat = this.#options.clock.setTimeout(() => {
      this.#beats += 1;
      for (const reader of [...this.#readers]) {
        reader.sink.write(':\n\n');
        if (this.#beats % BEATS_BETWEEN_REVIEWS === 0) void this.#review(reader);
      }
      this.#beat();
    }, HEARTBEAT_MS);
    this.#heartbeat.unref?.();
  }

  /** Who may no longer, or cannot be asked about, is told nothing more. */
  async #review(reader: Reader): Promise<void> {
    const may = await reader.stillMay().catch(() => false);
    if (!may) this.#close(reader);
  }
}

function namespaceOf({ workload, source }: TimelineEvent): string {
  return workload?.namespace ?? source?.namespace ?? '';
}
