import { expect, test } from 'vitest';
import { agree } from './agreement.ts';

const FIRST = Number(process.env.SEED ?? 1);
const COUNT = 25;

test(`what-if and explain agree with what then happens, in ${COUNT} random clusters`, {
  timeout: 60_000,
}, async () => {
  let reloads = 0;
  let others = 0;
  for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
    const outcome = await agree(seed);
    reloads += outcome.reloads;
    others += outcome.others;
  }
  // Clusters without any reload would prove nothing.
  expect(reloads).toBeGreaterThan(COUNT / 2);
  expect(others).toBeGreaterThan(COUNT / 2);
});
