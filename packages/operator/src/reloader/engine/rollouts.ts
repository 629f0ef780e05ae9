/**
 * The slots that budgets count: our rollouts that have not ended, and the workloads that wait for a slot.
 *
 * In: the state of a workload in each pass. Out: which workloads hold a slot and which wait; when a slot is freed, or a
 * workload leaves the line, the next ones are requeued. Guarantees: a slot expires at the deadline unless a pass
 * reports that its rollout goes on; of the waiting workloads, the one with the oldest change is requeued first.
 */
import type { Slots, Waiting } from '../model/budget.ts';
import { granted, isBefore } from '../schedule/room.ts';

/** Fallback for a lost wake-up: waiting workloads are requeued by a timer, the first in line more often. */
const FIRST_IN_LINE = 20;
const LOOK_AGAIN_MS = 30_000;
const LOOK_AGAIN_LATER_MS = 300_000;

export class UnfinishedRollouts {
  /** By key: when a pass last reported that its rollout goes on, in milliseconds since the epoch. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting>();
  /** Keys of the waiting workloads, the oldest change first; undefined after a change. */
  #order: readonly string[] | undefined;
  readonly #wake: (key: string) => void;
  readonly #now: () => number;
  readonly #deadlineMs: number;

  constructor(wake: (key: string) => void, now: () => number, deadlineMs: number) {
    this.#wake = wake;
    this.#now = now;
    this.#deadlineMs = deadlineMs;
  }

  slots(): Slots {
    const oldest = this.#now() - this.#deadlineMs;
    const running = [...this.#running].flatMap(([key, at]) => (at > oldest ? [key] : []));
    this.#order ??= [...this.#waiting.values()]
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
      .map(({ key }) => key);
    return { running, waiting: this.#order.flatMap((key) => this.#waiting.get(key) ?? []) };
  }

  set(key: string, running: boolean): void {
    if (running) {
      this.#running.set(key, this.#now());
      this.#remove(key);
    } else if (this.#running.delete(key)) this.#wakeNext();
  }

  /** It can start, now or from a given time, as soon as a slot is free. Returns when to look again. */
  wait(waiting: Omit<Waiting, 'looksAt'>): number {
    const { key, from } = waiting;
    const now = this.#now();
    const known = this.#waiting.get(key);
    this.#put({ ...waiting, looksAt: from });
    if (from > now) {
      // It gives up its turn for now, so workloads behind it may start.
      if (known && known.from <= now) this.#wakeNext();
      return from;
    }
    const place = this.slots().waiting.findIndex((each) => each.key === key);
    const looksAt = now + (place < FIRST_IN_LINE ? LOOK_AGAIN_MS : LOOK_AGAIN_LATER_MS);
    this.#put({ ...waiting, looksAt });
    return looksAt;
  }

  /** Its change already waited before this process became leader: it keeps its place in line until its first pass. */
  expect(key: string, since: number): void {
    const now = this.#now();
    if (!this.#waiting.has(key)) this.#put({ key, since, from: now, looksAt: now, budgets: [] });
  }

  /** `key` does not wait for a slot: it has one, waits for something else or needs none. */
  stopWaiting(key: string): void {
    if (this.#remove(key)) this.#wakeNext();
  }

  forget(key: string): void {
    this.stopWaiting(key);
    this.set(key, false);
  }

  #put(waiting: Waiting): void {
    if (this.#waiting.get(waiting.key)?.since !== waiting.since) this.#order = undefined;
    this.#waiting.set(waiting.key, waiting);
  }

  #remove(key: string): boolean {
    const removed = this.#waiting.delete(key);
    if (removed) this.#order = undefined;
    return removed;
  }

  #wakeNext(): void {
    if (this.#waiting.size === 0) return;
    const now = this.#now();
    for (const waiting of granted(this.slots(), now)) {
      if (waiting.looksAt > now) this.#put({ ...waiting, looksAt: now });
      this.#wake(waiting.key);
    }
  }
}
