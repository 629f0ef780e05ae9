import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inBatches } from './batches.ts';

function setUp() {
  const written: string[] = [];
  return { written, lines: inBatches({ write: (text) => written.push(text) }) };
}

test('writes the lines of a turn together, in their order, and those of the next apart', async () => {
  const { written, lines } = setUp();
  lines.write('one\n');
  lines.write('two\n');
  expect(written).toEqual([]);
  await turn();
  expect(written).toEqual(['one\ntwo\n']);
  lines.write('three\n');
  await turn();
  expect(written).toEqual(['one\ntwo\n', 'three\n']);
});

test('a flush writes at once, and the end of the turn nothing again', async () => {
  const { written, lines } = setUp();
  lines.write('one\n');
  lines.flush();
  expect(written).toEqual(['one\n']);
  lines.flush();
  await turn();
  expect(written).toEqual(['one\n']);
});
