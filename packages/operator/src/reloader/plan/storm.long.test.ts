import { expect, it } from 'vitest';
import { fight } from './storm.test.support.ts';

const DAY = 86_400;

it.each([
  ['the default, 60/60', { perHour: 60, burst: 60 }, 1500],
  ['6/20', { perHour: 6, burst: 20 }, 164],
] as const)(
  'a source that changes every second for a day, with %s',
  (_, rate, most) => {
    const { reloads, warnings } = fight(rate, DAY);
    expect(reloads).toBeGreaterThan(0.9 * most);
    expect(reloads).toBeLessThanOrEqual(most);
    expect(warnings).toHaveLength(1);
  },
  600_000,
);
