import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { bodyOf } from './response.ts';

/** Everything that the event loop has to do for streams. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
};

function bodyWith(chunkBytes: number, chunks: number) {
  let produced = 0;
  const stream = new Readable({
    highWaterMark: chunkBytes,
    read() {
      this.push(produced < chunks ? Buffer.alloc(chunkBytes, ++produced) : null);
    },
  });
  stream.on('error', () => {});
  const body = bodyOf({
    stream,
    cancel: () => stream.destroy(),
    complete: () => true,
    failure: (cause) => cause ?? new Error('lost'),
  });
  return { stream, body, produced: () => produced };
}

describe('A body', () => {
  it('keeps the order of chunks that arrive while nobody asks', async () => {
    const { body } = bodyWith(1_000, 200);
    const seen: (number | undefined)[] = [];
    for (let next = await body.next(); !next.done; next = await body.next()) {
      seen.push(next.value[0]);
      await settle();
    }
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });

  it('stops its stream when 64 KiB wait for a reader, and goes on when they are read', async () => {
    const { body, produced } = bodyWith(8 * 1024, 100);
    await body.next();
    await settle();
    const waiting = produced();
    expect(waiting).toBeGreaterThan(4);
    expect(waiting).toBeLessThanOrEqual(12);
    await settle();
    expect(produced()).toBe(waiting);
    let chunks = 1;
    for await (const _ of body) chunks += 1;
    expect(chunks).toBe(100);
  });

  it('returns the chunks that arrived before a failure, then the failure', async () => {
    const stream = new Readable({ read() {} });
    const body = bodyOf({
      stream,
      cancel: () => stream.destroy(),
      complete: () => true,
      failure: (cause) => cause,
    });
    const first = body.next();
    for (const text of ['a', 'b', 'c']) stream.push(text);
    expect(String((await first).value)).toBe('a');
    await settle();
    stream.destroy(new Error('reset'));
    await settle();
    expect(String((await body.next()).value)).toBe('b');
    expect(String((await body.next()).value)).toBe('c');
    await expect(body.next()).rejects.toThrow('reset');
  });
});
