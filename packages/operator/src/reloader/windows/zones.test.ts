/** Daylight saving time by a table, under three time zones of the process: they must not matter. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closedBy } from './opening.ts';
import { readWindows } from './read.ts';
import { ZONE_CASES, type ZoneCase } from './zones.test.support.ts';

const MINUTE = 60_000;

/** Every change between open and closed, minute by minute, without computing starts and ends. */
function activity({ timeZone, schedule, duration, between }: ZoneCase): string[][] {
  const { windows, problems } = readWindows([{ schedule, duration, timeZone }]);
  expect(problems).toEqual([]);
  const sets = [{ where: 'here', windows }];
  const [from, to] = between.map((time) => Date.parse(time)) as [number, number];
  const found: string[][] = [];
  let since: number | undefined;
  for (let moment = from; moment <= to; moment += MINUTE) {
    const isOpen = closedBy(sets, moment) === undefined;
    if (isOpen) since ??= moment;
    else if (since !== undefined) {
      found.push([iso(since), iso(moment)]);
      since = undefined;
    }
  }
  return found;
}

const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

describe('a window around the change of clocks', () => {
  it.each(ZONE_CASES)('$what', (zoneCase) => {
    expect(activity(zoneCase)).toEqual(zoneCase.active);
  });

  it.each(ZONE_CASES)('$what: what closed says is when it opens', (zoneCase) => {
    const { schedule, duration, timeZone } = zoneCase;
    const { windows } = readWindows([{ schedule, duration, timeZone }]);
    const sets = [{ where: 'here', windows }];
    let moment = Date.parse(zoneCase.between[0]);
    for (const [start, end] of zoneCase.active) {
      expect(iso(closedBy(sets, moment)?.opensAt ?? 0)).toBe(start);
      expect(closedBy(sets, Date.parse(end) - 1)).toBeUndefined();
      moment = Date.parse(end);
    }
  });
});

describe('wherever the operator runs', () => {
  const home = process.env.TZ;
  afterEach(() => {
    if (home === undefined) delete process.env.TZ;
    else process.env.TZ = home;
  });

  const OFFSETS = { UTC: 0, 'America/New_York': 300, 'Australia/Lord_Howe': -660 };

  it.each(Object.entries(OFFSETS))('in %s, it starts at the same moments', async (zone, offset) => {
    process.env.TZ = zone;
    expect(new Date(Date.UTC(2026, 0, 1)).getTimezoneOffset(), 'this process is there').toBe(offset);
    // With empty caches.
    vi.resetModules();
    const { startAfter } = await import('./cron.ts');
    for (const { between, active, schedule, timeZone, what } of ZONE_CASES) {
      let moment = Date.parse(between[0]);
      for (const [start] of active) {
        moment = startAfter({ schedule, timeZone }, moment) ?? 0;
        expect(iso(moment), what).toBe(start);
      }
    }
  });
});
