import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Delayed, DelayHeap } from './delay-heap.ts';

interface Item extends Delayed {
  readonly id: number;
}

test('keeps the earliest first under any sequence of set, move and remove', () => {
  const step = fc.record({
    id: fc.integer({ min: 0, max: 15 }),
    time: fc.integer({ min: 0, max: 30 }),
    remove: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const heap = new DelayHeap<Item>();
      const items = Array.from(
        { length: 16 },
        (_, id): Item => ({ id, dueAt: 0, heapIndex: -1, heapOrder: 0 }),
      );
      const model = new Map<number, number>();
      for (const { id, time, remove } of steps) {
        const item = items[id] as Item;
        if (remove) {
          heap.remove(item);
          model.delete(id);
        } else {
          heap.set(item, time);
          model.set(id, time);
        }
        expect(heap.size).toBe(model.size);
        expect(heap.first?.dueAt ?? Infinity).toBe(Math.min(Infinity, ...model.values()));
      }
      const sorted = [...model.values()].sort((a, b) => a - b);
      for (const time of sorted) {
        const first = heap.first as Item;
        expect(first.dueAt).toBe(time);
        heap.remove(first);
      }
      expect(heap.first).toBeUndefined();
    }),
  );
});

test('clear sets every item free', () => {
  const heap = new DelayHeap<Item>();
  const item: Item = { id: 1, dueAt: 0, heapIndex: -1, heapOrder: 0 };
  heap.set(item, 5);
  heap.clear();
  expect(heap.size).toBe(0);
  expect(item.heapIndex).toBe(-1);
});

test('at equal times, the first to come is the first out', () => {
  const heap = new DelayHeap<Item>();
  for (let id = 0; id < 40; id++) heap.set({ id, dueAt: 0, heapIndex: -1, heapOrder: 0 }, id % 2);
  const ids: number[] = [];
  for (let first = heap.first; first; first = heap.first) {
    ids.push(first.id);
    heap.remove(first);
  }
  const even = Array.from({ length: 20 }, (_, index) => 2 * index);
  expect(ids).toEqual([...even, ...even.map((id) => id + 1)]);
});
