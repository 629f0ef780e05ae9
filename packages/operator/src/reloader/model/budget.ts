/** Budgets: how many rollouts of one group of workloads may run at a time. */

/** As people write it: so many, or a share of the group. */
export type Concurrency = { readonly count: number } | { readonly percent: number };

export interface Budget {
  /** For people, and unique: `maxConcurrent of ReloaderConfig shop/db`. */
  readonly name: string;
  readonly limit: number;
  /** Whether the workload of this key belongs to the group. */
  readonly has: (key: string) => boolean;
}

/** A workload that could begin if fewer rollouts were running. */
export interface Waiting {
  readonly key: string;
  /** Milliseconds since the epoch: when the oldest of its changes was seen. */
  readonly since: number;
  /** Milliseconds since the epoch: from when on nothing but budgets holds it. */
  readonly from: number;
  /** Milliseconds since the epoch: when it looks for its slot next. */
  readonly looksAt: number;
  readonly budgets: readonly Budget[];
}

/** Who has a slot, and who waits for one, the oldest change first. */
export interface Slots {
  readonly running: readonly string[];
  readonly waiting: readonly Waiting[];
}

export const NO_SLOTS: Slots = { running: [], waiting: [] };

const LARGEST_COUNT = 10_000;

/** `3`, or `25%`. Undefined: neither. */
export function parseConcurrency(value: unknown): Concurrency | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const [, number = '', sign] = /^([1-9]\d{0,5})(%?)$/.exec(text) ?? [];
  const read = Number(number);
  if (number === '') return undefined;
  if (sign === '%') return read <= 100 ? { percent: read } : undefined;
  return read <= LARGEST_COUNT ? { count: read } : undefined;
}

/** Of a group of so many. A share is rounded up, so one may always begin. */
export function limitOf(concurrency: Concurrency, members: number): number {
  if ('count' in concurrency) return concurrency.count;
  return Math.max(1, Math.ceil((members * concurrency.percent) / 100));
}
