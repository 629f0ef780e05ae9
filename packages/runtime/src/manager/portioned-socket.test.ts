import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PortionedSocket } from './portioned-socket.ts';
import { SharedTurns } from './shared-turns.ts';

/** A loopback connection: its far end, and the near end read in portions. */
async function pair(turns?: SharedTurns): Promise<{ far: Socket; near: PortionedSocket; raw: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [raw] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => void [far.destroy(), raw.destroy()]);
  far.on('error', () => undefined);
  return { far, near: new PortionedSocket(raw, turns), raw };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const LONG = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join('');

describe('PortionedSocket', () => {
  test('hands on all that was sent, in order, in small portions, and then the end', async () => {
    const { far, near } = await pair();
    const portions: Buffer[] = [];
    near.on('data', (chunk: Buffer) => portions.push(chunk));
    far.end(LONG);
    await once(near, 'end');
    expect(Buffer.concat(portions).toString()).toBe(LONG);
    expect(Math.max(...portions.map(({ length }) => length))).toBeLessThanOrEqual(128);
  });

  test('many connections share one turn, and each gets its share', async () => {
    let now = 0;
    const due: (() => void)[] = [];
    const turns = new SharedTurns({ now: () => now, later: (run) => due.push(run) });
    const crowd = await Promise.all(Array.from({ length: 20 }, () => pair(turns)));
    const heard = crowd.map(() => 0);
    for (const [index, { far, near }] of crowd.entries()) {
      near.on('data', () => {
        now += 1;
        heard[index] = (heard[index] ?? 0) + 1;
      });
      far.write(LONG);
    }
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (crowd.some(({ raw }) => raw.bytesRead === 0)) await turn();
    const all = (): number => heard.reduce((sum, each) => sum + each, 0);
    for (let count = 0; count < 5; count += 1) {
      const before = all();
      for (const run of due.splice(0)) run();
      expect(all() - before).toBe(4);
      await turn();
    }
    expect(heard).toEqual(crowd.map(() => 1));
  });

  test('waits with reading until somebody reads', async () => {
    const { far, near, raw } = await pair();
    far.end(LONG);
    while (raw.bytesRead === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(near.readableLength).toBe(0);
    expect(await textOf(near)).toBe(LONG);
  });

  test('sends all that is written, in order, and then the end', async () => {
    const { far, near } = await pair();
    near.cork();
    near.write('head ');
    near.write('body ');
    near.uncork();
    near.end(LONG);
    near.resume();
    expect(await textOf(far)).toBe(`head body ${LONG}`);
  });

  test('hands on nothing behind a destroy', async () => {
    const { far, near } = await pair();
    let seen = 0;
    const bothClosed = [near, far.resume()].map(
      (each) => new Promise((resolve) => each.once('close', resolve)),
    );
    near.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      near.destroy();
    });
    far.write(LONG);
    await Promise.all(bothClosed);
    expect(seen).toBeLessThanOrEqual(128);
  });

  test('a soft end sends what was written and does not wait for the peer', async () => {
    const { far, near } = await pair();
    near.write('last words');
    near.destroySoon();
    const heard = textOf(far);
    await once(near, 'close');
    expect(await heard).toBe('last words');
  });

  test('closes when the other side breaks off', async () => {
    const { far, near } = await pair();
    near.resume();
    far.resetAndDestroy();
    await once(near, 'close');
    expect(near.destroyed).toBe(true);
  });

  test('times out as its socket does', async () => {
    const { near } = await pair();
    const told = once(near, 'timeout');
    near.setTimeout(1);
    await told;
  });
});
