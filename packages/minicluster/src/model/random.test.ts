import { expect, test } from 'vitest';
import { Random } from './random.ts';

test('the same seed gives the same sequence, another seed another', () => {
  const draw = (seed: number): number[] => {
    const random = new Random(seed);
    return Array.from({ length: 5 }, () => random.next());
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

test('numbers stay in their range and reach all of it', () => {
  const random = new Random(1);
  const seen = new Set(Array.from({ length: 1000 }, () => random.below(6)));
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

test('uuids are version 4 and do not repeat', () => {
  const random = new Random(1);
  const uuids = Array.from({ length: 1000 }, () => random.uuid());
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(uuids).size).toBe(1000);
});

test('a fork does not disturb the sequence of its origin', () => {
  const plain = new Random(3);
  const forked = new Random(3);
  forked.fork().next();
  plain.next();
  expect(forked.next()).toBe(plain.next());
});
