/** Budgets: limits on the concurrent rollouts of a group of workloads. */

/** As users write it: a number, or a share of the group. */
export type Concurrency = { readonly count: number } | { readonly percent: number };

export interface Budget {
  /** Unique, for messages: `maxConcurrent of ReloaderConfig shop/db`. */
  readonly name: string;
  readonly limit: number;
  /** Whether the workload of this key belongs to the group. */
  readonly has: (key: string) => boolean;
}

/** A workload that waits for a slot. */
export interface Waiting {
  readonly key: string;
  /** Milliseconds since the epoch: when the oldest of its changes was seen. */
  readonly since: number;
  /** Milliseconds since the epoch: since when only budgets hold it. */
  readonly from: number;
  /** Milliseconds since the epoch: when it next checks for a slot. */
  readonly looksAt: number;
  readonly budgets: readonly Budget[];
}

/** The workloads that have a slot and those that wait for one, the oldest change first. */
export interface Slots {
  readonly running: readonly string[];
  readonly waiting: readonly Waiting[];
}

export const NO_SLOTS: Slots = { running: [], waiting: [] };

const LARGEST_COUNT = 10_000;

/** `3`, or `25%`. Undefined: the value is neither. */
export function parseConcurrency(value: unknown): Concurrency | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : '';
  const [, number = '', sign] = /^([1-9]\d{0,5})(%?)$/.exec(text) ?? [];
  const read = Number(number);
  if (number === '') return undefined;
  if (sign === '%') return read <= 100 ? { percent: read } : undefined;
  return read <= LARGEST_COUNT ? { count: read } : undefined;
}

/** The limit for a group with `members`. A percentage is rounded up to at least one. */
export function limitOf(concurrency: Concurrency, members: number): number {
  if ('count' in concurrency) return concurrency.count;
  return Math.max(1, Math.ceil((members * concurrency.percent) / 100));
}
