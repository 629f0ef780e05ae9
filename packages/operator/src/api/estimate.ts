/**
 * When the last of many reloads would be through, as far as the past tells: each rollout takes as long as the ones
 * before it took, and all of them end well. Windows, budgets, waves and canaries are heeded. Pure. It is an estimate, and
 * everybody who shows it says so.
 */
import type { Budget } from '../reloader/model/budget.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import { Room } from '../reloader/schedule/room.ts';
import { type CanaryPlace, Turns, type WavePlace } from './turns.ts';

export interface Expected {
  readonly key: string;
  /** Milliseconds since the epoch: the earliest time at which it may begin; `Infinity`: nobody can say. */
  readonly at: number;
  readonly budgets: readonly Budget[];
  readonly rolloutMs: number;
  readonly wave?: WavePlace;
  readonly canary?: CanaryPlace;
  readonly windows?: Windows;
}

export interface Windows {
  /** Those with the same name open at the same times. */
  readonly name: string;
  /** Milliseconds since the epoch: the first moment from this one on at which they are open. */
  readonly openFrom: (moment: number) => number | undefined;
}

/** Workloads that begin one after the other, because the same holds all of them. */
interface Lane {
  /** In order. */
  readonly queue: readonly Expected[];
  next: number;
  /** Its windows are closed before. */
  opensAt: number;
}

/** Milliseconds since the epoch: when each begins. `running` are those that hold slots now, and when they end. */
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

/** How long rollouts took, in milliseconds: the middle of those that ended well; undefined without any. */
export function usualRolloutMs(histories: Iterable<WorkloadHistory | undefined>): number | undefined {
  const taken = [...histories]
    .flatMap((history) => history?.reloads ?? [])
    .flatMap(({ result, rollout }) =>
      result === 'succeeded' && rollout !== undefined ? [rollout * 1000] : [],
    )
    .sort((a, b) => a - b);
  return taken[Math.floor(taken.length / 2)];
}
