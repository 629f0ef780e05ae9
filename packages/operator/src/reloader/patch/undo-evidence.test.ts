import { expect, it } from 'vitest';
import { mayHaveRead } from './undo-evidence.ts';

const between = { from: 1000, until: 2000 };

it.each<[string, number, number | undefined, boolean]>([
  ['started long before what failed came', 100, 101, false],
  ['started in the last moment before, by a clock that may be wrong', 100, 996, true],
  ['started in the second in which it came', 100, 1000, true],
  ['whose container started again while it was there', 100, 1500, true],
  ['whose container started again since', 100, 2500, true],
  ['with a container that does not run', 100, undefined, true],
  ['created while it was there', 1500, 1501, true],
  ['created while it was there, on a node whose clock is far behind', 1500, 900, true],
  ['created in the second in which it went', 2000, 2001, true],
  ['created since', 2001, 2001, false],
  ['created since, that does not run yet', 2001, undefined, false],
])('a pod %s', (_, createdAt, lastStartAt, expected) => {
  expect(mayHaveRead({ createdAt, lastStartAt }, between)).toBe(expected);
});
