/** Budgets: each limits the number of concurrent rollouts; the oldest change goes first. */
import type { Budget } from '../../model/budget.ts';
import { parseWorkloadKey, refOf, workloadKey } from '../../model/workload.ts';
import { roomFor } from '../room.ts';
import { firstChange, type Gate } from './gate.ts';

const MOST_NAMED = 3;

export const capped: Gate = {
  why: 'capped',
  yieldsToNow: true,
  check(input) {
    const { policy, slots, workload, passesCap, now } = input;
    if (policy.budgets.length === 0 || passesCap) return undefined;
    const asking = { key: workloadKey(refOf(workload)), since: firstChange(input) };
    const { room, running, before } = roomFor(asking, slots(), now);
    const full = room.full(policy.budgets);
    if (!full) return undefined;
    return {
      until: undefined,
      message: cappedMessage(full, running.filter(full.has), before.filter(full.has)),
    };
  },
};

function cappedMessage(
  { name, limit }: Budget,
  running: readonly string[],
  before: readonly string[],
): string {
  const waits = [
    ...(running.length > 0 ? [`waits for ${namesOf(running)}`] : []),
    ...(before.length > 0 ? [`goes after ${namesOf(before)}, which waited for longer`] : []),
  ];
  return `${name} allows ${limit} at a time: ${waits.join(', and ')}`;
}

function namesOf(keys: readonly string[]): string {
  const names = keys.slice(0, MOST_NAMED).map((key) => {
    const { kind, namespace, name } = parseWorkloadKey(key);
    return `${kind} ${namespace}/${name}`;
  });
  return `${names.join(', ')}${keys.length > MOST_NAMED ? ` and ${keys.length - MOST_NAMED} more` : ''}`;
}
