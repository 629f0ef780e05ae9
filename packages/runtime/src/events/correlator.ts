/**
 * Turns a stream of things that happened into few Events.
 *
 * In: single occurrences. Out: the series that each belongs to, and whether that may be written now.
 * The same occurrence again raises its series' count. Ten different messages about the same object and reason,
 * none more than ten minutes after the one before, become one combined series. An object may cause 25 writes
 * at once and then one every five minutes; what is held back still counts, and shows with the next write.
 * Remembers the 4 096 most recent of each kind, so memory is bounded whatever comes.
 */
import type { Clock } from '../clock/clock.ts';
import { type ObjectReference, type RecordedEvent, withinLimits } from './event.ts';
import { LruMap } from './lru.ts';

/** One Event on the server, present or to be. */
export interface Series {
  /** The newest occurrence. */
  event: RecordedEvent;
  count: number;
  /** Wall-clock milliseconds. */
  readonly first: number;
  last: number;
  /** Where it stands on the server, once it does. */
  written: { readonly namespace: string; readonly name: string } | undefined;
}

const REMEMBERED = 4096;
const COMBINE_AFTER = 10;
const COMBINE_WITHIN_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
const COMBINED_PREFIX = '(combined from similar events): ';

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new LruMap<Similar>(REMEMBERED);
  readonly #series = new LruMap<Series>(REMEMBERED);
  readonly #buckets = new LruMap<Bucket>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The series that it belongs to, brought up to date. */
  correlate(occurrence: RecordedEvent): Series {
    const { event, key } = this.#combine(occurrence);
    const now = this.#clock.now();
    const series = this.#series.getOrCreate(key, () => ({
      event,
      count: 0,
      first: now,
      last: now,
      written: undefined,
    }));
    series.event = event;
    series.count++;
    series.last = now;
    return series;
  }

  #combine(occurrence: RecordedEvent): { readonly event: RecordedEvent; readonly key: string } {
    const { regarding, type, reason, message } = occurrence;
    const group = [identity(regarding), type, reason].join('\n');
    const now = this.#clock.monotonic();
    const similar = this.#similar.getOrCreate(group, () => ({ messages: new Set(), lastAt: now }));
    if (now - similar.lastAt > COMBINE_WITHIN_MS) similar.messages.clear();
    similar.lastAt = now;
    // No need to remember more than it takes to decide.
    if (similar.messages.size < COMBINE_AFTER) similar.messages.add(message);
    if (similar.messages.size < COMBINE_AFTER)
      return { event: withinLimits(occurrence), key: `${group}\n${message}` };
    return { event: withinLimits({ ...occurrence, message: COMBINED_PREFIX + message }), key: group };
  }

  /** Whether a write about this object may be made now; if so, it is counted as made. */
  mayWrite({ regarding }: RecordedEvent): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.getOrCreate(identity(regarding), () => ({ tokens: BURST, at: now }));
    bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.at) / REFILL_MS);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}

function identity({ apiVersion, kind, namespace = '', name, uid = '' }: ObjectReference): string {
  return [apiVersion, kind, namespace, name, uid].join('/');
}
