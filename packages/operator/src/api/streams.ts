/**
 * Sends changes to connected readers: lines of workloads and events of the timeline, as server-sent events.
 *
 * In: readers, each with the number up to which it knows everything. Out: batches, at most one for each reader in a
 * tenth of a second, and fewer while many workloads change (`PACES`): reloads need the processor then, and the lines of
 * a batch are computed when it is due. Guarantees: a batch is written and encoded once for all readers that wait for
 * the same; a reader that is not concerned is sent nothing. The memory for one reader is bounded: it gets the current
 * state, not every step; of many changes only the notice that there were some (`more`); and nothing while it has not
 * consumed what it was sent. A reader that stalls for long is dropped. A reader that reconnects with its number misses
 * nothing, or is told so (`more`, or `reset` if its number is of another process). All streams end at `end`.
 */
import type { Clock, Timer } from '@reloader/runtime';
import { type Change, keyOf, type Lines } from './lines.ts';
import type { Sequence } from './sequence.ts';
import type { TimelineEvent } from './shapes.ts';
import type { Timeline } from './timeline.ts';

/** The other end of a stream. */
export interface Sink {
  write(text: string | Uint8Array): void;
  /** Bytes that were written and not consumed yet. */
  readonly buffered: number;
  end(): void;
}

export interface Subscription {
  readonly sink: Sink;
  /** The position up to which the reader knows everything: `epoch:number`. */
  readonly from: string | undefined;
  /** The namespace that it is told of; undefined for all. */
  readonly namespace: string | undefined;
  /** Whether the reader is still authorized; asked once a minute. */
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
/** A batch is due when nothing has changed for `quietMs`, and `mostMs` after the first change that it tells. */
const PACES = {
  usual: { quietMs: 100, mostMs: 100 },
  /** More than `MANY_LINES` are to be computed. */
  busy: { quietMs: 500, mostMs: 500 },
  /** More than `MOST_LINES`. */
  flooded: { quietMs: 500, mostMs: 3_000 },
};
/** After this long without a batch, the next one comes at the usual pace, however much it has to tell. */
const REST_MS = 500;
const MANY_LINES = 20;
const HEARTBEAT_MS = 15_000;
/** The authorization is reviewed again after this many heartbeats. */
const BEATS_BETWEEN_REVIEWS = 4;
/** Of one batch: a client shows fewer lines, and reads its list again after a larger change. */
const MOST_LINES = 100;
const MOST_EVENTS = 500;
/** No more is written to a reader with this many bytes buffered. */
const MOST_BUFFERED = 256 * 1024;
const LONGEST_STALL_MS = 30_000;

interface Reader extends Subscription {
  cursor: number;
  /** Its first batch is sent even if nothing has changed: it has the position. */
  isNew: boolean;
  /** Whether it was last told that this replica leads. */
  leading: boolean;
  /** Since when the reader has consumed nothing. */
  stalledAt: number | undefined;
}

interface Batch {
  readonly upTo: number;
  readonly bytes: Uint8Array;
  readonly isEmpty: boolean;
}

export class Streams {
  readonly #options: StreamsOptions;
  readonly #readers = new Set<Reader>();
  #batch: Timer | undefined;
  #heartbeat: Timer | undefined;
  #beats = 0;
  /** On the monotonic clock. */
  #sentAt = Number.NEGATIVE_INFINITY;
  #changedAt = 0;
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

  /**
   * Returns the function to call when the reader has disconnected. The first batch follows as soon as lines are
   * computed.
   */
  open(subscription: Subscription): () => void {
    const { sequence, leads } = this.#options;
    if (this.#readers.size === 0) this.#begin();
    const known = sequence.parse(subscription.from);
    const cursor = known ?? sequence.last;
    const reader: Reader = {
      ...subscription,
      cursor,
      isNew: true,
      leading: leads(),
      stalledAt: undefined,
    };
    this.#readers.add(reader);
    // Node sends no headers before the first bytes of the body.
    reader.sink.write(':\n\n');
    if (known === undefined && subscription.from !== undefined)
      reader.sink.write('event: reset\ndata: {}\n\n');
    void this.#options.lines.fresh().then(() => {
      if (this.#readers.has(reader)) this.#tell(reader, new Map());
    });
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
    const now = this.#options.clock.monotonic();
    this.#changedAt = now;
    if (this.#batch || this.#readers.size === 0) return;
    this.#tellWhenDue(now);
  }

  #tellWhenDue(since: number): void {
    const { clock } = this.#options;
    const dueIn = (): number => {
      const { quietMs, mostMs } = PACES[this.#paceOf(since)];
      return Math.min(this.#changedAt + quietMs, since + mostMs) - clock.monotonic();
    };
    this.#batch = clock.setTimeout(() => {
      if (dueIn() > 0) this.#tellWhenDue(since);
      else void this.#tellAll();
    }, dueIn());
    this.#batch.unref?.();
  }

  #paceOf(since: number): keyof typeof PACES {
    if (since > this.#sentAt + REST_MS) return 'usual';
    const { waiting } = this.#options.lines;
    return waiting > MOST_LINES ? 'flooded' : waiting > MANY_LINES ? 'busy' : 'usual';
  }

  async #tellAll(): Promise<void> {
    await this.#options.lines.fresh();
    this.#batch = undefined;
    const batches = new Map<string, Batch>();
    for (const reader of this.#readers) this.#tell(reader, batches);
    this.#sentAt = this.#options.clock.monotonic();
  }

  #tell(reader: Reader, batches: Map<string, Batch>): void {
    const { clock, leads } = this.#options;
    const { sink, cursor, namespace } = reader;
    if (sink.buffered > MOST_BUFFERED) {
      reader.stalledAt ??= clock.monotonic();
      if (clock.monotonic() - reader.stalledAt > LONGEST_STALL_MS) this.#close(reader);
      else this.#schedule();
      return;
    }
    reader.stalledAt = undefined;
    const key = `${cursor} ${namespace ?? ''}`;
    const batch = batches.get(key) ?? this.#batchAfter(cursor, namespace);
    batches.set(key, batch);
    reader.cursor = batch.upTo;
    if (!batch.isEmpty || reader.isNew || reader.leading !== leads()) sink.write(batch.bytes);
    reader.isNew = false;
    reader.leading = leads();
  }

  #batchAfter(cursor: number, namespace: string | undefined): Batch {
    const { lines, timeline, sequence, leads } = this.#options;
    const includes = (each: string): boolean => namespace === undefined || each === namespace;
    const upTo = sequence.last;
    const changes = lines.changesSince(cursor);
    const newest = newestOf((changes ?? []).filter(({ workload }) => includes(workload.namespace)));
    const isOf = (event: TimelineEvent): boolean => includes(namespaceOf(event));
    const { events, truncated } = timeline.after(cursor, MOST_EVENTS, isOf);
    const hasMore = changes === undefined || newest.length > MOST_LINES || truncated;
    const told = hasMore ? [] : newest;
    const revision = sequence.mark(upTo);
    const rest = JSON.stringify({
      revision,
      gone: told.filter(({ json }) => json === undefined).map(({ workload }) => workload),
      ...(hasMore && { more: true }),
      counts: lines.countsIn(namespace),
      events,
      leading: leads(),
    });
    const texts = told.flatMap(({ json }) => json ?? []);
    const text = `id: ${revision}\nevent: batch\ndata: {"lines":[${texts.join(',')}],${rest.slice(1)}\n\n`;
    return {
      upTo,
      bytes: Buffer.from(text),
      isEmpty: !hasMore && told.length + events.length === 0,
    };
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

  /** Ends the stream of a reader that is no longer authorized, or whose authorization cannot be checked. */
  async #review(reader: Reader): Promise<void> {
    const may = await reader.stillMay().catch(() => false);
    if (!may) this.#close(reader);
  }
}

/** Keeps the last of several changes of one workload. */
function newestOf(changes: readonly Change[]): readonly Change[] {
  return [...new Map(changes.map((change) => [keyOf(change.workload), change])).values()];
}

function namespaceOf({ workload, source }: TimelineEvent): string {
  return workload?.namespace ?? source?.namespace ?? '';
}
