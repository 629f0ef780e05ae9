import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('waiters take turns, first come, first served', async () => {
  const turns = new Turns();
  const order: number[] = [];
  await Promise.all([1, 2, 3].map((each) => turns.next().then(() => order.push(each))));
  expect(order).toEqual([1, 2, 3]);
  await turns.next();
});

test('the event loop comes round between any two, and has as much time as the piece before took', async () => {
  const turns = new Turns();
  const busyMs = 20;
  let loops = 0;
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      loops += 1;
    }
  };
  const seen: number[] = [];
  const ends: number[] = [];
  const starts: number[] = [];
  const crowd = Array.from({ length: 4 }, async () => {
    await turns.next();
    starts.push(performance.now());
    seen.push(loops);
    while (performance.now() - (starts.at(-1) ?? 0) < busyMs);
    ends.push(performance.now());
  });
  const running = loop();
  await Promise.all(crowd);
  isOver = true;
  await running;
  for (let each = 1; each < seen.length; each += 1) {
    expect(seen[each]).toBeGreaterThan((seen[each - 1] ?? 0) + 1);
    expect((starts[each] ?? 0) - (ends[each - 1] ?? 0)).toBeGreaterThanOrEqual(busyMs * 0.9);
  }
});
