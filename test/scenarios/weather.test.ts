/**
 * R1, R2, R4 to R7 and C6 through the whole stack: watches end, break and fall silent, requests are refused, lost and
 * delayed, bodies come in pieces. When the weather clears, everything is as it should be, and nothing was done twice.
 */
import { ROUGH } from '@reloader/minicluster';
import { forEachSeed } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { World } from './world.ts';

const SEEDS = Number(process.env.SEEDS ?? 60);
const NAMES = ['a', 'b', 'c'];

test(`in rough weather nothing is lost and nothing is done twice (${SEEDS} seeds)`, {
  timeout: 120_000,
}, async () => {
  await forEachSeed({ count: SEEDS }, async (random) => {
    const world = await World.create({
      seed: random.seed,
      faults: { rates: ROUGH },
      watchList: random.chance(0.5),
    });
    world.startOperator();
    const edits = new Map<string, number>();
    for (let step = 0; step < 30; step++) {
      const name = random.pick(NAMES);
      if (random.chance(0.1)) {
        if (world.data(name)) world.remove(name);
      } else {
        world.write(name, { step: String(step) });
        edits.set(name, (edits.get(name) ?? 0) + 1);
      }
      if (random.chance(0.05)) {
        world.killOperator();
        world.startOperator();
      }
      await world.clock.advance(random.int(5_000));
    }
    world.faults.stop();
    // The longest silence is noticed after 70 s, and the longest backoff is a minute.
    await world.clock.advance(300_000);
    for (const name of NAMES) {
      const source = world.data(name);
      const copy = world.data(`${name}-copy`);
      expect(copy?.content, world.log.slice(-5).join('\n')).toEqual(source && JSON.stringify(source));
      expect(Number(copy?.changes ?? 0)).toBeLessThanOrEqual(edits.get(name) ?? 0);
    }
    const present = NAMES.filter((name) => world.data(name));
    expect(Object.keys(world.data('index') ?? {}).sort()).toEqual(present);
    await world.stop();
  });
});

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
