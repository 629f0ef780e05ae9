/** C1: a crash after every single write. The end state and the counts equal those of a run without a crash. */
import { expect, test } from 'vitest';
import { World } from './world.ts';

/** The user's actions; after each step the world gets time to settle. */
async function script(world: World): Promise<void> {
  const settle = (): Promise<void> => world.clock.advance(60_000);
  world.startOperator();
  world.write('a', { x: '1' });
  await settle();
  world.write('a', { x: '2' });
  world.write('b', { x: '1' });
  await settle();
  world.remove('a');
  await settle();
  world.write('a', { x: '9' });
  await settle();
  world.remove('b');
  await settle();
}

async function reference(): Promise<{ state: unknown; writes: number }> {
  const world = await World.create({ seed: 1 });
  await script(world);
  const result = { state: world.state(), writes: world.writes };
  await world.stop();
  return result;
}

test('the reference run does what it should', async () => {
  const { state, writes } = await reference();
  expect(state).toEqual({
    a: { data: { x: '9' }, finalizers: ['scenario.test/index'], owners: [] },
    'a-copy': { data: { content: '{"x":"9"}', changes: '1' }, finalizers: [], owners: ['a'] },
    index: { data: ['a'], finalizers: [], owners: [] },
  });
  expect(writes).toBeGreaterThan(10);
});

test('killed after any one of its writes, the operator reaches the same end state', async () => {
  const { state, writes } = await reference();
  for (let afterWrite = 1; afterWrite <= writes; afterWrite++) {
    const world: World = await World.create({
      seed: afterWrite,
      faults: {
        crash: {
          afterWrite,
          kill: () => {
            world.killOperator();
            world.clock.setTimeout(() => world.startOperator(), 500);
          },
        },
      },
    });
    await script(world);
    expect(world.state(), `after write ${afterWrite}`).toEqual(state);
    expect(world.faults.injected.map(({ fault }) => fault.kind)).toEqual(['crash']);
    await world.stop();
  }
});
