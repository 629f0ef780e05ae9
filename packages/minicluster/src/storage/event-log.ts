/**
 * The watch window of one resource: its latest events, oldest first.
 *
 * In: every committed event. Out: the events after a revision, or that some have expired. Guarantees: an event
 * younger than `maxAgeMs` is dropped only if there are `maxEvents` newer ones; `minEvents` are kept whatever their
 * age. Nothing expires between two writes, as in the watch cache upstream.
 */
import type { KubeObject } from '../model/object.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface StoredEvent {
  readonly type: EventType;
  readonly revision: number;
  /** Storage name of the resource, see `storageName`. */
  readonly resource: string;
  readonly key: string;
  /** For DELETED the last state, with the revision of the deletion as resourceVersion. */
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
  /** Monotonic milliseconds. */
  readonly at: number;
  /** Encoded forms, created by the first watcher that needs one and shared by the others. */
  readonly encoded: Map<string, Uint8Array>;
}

export interface WatchWindow {
  readonly minEvents: number;
  readonly maxEvents: number;
  readonly maxAgeMs: number;
}

export const DEFAULT_WINDOW: WatchWindow = { minEvents: 100, maxEvents: 102_400, maxAgeMs: 75_000 };

export class EventLog {
  readonly #window: WatchWindow;
  #events: StoredEvent[] = [];
  /** Only the events from here on are live; the ones before are removed in one go later. */
  #head = 0;
  #floor = 0;

  constructor(window: WatchWindow) {
    this.#window = window;
  }

  /** Events up to this revision may be missing: a reader must start here or later. */
  get floor(): number {
    return this.#floor;
  }

  get size(): number {
    return this.#events.length - this.#head;
  }

  append(event: StoredEvent): void {
    this.#events.push(event);
    const { minEvents, maxEvents, maxAgeMs } = this.#window;
    while (this.size > minEvents) {
      const oldest = this.#events[this.#head] as StoredEvent;
      if (this.size <= maxEvents && event.at - oldest.at <= maxAgeMs) break;
      this.#dropOldest(oldest);
    }
  }

  /** Drops the events up to and including `revision`. */
  compact(revision: number): void {
    for (let oldest = this.#events[this.#head]; oldest; oldest = this.#events[this.#head]) {
      if (oldest.revision > revision) break;
      this.#dropOldest(oldest);
    }
    this.#floor = Math.max(this.#floor, revision);
  }

  /** The events after `revision` in order; undefined if some of them have expired. */
  since(revision: number): StoredEvent[] | undefined {
    if (revision < this.#floor) return undefined;
    let start = this.#events.length;
    while (start > this.#head && (this.#events[start - 1] as StoredEvent).revision > revision) start--;
    return this.#events.slice(start);
  }

  #dropOldest(oldest: StoredEvent): void {
    this.#floor = oldest.revision;
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }
}
