/** Windows in annotations: schedules, time zones and durations. */
import { closedBy } from '../../../packages/operator/src/reloader/windows/opening.ts';
import { readRestartWindow, readWindowsText } from '../../../packages/operator/src/reloader/windows/read.ts';
import { must, type Target } from '../target.ts';

const NOW = Date.UTC(2026, 9, 25, 0, 30);

export const schedules: Target = {
  name: 'schedules',
  code: ['reloader/windows/', 'operator/src/go/', 'croner'],
  longest: 1_200,
  words: [
    ...[
      '* * * * *',
      '*/5',
      '0-59/7',
      '29 2',
      '31',
      'MON-FRI',
      'FEB',
      '@daily',
      'L',
      '#',
      '?',
      'W',
      '1,2,3',
      '60',
      '24',
    ],
    ...[
      '"kind":"deny"',
      '"schedule":"0 2 * * 1-5"',
      '"duration":"3h"',
      '"timeZone":"Europe/Berlin"',
      'America/Sao_Paulo',
    ],
    ...[
      'Australia/Lord_Howe',
      'Asia/Beirut',
      '"from":"2026-12-20T00:00:00+01:00"',
      '"to":"2027-01-04T00:00:00Z"',
    ],
    ...[
      '168h',
      '1m',
      '1h1m1s',
      '9999999h',
      '- schedule: ',
      '\n  duration: ',
      '&a',
      '*a',
      '!!js',
      '<<: ',
      'UTC',
    ],
  ],
  seeds: [
    '[{"schedule":"0 2 * * 1-5","duration":"3h","timeZone":"Europe/Berlin"}]',
    '[{"kind":"deny","from":"2026-12-20T00:00:00+01:00","to":"2027-01-04T00:00:00+01:00"}]',
    '- kind: deny\n  schedule: "*/7 9-17 * * MON-FRI"\n  duration: 8h\n  timeZone: America/New_York\n',
    '{"timezone":"UTC","windows":[{"cron":"0 0 * * *","duration":"1h"}]}',
    '[{"schedule":"0 0 29 2 *","duration":"1m"},{"kind":"deny","schedule":"0 0 * * 0","duration":"168h"}]',
  ],
  run(input) {
    for (const { windows, problems } of [readWindowsText(input), readRestartWindow(input)]) {
      for (const { message } of problems) must(message !== '' && message.length < 500, 'a bad complaint');
      if (windows.length === 0) continue;
      const closed = closedBy([{ where: 'here', windows }], NOW);
      if (closed?.opensAt === undefined) continue;
      must(closed.opensAt > NOW, 'it opens in the past');
      if (closed.orLater) continue;
      must(
        closedBy([{ where: 'here', windows }], closed.opensAt) === undefined,
        'it is closed at the very time at which it opens',
      );
    }
  },
};
