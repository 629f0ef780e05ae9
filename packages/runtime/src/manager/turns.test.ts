import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('a crowd takes turns, and the event loop comes round between any two', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const crowd = [1, 2, 3].map((each) => turns.next().then(() => order.push(`turn ${each}`)));
  const loop = (async () => {
    for (let each = 0; each < 3; each += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      order.push('loop');
    }
  })();
  await Promise.all([...crowd, loop]);
  expect(order).toEqual(['turn 1', 'loop', 'turn 2', 'loop', 'turn 3', 'loop']);
  await turns.next();
});
