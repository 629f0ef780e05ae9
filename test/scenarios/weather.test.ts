/**
 * R1, R2, R4 to R7 and C6 through the whole stack: watches end, break and fall silent, requests are refused, lost and
 * delayed, bodies arrive in pieces. After the faults stop, the state is correct, and nothing was done twice.
 */
import { ROUGH } from '@reloader/minicluster';
import { expect, test } from 'vitest';
import { roughWeather } from './weather.ts';
import { World } from './world.ts';

test('in rough weather nothing is lost and nothing is done twice', { timeout: 120_000 }, () =>
  roughWeather(50),
);

test('after the weather has cleared, a quiet world asks for nothing', async () => {
  const world = await World.create({ seed: 7, faults: { rates: ROUGH } });
  world.startOperator();
  for (let step = 0; step < 10; step++) {
    world.write('a', { step: String(step) });
    await world.clock.advance(3_000);
  }
  world.faults.stop();
  await world.clock.advance(300_000);
  const before = world.history.requests.length;
  await world.clock.advance(3_600_000);
  const asked = world.history.requests.slice(before).filter(({ path }) => !path.includes('watch='));
  expect(asked).toEqual([]);
  await world.stop();
});
