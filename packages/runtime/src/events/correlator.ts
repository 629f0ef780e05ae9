/**
 * Aggregates a stream of occurrences into few Events.
 *
 * In: single occurrences. Out: the series of each, and whether it may be written now. A repeated occurrence increases
 * its series' count. Ten different messages about the same object and reason, each within ten minutes of the one
 * before, become one combined series. An object may cause a burst of 25 writes and then one every five minutes;
 * suppressed occurrences still count, and appear with the next write. Remembers the 4 096 most recent of each kind, and
 * none for longer than it matters, without their texts, so memory is bounded and small.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { type ObjectReference, type RecordedEvent, withinLimits } from './event.ts';
import { LruMap } from './lru.ts';

/** The remembered part of one Event, on the server or still to be written. */
export interface Remembered {
  count: number;
  /** Wall-clock milliseconds. */
  readonly first: number;
  last: number;
  /** Its key on the server, once it is written. */
  written: { readonly namespace: string; readonly name: string } | undefined;
}

/** One Event, with its newest occurrence. */
export interface Series extends Readonly<Remembered> {
  readonly event: RecordedEvent;
}

const REMEMBERED = 4096;
const COMBINE_AFTER = 10;
const COMBINE_WITHIN_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
/** The API server deletes Events after an hour, unless told otherwise. */
const EVENTS_LIVE_MS = 3_600_000;
const COMBINED_PREFIX = '(combined from similar events): ';

interface Similar {
  /** Their digests. */
  readonly messages: Set<string>;
  lastAt: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar: LruMap<Similar>;
  readonly #series: LruMap<Remembered>;
  readonly #buckets: LruMap<Bucket>;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#similar = new LruMap(REMEMBERED, ({ lastAt }) => clock.monotonic() - lastAt > COMBINE_WITHIN_MS);
    this.#series = new LruMap(REMEMBERED, ({ last }) => clock.now() - last > EVENTS_LIVE_MS);
    this.#buckets = new LruMap(REMEMBERED, (bucket) => tokensIn(bucket, clock.monotonic()) === BURST);
  }

  /** Returns its series, updated, and the Event to write for it. */
  correlate(occurrence: RecordedEvent): { readonly series: Remembered; readonly event: RecordedEvent } {
    const { event, key } = this.#combine(occurrence);
    const now = this.#clock.now();
    const series = this.#series.getOrCreate(key, () => ({
      count: 0,
      first: now,
      last: now,
      written: undefined,
    }));
    series.count++;
    series.last = now;
    return { series, event };
  }

  #combine(occurrence: RecordedEvent): { readonly event: RecordedEvent; readonly key: string } {
    const { regarding, type, reason, message } = occurrence;
    const group = digestOf([identity(regarding), type, reason]);
    const text = digestOf([message]);
    const now = this.#clock.monotonic();
    const similar = this.#similar.getOrCreate(group, () => ({ messages: new Set(), lastAt: now }));
    if (now - similar.lastAt > COMBINE_WITHIN_MS) similar.messages.clear();
    similar.lastAt = now;
    // Keep no more than the decision needs.
    if (similar.messages.size < COMBINE_AFTER) similar.messages.add(text);
    if (similar.messages.size < COMBINE_AFTER)
      return { event: withinLimits(occurrence), key: digestOf([group, text]) };
    return { event: withinLimits({ ...occurrence, message: COMBINED_PREFIX + message }), key: group };
  }

  /** Whether a write about this object is allowed now; if so, it is counted. */
  mayWrite({ regarding }: RecordedEvent): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.getOrCreate(digestOf([identity(regarding)]), () => ({
      tokens: BURST,
      at: now,
    }));
    bucket.tokens = tokensIn(bucket, now);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

function tokensIn({ tokens, at }: Bucket, now: number): number {
  return Math.min(BURST, tokens + (now - at) / REFILL_MS);
}

/** Stands for names and messages, of which thousands are remembered: it is about a tenth as long. */
function digestOf(parts: readonly string[]): string {
  return createHash('sha1').update(parts.join('\n')).digest('base64');
}

function identity({ apiVersion, kind, namespace = '', name, uid = '' }: ObjectReference): string {
  return [apiVersion, kind, namespace, name, uid].join('/');
}
