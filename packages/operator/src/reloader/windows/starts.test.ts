import { Cron } from 'croner';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scheduleProblem } from './cron.ts';
import { nextByArithmetic, timetableOf } from './starts.ts';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Asia/Kathmandu',
];

const item = (lowest: number, highest: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.integer({ min: lowest, max: highest }),
      fc.integer({ min: lowest, max: highest }),
      fc.integer({ min: 1, max: highest }),
      fc.constantFrom('*', '*', 'one', 'range', 'every', 'stepped'),
    )
    .map(([a, b, step, shape]) => {
      const range = `${Math.min(a, b)}-${Math.max(a, b)}`;
      if (shape === 'one') return String(a);
      if (shape === 'range') return range;
      if (shape === 'every') return `*/${step}`;
      return shape === 'stepped' ? `${range}/${step}` : '*';
    });
const list = (lowest: number, highest: number): fc.Arbitrary<string> =>
  fc.array(item(lowest, highest), { minLength: 1, maxLength: 2 }).map((items) => items.join(','));
const day = fc.oneof(list(0, 7), fc.constantFrom('MON-FRI', 'SUN', 'sat', 'MON,WED', '5-7'));
const month = fc.oneof(list(1, 12), fc.constantFrom('JAN', 'MAR-OCT', '*/3'));
const schedule = fc.tuple(list(0, 59), list(0, 23), list(1, 31), month, day).map((parts) => parts.join(' '));
const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });

it('arithmetic finds the starts that the library finds, or leaves them to it', () => {
  let decided = 0;
  fc.assert(
    fc.property(schedule, fc.constantFrom(...ZONES), moment, (text, timezone, now) => {
      if (scheduleProblem(text, timezone) !== undefined) return;
      const found = nextByArithmetic(timetableOf(text), timezone, now);
      if (found === undefined) return;
      decided += 1;
      const cron = new Cron(text.toUpperCase(), { timezone, mode: '5-part', paused: true });
      expect(new Date(found).toISOString()).toBe(cron.nextRun(new Date(now))?.toISOString());
    }),
    { numRuns: 600 },
  );
  expect(decided, 'most days are ordinary').toBeGreaterThan(300);
});
