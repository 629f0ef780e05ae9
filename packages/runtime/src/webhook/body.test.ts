import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { BodyReader, TooManyBodiesError } from './body.ts';

/** A body that arrives in these chunks, each when the test says so. Closing it takes for ever. */
function body(...chunks: readonly (readonly [bytes: number, when?: Promise<void>])[]): IncomingMessage {
  let next = 0;
  const iterator: AsyncIterator<Buffer> = {
    async next() {
      const [bytes, when] = chunks[next++] ?? [];
      await when;
      return bytes === undefined
        ? { done: true, value: undefined }
        : { done: false, value: Buffer.alloc(bytes, 32) };
    },
    return: () => new Promise(() => undefined),
  };
  return { headers: {}, [Symbol.asyncIterator]: () => iterator } as unknown as IncomingMessage;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a refused body takes no room from the others while its connection is being closed', async () => {
  const reader = new BodyReader({ one: 2_000, all: 3_000 });
  let goOn: () => void = () => undefined;
  const later = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const first = reader.read(body([1_900], [50, later]));
  await turn();
  let refused: unknown;
  void reader.read(body([600], [600])).catch((error: unknown) => {
    refused = error;
  });
  await turn();
  goOn();
  expect((await first).length).toBe(1_950);
  expect((await reader.read(body([2_000]))).length).toBe(2_000);
  // It has not ended yet, because its connection has not.
  expect(refused).toBeUndefined();
});

test('a body that would exceed the limit for all is refused with an error of its own', async () => {
  const reader = new BodyReader({ one: 2_000, all: 3_000 });
  void reader.read(body([1_900], [50, new Promise(() => undefined)]));
  await turn();
  const refused = { ...body([1_900]) } as IncomingMessage;
  const closing = {
    async *[Symbol.asyncIterator]() {
      yield Buffer.alloc(1_900);
    },
  };
  await expect(reader.read(Object.assign(refused, closing))).rejects.toThrow(TooManyBodiesError);
});
