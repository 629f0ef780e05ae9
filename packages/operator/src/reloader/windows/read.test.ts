import { describe, expect, it, vi } from 'vitest';
import { readRestartWindow, readWindows, readWindowsText } from './read.ts';

const good = { schedule: '0 2 * * 1-5', duration: '3h' };

describe('windows', () => {
  it('allow, in UTC, unless they say otherwise', () => {
    expect(readWindows([good])).toEqual({
      windows: [{ kind: 'allow', schedule: '0 2 * * 1-5', durationMs: 10_800_000, timeZone: 'UTC' }],
      problems: [],
    });
  });

  it('may be once', () => {
    const once = { kind: 'deny', from: '2026-12-20T00:00:00+01:00', to: '2027-01-04T00:00:00+01:00' };
    const [from, to] = [Date.UTC(2026, 11, 19, 23), Date.UTC(2027, 0, 3, 23)];
    expect(readWindows([once])).toEqual({ windows: [{ kind: 'deny', from, to }], problems: [] });
  });

  it.each(['0 2 * * *', '*/15 9-17 * * MON-FRI', '0,30 0-6/2 1,15 jan,Jul 0,7', '5 4 * * sun', '0 0 29 2 *'])(
    'take the schedule %s',
    (schedule) => {
      expect(readWindows([{ ...good, schedule }]).problems).toEqual([]);
    },
  );

  it.each([
    ['@daily', 'five fields'],
    ['0 0 2 * * *', 'five fields'],
    ['', 'five fields'],
    ['0 2 L * *', 'day of the month'],
    ['0 2 * * 5#2', 'day of the week'],
    ['0 2 ? * *', 'day of the month'],
    ['60 2 * * *', 'minute'],
    ['0 24 * * *', 'hour'],
    ['0 2 0 * *', 'day of the month'],
    ['0 2 * 13 *', 'month'],
    ['0 2 * * 8', 'day of the week'],
    ['0 5-2 * * *', 'hour'],
    ['5/10 2 * * *', 'minute'],
    ['*/0 2 * * *', 'minute'],
    ['0 2 * * MO', 'day of the week'],
    ['0 0 30 2 *', 'never comes'],
    [`0${',0'.repeat(200)} 2 * * *`, 'more than 256'],
  ])('refuse the schedule %s', (schedule, why) => {
    const { windows, problems } = readWindows([{ ...good, schedule }]);
    expect(windows).toEqual([]);
    expect(problems).toEqual([{ path: '[0].schedule', message: expect.stringContaining(why) }]);
  });

  it.each([
    [{ ...good, timeZone: 'Berlin' }, '[0].timeZone'],
    [{ ...good, timeZone: '+01:00' }, '[0].timeZone'],
    [{ ...good, timeZone: 7 }, '[0].timeZone'],
    [{ ...good, duration: '30s' }, '[0].duration'],
    [{ ...good, duration: '169h' }, '[0].duration'],
    [{ ...good, duration: 'long' }, '[0].duration'],
    [{ ...good, duration: undefined }, '[0].duration'],
    [{ ...good, kind: 'maybe' }, '[0].kind'],
    [{ ...good, manualSync: true }, '[0]'],
    [{ ...good, from: '2026-12-20T00:00:00Z' }, '[0]'],
    [{ from: '2026-12-20T00:00:00Z', to: '2026-12-20T00:00:00Z' }, '[0].to'],
    [{ from: '2026-12-20T00:00:00', to: '2026-12-21T00:00:00Z' }, '[0].from'],
    [{ from: '2027-02-30T00:00:00Z', to: '2027-03-05T00:00:00Z' }, '[0].from'],
    [{ from: '2027-02-28T00:00:00+01:00', to: '2027-04-31T00:00:00+01:00' }, '[0].to'],
    [{ duration: '1h' }, '[0].schedule'],
    ['0 2 * * *', '[0]'],
  ])('refuse %o', (entry, path) => {
    const { windows, problems } = readWindows([entry]);
    expect(windows).toEqual([]);
    expect(problems.map((problem) => problem.path)).toEqual([path]);
  });

  it('are sixteen at most, and a list', () => {
    expect(readWindows(Array.from({ length: 17 }, () => good)).problems).toMatchObject([{ path: '' }]);
    expect(readWindows({}).problems).toMatchObject([{ message: 'must be a list of windows' }]);
    expect(readWindows([])).toEqual({ windows: [], problems: [] });
  });
});

describe('as an annotation', () => {
  it('are YAML or JSON', () => {
    const yaml = '- kind: deny\n  schedule: "0 9 * * 1-5"\n  duration: 8h\n  timeZone: Europe/Berlin\n';
    expect(readWindowsText(yaml).windows).toMatchObject([{ kind: 'deny', timeZone: 'Europe/Berlin' }]);
    expect(readWindowsText(JSON.stringify([good])).windows).toHaveLength(1);
  });

  it.each(['{', '- &a [*a, *a]', 'x'.repeat(9000), '"text"'])('are refused where they are %s', (text) => {
    expect(readWindowsText(text)).toMatchObject({ windows: [], problems: [{ path: '' }] });
  });
});

describe('as restart-window', () => {
  it('have one time zone', () => {
    const text = '{"timezone":"Asia/Beirut","windows":[{"cron":"0 0 * * *","duration":"1h"}]}';
    expect(readRestartWindow(text)).toEqual({
      windows: [{ kind: 'allow', schedule: '0 0 * * *', durationMs: 3_600_000, timeZone: 'Asia/Beirut' }],
      problems: [],
    });
  });

  it.each([
    ['[]', ''],
    ['{"windows":[{"cron":"0 0 * * *","duration":"1h"}]}', '.timezone'],
    ['{"timezone":"UTC","windows":7}', '.windows'],
    ['{"timezone":"Nowhere","windows":[{"cron":"0 0 * * *","duration":"1h"}]}', '.timezone'],
    ['{"timezone":"UTC","windows":[{"cron":"@daily","duration":"1h"}]}', '.windows[0].cron'],
    ['{"timezone":"UTC","zone":"UTC","windows":[]}', ''],
  ])('refuse %s', (text, path) => {
    expect(readRestartWindow(text).problems.map((problem) => problem.path)).toEqual([path]);
  });
});

describe('what the YAML library would warn of', () => {
  it.each(['- !secret x', '- *akind: deny', '{"windows":!!jsn "x"}'])('is not printed: %s', (text) => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    try {
      readWindowsText(text);
      expect(warned).not.toHaveBeenCalled();
    } finally {
      warned.mockRestore();
    }
  });
});

describe('a text that is made to exhaust its reader', () => {
  it.each([
    ['brackets', '['.repeat(8000)],
    ['braces', '{a: '.repeat(2000)],
    ['lists in lists', '- '.repeat(4000)],
    ['keys of keys', '? '.repeat(4000)],
    ['aliases', `- &a {schedule: "* * * * *"}\n${'- *a\n'.repeat(1000)}`],
  ])('%s is refused and not parsed', (_, text) => {
    expect(readWindowsText(text)).toEqual({
      windows: [],
      problems: [{ path: '', message: 'is not the YAML or JSON that is expected here' }],
    });
  });
});
