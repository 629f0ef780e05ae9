/** Windows and deadlines, as the plan sees them. */
import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { Policy } from '../model/want.ts';
import { readWindows } from '../windows/read.ts';
import { ONE_SLOT_TAKEN, type ScheduleParts, scheduleInput } from './schedule.test.support.ts';
import { schedule } from './schedule.ts';

const at = (time: string): number => Date.parse(`2026-11-${time}Z`);
const DAY = 86_400_000;

const NIGHT = { schedule: '0 2 * * *', duration: '2h' };
const LUNCH = { kind: 'deny', schedule: '0 12 * * *', duration: '1h' };
const windowsOf = (...lists: readonly (readonly object[])[]): Pick<Policy, 'windows'> => ({
  windows: lists.map((list, index) => ({ where: `place ${index}`, windows: readWindows(list).windows })),
});

const when = (now: number, parts: ScheduleParts = {}) => schedule(scheduleInput(now, parts));

describe('a closed window', () => {
  const policy = windowsOf([NIGHT]);

  it('holds until it opens, and says where it stands', () => {
    expect(when(at('16T12:00:00'), { policy })).toMatchObject({
      why: 'window',
      until: at('17T02:00:00'),
      since: at('16T12:00:00'),
      message: 'Waits for its window: no allowing window is open in place 0',
    });
    expect(when(at('17T02:00:00'), { policy })).toEqual({ kind: 'now' });
  });

  it('does not hold what has begun', () => {
    expect(when(at('16T12:00:00'), { policy, begun: true })).toEqual({ kind: 'now' });
  });

  it('that denies says so', () => {
    expect(when(at('16T12:30:00'), { policy: windowsOf([LUNCH]) })).toMatchObject({
      until: at('16T13:00:00'),
      message: 'Waits for its window: a denying window is active in place 0',
    });
  });

  it('of any place holds', () => {
    const both = windowsOf([NIGHT], [{ schedule: '0 3 * * *', duration: '2h' }]);
    expect(when(at('17T02:30:00'), { policy: both })).toMatchObject({ until: at('17T03:00:00') });
    expect(when(at('17T03:30:00'), { policy: both })).toEqual({ kind: 'now' });
  });

  it('tells what else holds', () => {
    const { slots, budgets } = ONE_SLOT_TAKEN;
    expect(when(at('16T12:00:00'), { policy: { ...policy, budgets }, slots })).toMatchObject({
      why: 'window',
      also: [{ why: 'capped' }],
    });
  });
});

describe('maxWait', () => {
  const firstSeen = at('16T05:00:00');
  const policy = { ...windowsOf([NIGHT, LUNCH]), maxWaitMs: 3_600_000 };

  it('opens allowing windows when it is over', () => {
    expect(when(at('16T05:30:00'), { policy, firstSeen })).toMatchObject({
      until: at('16T06:00:00'),
      message: expect.stringContaining('or has waited for 1h (maxWait)'),
    });
    expect(when(at('16T06:00:00'), { policy, firstSeen })).toEqual({ kind: 'now' });
  });

  it('never opens a window that denies: that is overdue', () => {
    const lunch = at('16T12:30:00');
    expect(when(lunch, { policy, firstSeen })).toMatchObject({
      why: 'window',
      until: at('16T13:00:00'),
      warnings: [{ condition: 'Overdue', event: 'ReloadOverdue' }],
    });
    expect(when(at('16T11:30:00'), { policy, firstSeen: at('16T11:15:00') })).toMatchObject({
      until: at('16T13:00:00'),
    });
  });

  it('survives a restart of the operator, by the record', () => {
    const recorded = ledgerWith({ pendingSince: firstSeen / 1000 });
    expect(when(at('16T06:00:00'), { policy, recorded })).toEqual({ kind: 'now' });
  });

  it('ends no freeze, and no other wait', () => {
    const freezes = [{ place: 'cluster', until: undefined, reason: undefined }] as const;
    const late = at('16T08:00:00');
    expect(when(late, { policy: { ...policy, freezes }, firstSeen })).toMatchObject({
      why: 'frozen',
      warnings: [{ condition: 'Overdue' }],
    });
    const paused = {
      policy: { ...policy, pauseMs: DAY },
      recorded: ledgerWith({ reloadedAt: firstSeen / 1000 }),
    };
    expect(when(late, { ...paused, firstSeen })).toMatchObject({ why: 'paused' });
  });

  it('without one, thirty days are too long', () => {
    const freezes = [{ place: 'workload', until: undefined, reason: undefined }] as const;
    const held = when(firstSeen + DAY, { policy: { freezes }, firstSeen });
    expect(held).toMatchObject({ why: 'frozen', lookAt: firstSeen + 30 * DAY });
    expect(held).not.toHaveProperty('warnings');
    expect(when(firstSeen + 30 * DAY, { policy: { freezes }, firstSeen })).toMatchObject({
      warnings: [{ condition: 'Overdue', message: expect.stringContaining('30 days') }],
    });
  });
});

describe('windows that cannot be', () => {
  it('hold until they are put right, whatever the deadline', () => {
    const policy = { invalid: 'annotation x: [0].schedule "@daily" must have five fields', maxWaitMs: 1000 };
    expect(when(at('16T12:00:00'), { policy, firstSeen: 0 })).toMatchObject({
      why: 'invalid',
      until: undefined,
      message: expect.stringContaining('@daily'),
    });
  });

  it('are also those that never meet', () => {
    const policy = windowsOf([NIGHT], [{ schedule: '0 12 * * *', duration: '1h' }]);
    expect(when(at('16T10:00:00'), { policy })).toMatchObject({
      why: 'invalid',
      warnings: [{ condition: 'InvalidWindow', message: expect.stringContaining('place 0; place 1') }],
    });
  });
});

describe('a freeze with an end', () => {
  it('holds until then, and says why', () => {
    const until = at('16T18:00:00');
    const freezes = [{ place: 'namespace', until, reason: 'release night, by alice' }] as const;
    expect(when(at('16T12:00:00'), { policy: { freezes } })).toMatchObject({
      why: 'frozen',
      until,
      message: expect.stringContaining('on Namespace shop (release night, by alice)'),
    });
    expect(when(until, { policy: { freezes } })).toEqual({ kind: 'now' });
  });

  it('of several the longest holds, and it stops what has begun', () => {
    const [early, late] = [at('16T13:00:00'), at('16T14:00:00')];
    const freezes = [
      { place: 'workload', until: early, reason: undefined },
      { place: 'cluster', until: late, reason: undefined },
    ] as const;
    expect(when(at('16T12:00:00'), { policy: { freezes }, begun: true })).toMatchObject({ until: late });
  });
});
