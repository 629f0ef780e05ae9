import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOf } from './json.ts';

test('is what JSON.stringify writes, for every answer', async () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const answers = fc.oneof(fc.dictionary(fc.string(), fc.oneof(value, fc.array(value))), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      expect(await jsonOf(answer)).toBe(JSON.stringify(answer));
    }),
    { numRuns: 200 },
  );
});

test('yields the event loop while it writes a long one', async () => {
  const items = Array.from({ length: 60_000 }, (_, at) => ({ at, text: 'x'.repeat(200) }));
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  const text = await jsonOf({ items });
  clearImmediate(next);
  expect(JSON.parse(text)).toEqual({ items });
  expect(turns).toBeGreaterThan(0);
});
