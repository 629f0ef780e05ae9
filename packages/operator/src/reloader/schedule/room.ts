/**
 * Which workloads may begin a rollout under all budgets at once. Pure except for its own counts.
 *
 * Slots are given to the oldest change first. A workload that one full budget holds takes no slot of other budgets from
 * those behind it, so a crowded namespace does not hold up the cluster. No workload is overtaken for a slot that it
 * could use.
 */
import type { Budget, Slots, Waiting } from '../model/budget.ts';

/**
 * A workload that has not asked for its slot this long after it was due loses its turn, so that it does not hold up
 * others.
 */
const TURN_MS = 60_000;

export class Room {
  readonly #taken: Set<string>;
  readonly #counts = new Map<string, { readonly has: Budget['has']; count: number }>();

  constructor(running: readonly string[]) {
    this.#taken = new Set(running);
  }

  /** The budget with the lowest limit among those that are used up. */
  full(budgets: readonly Budget[]): Budget | undefined {
    const full = budgets.filter((budget) => this.#count(budget) >= budget.limit);
    return full.toSorted((a, b) => a.limit - b.limit)[0];
  }

  has(key: string): boolean {
    return this.#taken.has(key);
  }

  take(key: string): void {
    if (this.#taken.has(key)) return;
    this.#taken.add(key);
    for (const counted of this.#counts.values()) if (counted.has(key)) counted.count += 1;
  }

  #count({ name, has }: Budget): number {
    let counted = this.#counts.get(name);
    if (!counted) {
      counted = { has, count: [...this.#taken].filter(has).length };
      this.#counts.set(name, counted);
    }
    return counted.count;
  }
}

export function isBefore(
  one: Pick<Waiting, 'since' | 'key'>,
  other: Pick<Waiting, 'since' | 'key'>,
): boolean {
  return one.since < other.since || (one.since === other.since && one.key < other.key);
}

/** The waiting workloads that may begin now, the oldest first. */
export function* granted({ running, waiting }: Slots, now: number): Iterable<Waiting> {
  const room = new Room(running);
  for (const each of waiting) {
    // A workload whose rollout runs may begin the next one in its own slot.
    if (!isDue(each, now) || (!room.has(each.key) && room.full(each.budgets))) continue;
    room.take(each.key);
    yield each;
  }
}

/** The room for one workload after all that go before it have taken their slots, and the keys of those. */
export function roomFor(
  asking: Pick<Waiting, 'since' | 'key'>,
  { running, waiting }: Slots,
  now: number,
): { readonly room: Room; readonly running: readonly string[]; readonly before: readonly string[] } {
  const others = running.filter((key) => key !== asking.key);
  const room = new Room(others);
  const before: string[] = [];
  for (const each of waiting) {
    if (!isBefore(each, asking)) break;
    if (each.key === asking.key || room.has(each.key)) continue;
    if (!isDue(each, now) || room.full(each.budgets)) continue;
    room.take(each.key);
    before.push(each.key);
  }
  return { room, running: others, before };
}

function isDue({ from, looksAt }: Waiting, now: number): boolean {
  return from <= now && now < looksAt + TURN_MS;
}
