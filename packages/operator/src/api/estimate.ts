/**
 * When the last of many reloads would be through, as far as the past tells: each rollout takes as long as the ones
 * before it took. Pure. It is an estimate, and everybody who shows it says so.
 */
import type { Budget } from '../reloader/model/budget.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import { Room } from '../reloader/schedule/room.ts';

export interface Expected {
  readonly key: string;
  /** Milliseconds since the epoch: the earliest time at which it may begin. */
  readonly at: number;
  readonly budgets: readonly Budget[];
  readonly rolloutMs: number;
}

/** Milliseconds since the epoch: when each begins. `running` are those that hold slots now, and end all at once. */
export function beginnings(
  expected: readonly Expected[],
  running: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const begun = new Map<string, number>();
  const ends = new Map(running);
  let open = [...expected].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  let now = open[0]?.at ?? 0;
  while (open.length > 0) {
    for (const [key, end] of ends) if (end <= now) ends.delete(key);
    const room = new Room([...ends.keys()]);
    const still: Expected[] = [];
    for (const each of open) {
      if (each.at > now || room.full(each.budgets)) {
        still.push(each);
        continue;
      }
      room.take(each.key);
      begun.set(each.key, now);
      ends.set(each.key, now + each.rolloutMs);
    }
    open = still;
    const next = Math.min(...ends.values(), ...open.map(({ at }) => at).filter((at) => at > now));
    // Nothing ends and nothing comes: a budget of nothing, which no schema allows.
    if (open.length > 0 && !Number.isFinite(next)) return begun;
    now = Math.max(next, now + 1);
  }
  return begun;
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
