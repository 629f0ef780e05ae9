/**
 * The schedule: changes, noise and kills in a random order that a seed repeats. Pure.
 *
 * Kills come a random time after a change, so that they hit the operator anywhere between the event and its last write
 * about it; sometimes they hit it while it starts, or while the API server is down.
 */
import type { Random } from '@reloader/runtime/testing';

export interface PlanOptions {
  readonly changes: number;
  readonly operatorKills: number;
  readonly serverKills: number;
  /** None unless given. */
  readonly etcdKills?: number;
  /** Milliseconds between two changes, on average. */
  readonly pace: number;
}

export type Step =
  | { readonly act: 'change'; readonly delay: number }
  /**
   * Actions that must restart nothing: `touch` a source without changing its content, `scale`, change an `idle` source.
   */
  | { readonly act: 'touch' | 'scale' | 'idle'; readonly delay: number }
  | { readonly act: 'kill-operator' | 'kill-etcd'; readonly delay: number; readonly down: number }
  | {
      readonly act: 'kill-server';
      readonly delay: number;
      readonly down: number;
      /** The operator is killed as well, and restarts before the server is ready. */
      readonly withOperator: boolean;
    };

/** The operator needs about half a second to start: some kills hit it during that. */
const LONGEST_WAIT = 400;
const LONGEST_OPERATOR_OUTAGE = 1_500;
const LONGEST_SERVER_OUTAGE = 2_000;
const NOISE = 0.15;

export function planOf(options: PlanOptions, random: Random): Step[] {
  const { changes, operatorKills, serverKills, etcdKills = 0, pace } = options;
  const after = new Map<number, Step[]>();
  const put = (place: number, step: Step): void => {
    after.set(place, [...(after.get(place) ?? []), step]);
  };
  let alone = operatorKills;
  spread(serverKills, changes, random).forEach((place, index) => {
    const outage = { delay: random.int(LONGEST_WAIT), down: random.int(LONGEST_SERVER_OUTAGE) };
    const withOperator = index % 2 === 0 && alone > 0;
    if (withOperator) alone -= 1;
    put(place, { act: 'kill-server', ...outage, withOperator });
  });
  spread(alone, changes, random).forEach((place, index) => {
    const delay = random.int(LONGEST_WAIT);
    // Every third restarts at once, as a kubelet restarts a crashed container; the others stay down for a while.
    const down = index % 3 === 0 ? 0 : random.int(LONGEST_OPERATOR_OUTAGE);
    put(place, { act: 'kill-operator', delay, down });
  });
  spread(etcdKills, changes, random).forEach((place) => {
    const outage = { delay: random.int(LONGEST_WAIT), down: random.int(LONGEST_SERVER_OUTAGE) };
    put(place, { act: 'kill-etcd', ...outage });
  });
  return Array.from({ length: changes }, (_, index): Step[] => [
    { act: 'change', delay: Math.min(random.exponential(pace), 4 * pace) },
    ...(random.chance(NOISE) ? [{ act: random.pick(['touch', 'scale', 'idle'] as const), delay: 0 }] : []),
    ...(after.get(index) ?? []),
  ]).flat();
}

/** Positions across the run, one in each of `count` equal parts, and none in its last twentieth. */
function spread(count: number, length: number, random: Random): number[] {
  const part = (length * 0.95) / count;
  return Array.from({ length: count }, (_, index) => Math.floor((index + random.next()) * part));
}
