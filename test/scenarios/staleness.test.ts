/** C2, C3 and C5: a front end that lags, events that are compressed, own writes that come back late. */
import { forEachSeed } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { World } from './world.ts';

describe('a front end that lags behind', () => {
  test('an operator that reconnects to it does not go back in time', async () => {
    await forEachSeed({ count: 20 }, async (random) => {
      const world = await World.create({ seed: random.seed, watchList: random.chance(0.5) });
      world.startOperator();
      world.write('a', { x: 'old' });
      await world.clock.advance(10_000);
      // From here on the front end shows an old state; writes still reach the store.
      world.replica.hold();
      const held = world.revision;
      for (let change = 0; change < 1 + random.int(5); change++) world.write('a', { x: `new-${change}` });
      const last = world.data('a');
      world.killOperator();
      world.startOperator();
      await world.clock.advance(20_000);
      world.replica.advanceTo(held + 1);
      await world.clock.advance(20_000);
      world.replica.release();
      await world.clock.advance(60_000);
      expect(world.data('a-copy')?.content).toBe(JSON.stringify(last));
      const contents = world.history
        .changes('configmaps')
        .filter(({ key }) => key.endsWith('a-copy'))
        .map(({ object }) => (object.data as { content: string }).content);
      // After a newer content was copied, the old one never returns.
      expect(contents.lastIndexOf(JSON.stringify({ x: 'old' }))).toBeLessThan(contents.length - 1);
      await world.stop();
    });
  });
});

describe('events that are compressed', () => {
  test.each([1, 2, 3, 4, 5])('%i changes seen as one lead to the same end', async (changes) => {
    const world = await World.create({ seed: changes });
    world.startOperator();
    world.write('a', { x: '0' });
    await world.clock.advance(10_000);
    world.replica.hold();
    for (let change = 1; change <= changes; change++) world.write('a', { x: String(change) });
    await world.clock.advance(5_000);
    world.replica.release();
    await world.clock.advance(10_000);
    expect(world.data('a-copy')?.content).toBe(JSON.stringify({ x: String(changes) }));
    await world.stop();
  });

  test('deleted and created again in between is seen as both', async () => {
    const world = await World.create({ seed: 1 });
    world.startOperator();
    world.write('a', { x: '0' });
    await world.clock.advance(10_000);
    world.killOperator();
    world.remove('a');
    await world.clock.advance(1_000);
    expect(world.data('a')).toEqual({ x: '0' });
    world.startOperator();
    await world.clock.advance(10_000);
    expect(world.data('a')).toBeUndefined();
    world.write('a', { x: '1' });
    await world.clock.advance(10_000);
    expect(world.data('a-copy')).toEqual({ content: '{"x":"1"}', changes: '1' });
    await world.stop();
  });
});

describe('own writes that come back late', () => {
  test.each([0, 100, 1_000, 3_000, 10_000])('after %i ms: nothing is written twice', async (delay) => {
    const world = await World.create({ seed: 3 });
    world.startOperator();
    await world.clock.advance(1_000);
    world.replica.hold();
    for (let change = 1; change <= 4; change++) {
      world.write('a', { x: String(change) });
      world.replica.advanceTo(world.revision);
      await world.clock.advance(delay + 10);
    }
    world.replica.release();
    await world.clock.advance(60_000);
    expect(world.data('a-copy')?.content).toBe('{"x":"4"}');
    const counts = world.history
      .changes('configmaps')
      .filter(({ key }) => key.endsWith('a-copy'))
      .map(({ object }) => Number((object.data as { changes: string }).changes));
    expect(counts).toEqual(counts.map((_, index) => index + 1));
    await world.stop();
  });
});
