import { ledgerWith, POLICY } from '../decide/decide.test.support.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { Policy } from '../model/want.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import type { ScheduleInput } from './types.ts';

export type ScheduleParts = Partial<Omit<ScheduleInput, 'policy' | 'pending' | 'now'>> & {
  readonly policy?: Partial<Policy>;
  /** Milliseconds since the epoch: when the change was seen first, and last. */
  readonly firstSeen?: number;
  readonly lastSeen?: number;
};

/** A change of this moment that only the given gates hold. */
export function scheduleInput(
  now: number,
  { policy, firstSeen = now, lastSeen = firstSeen, ...rest }: ScheduleParts = {},
): ScheduleInput {
  return {
    policy: { ...POLICY, settleMs: 0, ...policy },
    pending: { fingerprint: 'f', template: 't', firstSeen, lastSeen },
    recorded: ledgerWith(),
    workload: workloadFacts(),
    change: { id: 'k3v9x2mqpa', needsApproval: false, word: undefined, otherApproved: undefined },
    causes: () => 'Secret shop/db',
    mode: 'reload',
    slots: () => NO_SLOTS,
    passesCap: false,
    begun: false,
    now,
    ...rest,
  };
}

/** Another workload has the only slot. */
export const ONE_SLOT_TAKEN = {
  budgets: [{ name: 'one at a time', limit: 1, has: () => true }],
  slots: () => ({ running: ['Deployment/shop/a'], waiting: [] }),
};
