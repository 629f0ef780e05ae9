/** Thirty edits with random faults and crashes; then the faults stop, and the state must be correct. */
import { ROUGH } from '@reloader/minicluster';
import { forEachSeed } from '@reloader/runtime/testing';
import { expect } from 'vitest';
import { World } from './world.ts';

const NAMES = ['a', 'b', 'c'];

export async function roughWeather(seeds: number): Promise<void> {
  await forEachSeed({ count: seeds }, async (random) => {
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
    // A silent watch is noticed after 70 s, and the longest backoff is a minute.
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
}
