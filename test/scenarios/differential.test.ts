/** C4: after any history, the end state equals that of a fresh start with the same desired state. */
import { forEachSeed } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { World } from './world.ts';

/** Removes the counts, which depend on the history. */
function withoutCounts(state: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(state).replaceAll(/"changes":"\d+"/g, '"changes":"n"'));
}

async function fresh(wishes: ReadonlyMap<string, Record<string, string>>): Promise<unknown> {
  const world = await World.create({ seed: 99 });
  world.startOperator();
  for (const [name, data] of wishes) world.write(name, data);
  // Creates the index, which exists in every world that ever had an entry.
  world.write('z', {});
  await world.clock.advance(10_000);
  world.remove('z');
  await world.clock.advance(60_000);
  const state = withoutCounts(world.state());
  await world.stop();
  return state;
}

test('there and back, deleted and created, restarted in between: equal to a fresh start', async () => {
  await forEachSeed({ count: 15 }, async (random) => {
    const world = await World.create({ seed: random.seed });
    world.startOperator();
    const wishes = new Map<string, Record<string, string>>();
    world.write('z', {});
    await world.clock.advance(10_000);
    world.remove('z');
    for (let step = 0; step < 25; step++) {
      const name = random.pick(['a', 'b', 'c']);
      if (random.chance(0.25)) {
        if (world.data(name)) world.remove(name);
        wishes.delete(name);
        await world.clock.advance(5_000);
      } else {
        const data = { x: random.pick(['A', 'B']) };
        world.write(name, data);
        wishes.set(name, data);
      }
      if (random.chance(0.1)) {
        world.killOperator();
        world.startOperator();
      }
      await world.clock.advance(random.int(4_000));
    }
    await world.clock.advance(60_000);
    expect(withoutCounts(world.state())).toEqual(await fresh(wishes));
    await world.stop();
  });
});
