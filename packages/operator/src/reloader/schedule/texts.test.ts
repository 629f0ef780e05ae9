/** The exact messages while a change waits: which objects, commands and settings they name. */
import { describe, expect, it, test } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { Policy } from '../model/want.ts';
import { readWindows } from '../windows/read.ts';
import { timeText } from './gates/gate.ts';
import { type ScheduleParts, scheduleInput } from './schedule.test.support.ts';
import { schedule } from './schedule.ts';
import type { Later } from './types.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const DAY = 86_400_000;
const NIGHT = { schedule: '0 2 * * *', duration: '2h' };

function held(parts: ScheduleParts, now = NOW): Later {
  const result = schedule(scheduleInput(now, parts));
  if (result.kind !== 'later') throw new Error('Nothing holds it');
  return result;
}

const windowsOf = (...lists: readonly (readonly object[])[]): Pick<Policy, 'windows'> => ({
  windows: lists.map((list, index) => ({ where: `place ${index}`, windows: readWindows(list).windows })),
});

const CHANGE = { id: 'k3v9x2mqpa', needsApproval: true, word: undefined, otherApproved: undefined };

describe('approval', () => {
  it('names the change, the command and the annotation', () => {
    expect(held({ change: CHANGE })).toMatchObject({
      why: 'approval',
      until: undefined,
      message:
        'Waits for the approval of change k3v9x2mqpa: reloader approve deployment/web -n shop --change k3v9x2mqpa, or annotation reloader.stakater.com/approve: k3v9x2mqpa on the workload',
    });
  });

  it('is not asked for while changes still come, and after that it is', () => {
    const parts = {
      change: CHANGE,
      policy: { settleMs: 10_000, settleMaxMs: 60_000 },
      firstSeen: NOW - 5_000,
    };
    expect(held(parts)).toMatchObject({ why: 'settling' });
    expect(held(parts, NOW + 5_000)).toMatchObject({ why: 'approval' });
  });

  it('of another change is told, and a long name is cut', () => {
    const otherApproved = 'x'.repeat(100);
    expect(held({ change: { ...CHANGE, otherApproved } }).warnings).toEqual([
      {
        event: 'ApprovalForOtherChange',
        message: expect.stringMatching(
          /^"x{10,90}" was approved, and k3v9x2mqpa is the change that waits: other content, or another reload$/,
        ),
      },
    ]);
    expect(held({ change: CHANGE })).not.toHaveProperty('warnings');
  });
});

describe('the rate', () => {
  const policy = { rateLimit: { perHour: 6, burst: 1 } };

  it('names the limit, the sources, and the command that lets one through', () => {
    const recorded = { ...ledgerWith(), rateClock: NOW + 500_000 };
    const message =
      'Reloaded too often: 6 an hour after 1 at once (annotation reloader.stakater.com/rate-limit, rateLimit or --reload-rate)';
    const later = held({ policy, recorded });
    expect(later).toMatchObject({ why: 'rate', message });
    expect(later.warnings).toEqual([
      {
        condition: 'RateLimited',
        event: 'ReloadRateLimited',
        message: `${message}. It changes again and again: Secret shop/db. Find out who writes it; "reloader now deployment/web -n shop" lets one reload through`,
      },
    ]);
  });

  it('holds nothing that was never reloaded, nor one whose time has come', () => {
    expect(schedule(scheduleInput(NOW, { policy }))).toEqual({ kind: 'now' });
    const until = held({ policy, recorded: { ...ledgerWith(), rateClock: NOW + 500_000 } }).until ?? 0;
    const recorded = { ...ledgerWith(), rateClock: NOW + 500_000 };
    expect(schedule(scheduleInput(until, { policy, recorded }))).toEqual({ kind: 'now' });
    expect(schedule(scheduleInput(until - 1, { policy, recorded }))).toMatchObject({ why: 'rate', until });
  });
});

describe('windows', () => {
  it('that never meet are named, as a condition and an Event', () => {
    const message =
      'These windows are never open at the same time, looked at for 35 days: place 0; place 1. Let them overlap, or remove one';
    const later = held({ policy: windowsOf([NIGHT], [{ schedule: '0 12 * * *', duration: '1h' }]) });
    expect(later).toMatchObject({ why: 'invalid', until: undefined, message });
    expect(later.warnings).toEqual([{ condition: 'InvalidWindow', event: 'InvalidWindow', message }]);
  });

  it('say where they are closed, and when a deadline comes first', () => {
    const policy = windowsOf([NIGHT]);
    expect(held({ policy }).message).toBe('Waits for its window: no allowing window is open in place 0');
    expect(held({ policy: { ...policy, maxWaitMs: 3_600_000 } })).toMatchObject({
      until: NOW + 3_600_000,
      message: 'Waits for its window, or has waited for 1h (maxWait): no allowing window is open in place 0',
    });
    // The window opens before the deadline.
    expect(held({ policy: { ...policy, maxWaitMs: 2 * DAY } })).toMatchObject({
      until: Date.parse('2026-11-17T02:00:00Z'),
      message: 'Waits for its window: no allowing window is open in place 0',
    });
  });
});

describe('what is overdue', () => {
  const freezes = [{ place: 'workload', until: undefined, reason: undefined }] as const;

  it('is told with its limit, the one that was set or thirty days', () => {
    const after = (ms: number, policy: Partial<Policy>): Later =>
      held({ policy: { freezes, ...policy }, firstSeen: NOW - ms });
    const { message } = after(0, {});
    expect(after(30 * DAY, {}).warnings).toEqual([
      {
        condition: 'Overdue',
        event: 'ReloadOverdue',
        message: `A change waits for longer than 30 days (annotation reloader.stakater.com/max-wait or maxWait sets another limit). ${message}`,
      },
    ]);
    expect(after(60_000, { maxWaitMs: 60_000 }).warnings).toEqual([
      {
        condition: 'Overdue',
        event: 'ReloadOverdue',
        message: `A change waits for longer than 1m (maxWait). ${message}`,
      },
    ]);
    expect(after(59_999, { maxWaitMs: 60_000 })).toMatchObject({ lookAt: NOW + 1 });
  });
});

test.each([
  [500, '0.5s'],
  [30_000, '30s'],
  [90_000, '90s'],
  [900_000, '15m'],
  [5_400_000, '90m'],
  [7_200_000, '2h'],
])('a time of %i ms is written as %s', (ms, text) => {
  expect(timeText(ms)).toBe(text);
});
