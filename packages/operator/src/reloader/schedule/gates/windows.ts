/** Windows: reloads begin only while all windows that apply are open. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { type Closed, closedBy, onlyDenying } from '../../windows/opening.ts';
import type { Held, ScheduleInput, Warning } from '../types.ts';
import { firstChange, type Gate, timeText } from './gate.ts';

/** Windows that are never open together are a configuration error: waiting does not help. */
export const impossible: Gate = {
  why: 'invalid',
  check({ policy: { windows }, now }) {
    const closed = closedBy(windows, now);
    if (!closed || closed.opensAt !== undefined) return undefined;
    const places = windows.map(({ where }) => where).join('; ');
    const message = `These windows are never open at the same time, looked at for 35 days: ${places}. Let them overlap, or remove one`;
    return { until: undefined, message, warnings: [invalidWindow(message)] };
  },
};

export const window: Gate = {
  why: 'window',
  yieldsToNow: true,
  check(input) {
    const { policy, now } = input;
    const closed = closedBy(policy.windows, now);
    if (!closed) return undefined;
    const deadline = policy.maxWaitMs === undefined ? undefined : firstChange(input) + policy.maxWaitMs;
    if (deadline === undefined) return held(closed, closed.opensAt);
    const denying = onlyDenying(policy.windows);
    if (deadline <= now) {
      const denied = closedBy(denying, now);
      return denied && held(denied, denied.opensAt);
    }
    const afterDeadline = closedBy(denying, deadline);
    const released = afterDeadline ? afterDeadline.opensAt : deadline;
    const until = earlier(closed.opensAt, released);
    return held(closed, until, released === until ? policy.maxWaitMs : undefined);
  },
};

function held(
  { where, denied, orLater }: Closed,
  until: number | undefined,
  maxWaitMs?: number,
): Omit<Held, 'why'> {
  const state = denied ? 'a denying window is active' : 'no allowing window is open';
  const deadline = maxWaitMs === undefined ? '' : `, or has waited for ${timeText(maxWaitMs)} (maxWait)`;
  const late = orLater ? ', or later' : '';
  return {
    until,
    ...(orLater && { orLater }),
    message: `Waits for its window${late}${deadline}: ${state} in ${where}`,
  };
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

function invalidWindow(message: string): Warning {
  return { condition: 'InvalidWindow', event: 'InvalidWindow', message };
}

const DAY_MS = 24 * 3_600_000;
/** Without `maxWait`, a change that waits this long was probably forgotten. */
const LONGEST_UNSAID_WAIT_MS = 30 * DAY_MS;

/** When a change has waited for too long, in milliseconds since the epoch. */
export function overdueAt(input: ScheduleInput): number {
  return firstChange(input) + (input.policy.maxWaitMs ?? LONGEST_UNSAID_WAIT_MS);
}

export function overdue({ policy: { maxWaitMs } }: ScheduleInput, message: string): Warning {
  const limit =
    maxWaitMs === undefined
      ? `${LONGEST_UNSAID_WAIT_MS / DAY_MS} days (annotation ${FIXED_ANNOTATIONS.maxWait} or maxWait sets another limit)`
      : `${timeText(maxWaitMs)} (maxWait)`;
  return {
    condition: 'Overdue',
    event: 'ReloadOverdue',
    message: `A change waits for longer than ${limit}. ${message}`,
  };
}
