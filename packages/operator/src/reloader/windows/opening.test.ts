import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WindowSet } from '../model/window.ts';
import { startAfter } from './cron.ts';
import { closedBy, onlyDenying } from './opening.ts';
import { readWindows } from './read.ts';

const at = (time: string): number => Date.parse(`2026-11-16T${time}Z`);

function sets(...lists: readonly object[][]): WindowSet[] {
  return lists.map((list, index) => {
    const { windows, problems } = readWindows(list);
    expect(problems).toEqual([]);
    return { where: `place ${index}`, windows };
  });
}

const night = { schedule: '0 2 * * *', duration: '2h' };
const lunch = { kind: 'deny', schedule: '0 12 * * *', duration: '1h' };

describe('windows', () => {
  it('without any, it is open', () => {
    expect(closedBy([], at('12:00:00'))).toBeUndefined();
  });

  it('one that allows is open from its start, and no longer at its end', () => {
    const one = sets([night]);
    expect(closedBy(one, at('01:59:59.999'))).toEqual({
      where: 'place 0',
      denied: false,
      opensAt: at('02:00:00'),
    });
    expect(closedBy(one, at('02:00:00'))).toBeUndefined();
    expect(closedBy(one, at('03:59:59.999'))).toBeUndefined();
    expect(closedBy(one, at('04:00:00'))?.opensAt).toBe(at('02:00:00') + 86_400_000);
  });

  it('any allowing one of a place is enough', () => {
    const two = sets([night, { schedule: '0 5 * * *', duration: '1h' }]);
    expect(closedBy(two, at('05:30:00'))).toBeUndefined();
    expect(closedBy(two, at('04:30:00'))?.opensAt).toBe(at('05:00:00'));
  });

  it('one that denies wins over all, and leaves the rest of the day alone', () => {
    const one = sets([lunch]);
    expect(closedBy(one, at('11:00:00'))).toBeUndefined();
    expect(closedBy(one, at('12:30:00'))).toEqual({
      where: 'place 0',
      denied: true,
      opensAt: at('13:00:00'),
    });
    expect(closedBy(sets([{ schedule: '0 12 * * *', duration: '2h' }, lunch]), at('12:30:00'))?.denied).toBe(
      true,
    );
  });

  it('denying ones that overlap count as one', () => {
    const chain = sets([lunch, { kind: 'deny', schedule: '30 12 * * *', duration: '2h' }]);
    expect(closedBy(chain, at('12:10:00'))?.opensAt).toBe(at('14:30:00'));
  });

  it('all places must be open', () => {
    const both = sets([{ schedule: '0 1 * * *', duration: '2h' }], [night]);
    expect(closedBy(both, at('01:30:00'))).toEqual({
      where: 'place 1',
      denied: false,
      opensAt: at('02:00:00'),
    });
    expect(closedBy(both, at('02:30:00'))).toBeUndefined();
    expect(closedBy(both, at('03:30:00'))?.opensAt).toBe(at('02:00:00') + 86_400_000);
  });

  it('that never overlap never open, and the search ends after 35 days', () => {
    const apart = sets([night], [{ schedule: '0 12 * * *', duration: '1h' }]);
    expect(closedBy(apart, at('00:00:00'))).toMatchObject({ opensAt: undefined });
    const past = sets([{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }]);
    expect(closedBy(past, at('00:00:00'))).toMatchObject({ opensAt: undefined });
  });

  it('that never meet although they come every hour never open', () => {
    const apart = sets([
      { schedule: '0 * * * *', duration: '10m', timeZone: 'Europe/Berlin' },
      { kind: 'deny', schedule: '0 * * * *', duration: '30m', timeZone: 'Europe/Berlin' },
    ]);
    expect(closedBy(apart, at('00:40:00'))).toEqual({ where: 'place 0', denied: false, opensAt: undefined });
    // The clocks change in between.
    expect(closedBy(apart, Date.UTC(2027, 2, 1))?.opensAt).toBeUndefined();
  });

  it('that come once a quarter may be far away, and such that never meet never open', () => {
    const quarterly = { schedule: '0 2 1 */3 *', duration: '4h' };
    expect(closedBy(sets([quarterly]), at('00:00:00'))?.opensAt).toBe(Date.UTC(2027, 0, 1, 2));
    const night = { schedule: '0 5 * * *', duration: '2h' };
    expect(closedBy(sets([quarterly], [night]), at('00:00:00'))?.opensAt).toBe(Date.UTC(2027, 0, 1, 5));
    const summer = { schedule: '0 2 1 7 *', duration: '4h' };
    const winter = { schedule: '0 2 1 1 *', duration: '4h' };
    expect(closedBy(sets([summer], [winter]), at('00:00:00'))).toMatchObject({ opensAt: undefined });
  });

  it('single ones may be far away', () => {
    const year = sets([night, { kind: 'deny', from: '2026-11-01T00:00:00Z', to: '2027-11-01T00:00:00Z' }]);
    expect(closedBy(year, at('00:00:00'))?.opensAt).toBe(Date.UTC(2027, 10, 1, 2));
    const later = sets([{ from: '2027-06-01T00:00:00Z', to: '2027-06-02T00:00:00Z' }]);
    expect(closedBy(later, at('00:00:00'))?.opensAt).toBe(Date.UTC(2027, 5, 1));
  });

  it('that just miss each other every minute do not cost much time', () => {
    const odd = sets(
      [{ schedule: '*/2 * * * *', duration: '1m' }],
      [{ schedule: '1-59/2 * * * *', duration: '1m' }],
    );
    expect(closedBy(odd, at('00:00:30'))).toMatchObject({ orLater: true });
  });

  it('in so many zones that the search for a common moment would take long end it early', () => {
    const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.startsWith('America/'));
    const inZones = (from: number, minute: number) =>
      zones
        .slice(from, from + 16)
        .map((timeZone) => ({ schedule: `${minute} 5 * * *`, duration: '1m', timeZone }));
    expect(closedBy(sets(inZones(0, 7), inZones(16, 8)), at('00:00:30'))).toMatchObject({ orLater: true });
    const daily = { schedule: '0 2 * * *', duration: '1h' };
    const places = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Sydney'];
    const few = sets(...places.map((timeZone) => [{ ...daily, timeZone }]));
    expect(closedBy(few, at('00:00:30'))).toMatchObject({ opensAt: undefined });
  });

  it('count the days of a zone that have to be found out', () => {
    const spent = (schedule: string): number => {
      const meter = { spent: 0 };
      startAfter({ schedule, timeZone: 'Asia/Yekaterinburg' }, at('00:00:00'), meter);
      return meter.spent;
    };
    expect(spent('0 2 1 4 *')).toBeGreaterThan(1000);
    expect(spent('0 3 2 4 *')).toBeGreaterThan(100);
    expect(spent('0 4 2 4 *')).toBeLessThan(20);
  });

  it('after the deadline only those that deny are left', () => {
    expect(
      onlyDenying(sets([night], [night, lunch])).map(({ where, windows }) => [where, windows.length]),
    ).toEqual([['place 1', 1]]);
  });
});

describe('whatever the windows', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
  const schedule = fc
    .tuple(fc.nat({ max: 59 }), fc.nat({ max: 23 }), fc.constantFrom('*', '1-5', '0,6'))
    .map(([minute, hour, days]) => `${minute} ${hour} * * ${days}`);
  const window = fc.record({
    kind: fc.constantFrom('allow', 'deny'),
    schedule,
    duration: fc.integer({ min: 1, max: 2000 }).map((minutes) => `${minutes}m`),
    timeZone: zone,
  });
  const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });

  it('it is closed until the time that it says, and open then', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(window, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        moment,
        (lists, now) => {
          const some = sets(...lists);
          const closed = closedBy(some, now);
          if (!closed || closed.opensAt === undefined) return;
          expect(closed.opensAt).toBeGreaterThan(now);
          if (!closed.orLater) expect(closedBy(some, closed.opensAt)).toBeUndefined();
          expect(closedBy(some, closed.opensAt - 1)).toBeDefined();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('the next start does not depend on what was asked before', () => {
    fc.assert(
      fc.property(
        schedule,
        zone,
        fc.array(moment, { minLength: 2, maxLength: 6 }),
        (text, timeZone, moments) => {
          for (const now of moments) {
            const next = startAfter({ schedule: text, timeZone }, now) ?? 0;
            expect(next).toBeGreaterThan(now);
            expect(startAfter({ schedule: text, timeZone }, next - 1)).toBe(next);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
