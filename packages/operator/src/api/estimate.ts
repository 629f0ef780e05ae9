/**
 * Estimates when the last of many reloads would be complete. Assumes that each rollout takes as long as earlier ones
 * took, and that all succeed. Respects windows, budgets, waves and canaries. Pure. Callers present the result as an
 * estimate.
 */
import type { Budget } from '../reloader/model/budget.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import { Room } from '../reloader/schedule/room.ts';
import { type CanaryPlace, Turns, type WavePlace } from './turns.ts';

export interface Expected {
  readonly key: string;
  /** Milliseconds since the epoch: the earliest time at which it may begin; `Infinity` if it is unknown. */
  readonly at: number;
  readonly budgets: readonly Budget[];
  readonly rolloutMs: number;
  readonly wave?: WavePlace;
  readonly canary?: CanaryPlace;
  readonly windows?: Windows;
}

export interface Windows {
  /** Windows with the same name open at the same times. */
  readonly name: string;
  /** Milliseconds since the epoch: the first time, from `moment` on, at which the windows are open. */
  readonly openFrom: (moment: number) => number | undefined;
}

/** Workloads that begin one after the other, because the same limits apply to all of them. */
interface Lane {
  /** In the order in which they begin. */
  readonly queue: readonly Expected[];
  next: number;
  /** The time before which its windows are closed. */
  opensAt: number;
}

/**
 * Milliseconds since the epoch: when each begins. `running` has the workloads that hold slots now, and when they end.
 */
export function beginnings(
  expected: readonly Expected[],
  running: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const begun = new Map<string, number>();
  const ends = new Map(running);
  const turns = new Turns(expected);
  const lanes = lanesOf(expected);
  let now = Math.min(...expected.map(({ at }) => at));
  while (Number.isFinite(now)) {
    for (const [key, end] of ends) {
      if (end > now) continue;
      ends.delete(key);
      turns.end(key, end);
    }
    const room = new Room([...ends.keys()]);
    const tryHead = (lane: Lane): boolean => {
      const head = lane.queue[lane.next];
      if (!head || !mayBegin(head, lane, now) || room.full(head.budgets) || !turns.isNow(head, now))
        return false;
      lane.next += 1;
      room.take(head.key);
      turns.begin(head);
      begun.set(head.key, now);
      ends.set(head.key, now + head.rolloutMs);
      return true;
    };
    for (let active = lanes; active.length > 0; ) active = active.sort(byHead).filter(tryHead);
    if (begun.size === expected.length) return begun;
    const heads = lanes.map((lane) => Math.max(lane.queue[lane.next]?.at ?? Infinity, lane.opensAt));
    now = Math.min(...[...ends.values(), ...heads, ...turns.times()].filter((time) => time > now));
  }
  return begun;
}

function lanesOf(expected: readonly Expected[]): Lane[] {
  const queues = new Map<string, Expected[]>();
  for (const each of expected) {
    const { budgets, wave, canary, windows, key } = each;
    const name = JSON.stringify([budgets.map((budget) => budget.name), wave, windows?.name, canary && key]);
    const queue = queues.get(name);
    if (queue) queue.push(each);
    else queues.set(name, [each]);
  }
  return [...queues.values()].map((queue) => ({ queue: queue.sort(byAge), next: 0, opensAt: 0 }));
}

function byAge(a: Expected, b: Expected): number {
  return a.at === b.at ? (a.key < b.key ? -1 : 1) : a.at - b.at;
}

/** The oldest change goes first. */
function byHead(a: Lane, b: Lane): number {
  const [one, other] = [a.queue[a.next], b.queue[b.next]];
  return one && other ? byAge(one, other) : Number(other !== undefined) - Number(one !== undefined);
}

function mayBegin({ at, windows }: Expected, lane: Lane, now: number): boolean {
  if (at > now || lane.opensAt > now) return false;
  lane.opensAt = windows ? (windows.openFrom(now) ?? Infinity) : 0;
  return lane.opensAt <= now;
}

/** The median duration of the successful rollouts in milliseconds; undefined if there are none. */
export function usualRolloutMs(histories: Iterable<WorkloadHistory | undefined>): number | undefined {
  const taken = [...histories]
    .flatMap((history) => history?.reloads ?? [])
    .flatMap(({ result, rollout }) =>
      result === 'succeeded' && rollout !== undefined ? [rollout * 1000] : [],
    )
    .sort((a, b) => a - b);
  return taken[Math.floor(taken.length / 2)];
}
