import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keepDoor } from './door.ts';

class Knocking extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;

  constructor(name: string) {
    super();
    this.remoteAddress = name;
  }

  pause(): this {
    return this;
  }

  destroy(): this {
    return this;
  }
}

/** A server whose event loop turns are triggered by hand. */
function doorOf() {
  const server = new EventEmitter();
  const inside: (string | undefined)[] = [];
  const asked: (string | undefined)[] = [];
  server.on('connection', ({ remoteAddress }: Socket) => inside.push(remoteAddress));
  const turns: (() => void)[] = [];
  keepDoor(
    server,
    ({ remoteAddress }) => void asked.push(remoteAddress),
    (run) => void turns.push(run),
  );
  const knock = (name: string): Knocking => {
    const socket = new Knocking(name);
    server.emit('connection', socket);
    return socket;
  };
  return { knock, inside, asked, turn: () => turns.shift()?.(), turns };
}

const crowdOf = (size: number): string[] => Array.from({ length: size }, (_, index) => `peer-${index}`);

describe('Door', () => {
  test('admits many connections four at a time, in order of arrival', () => {
    const { knock, inside, turn, turns } = doorOf();
    const crowd = crowdOf(10);
    crowd.forEach(knock);
    expect(inside).toEqual([]);
    const entered = [0, 0, 0].map(() => {
      turn();
      return inside.length;
    });
    expect(entered).toEqual([4, 8, 10]);
    expect(inside).toEqual(crowd);
    expect(turns).toEqual([]);
  });

  test('admits later connections too', () => {
    const { knock, inside, turn } = doorOf();
    knock('first');
    turn();
    knock('second');
    turn();
    expect(inside).toEqual(['first', 'second']);
  });

  test('does not admit a closed connection, and no other waits longer for it', () => {
    const { knock, inside, turn } = doorOf();
    const gone = crowdOf(8).map(knock);
    for (const name of ['a', 'b', 'c', 'd']) knock(name);
    for (const socket of gone) socket.destroyed = true;
    turn();
    expect(inside).toEqual(['a', 'b', 'c', 'd']);
  });

  test('calls admit for every connection at once, before any is admitted', () => {
    const { knock, inside, asked } = doorOf();
    const crowd = crowdOf(6);
    crowd.forEach(knock);
    expect(asked).toEqual(crowd);
    expect(inside).toEqual([]);
  });

  test('a connection that breaks while it waits affects no other', () => {
    const { knock, inside, turn } = doorOf();
    const socket = knock('broken');
    expect(() => socket.emit('error', new Error('ECONNRESET'))).not.toThrow();
    knock('next');
    turn();
    expect(inside).toContain('next');
  });

  test('a real server answers many connections, including bytes sent before they were admitted', async () => {
    const server = createServer((_request, response) => void response.end('here'));
    const opened: (() => void)[] = [];
    keepDoor(
      server,
      () => undefined,
      (run) => void (opened.length < 1 ? opened.push(run) : setImmediate(run)),
    );
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const early = connect(port, '127.0.0.1');
    early.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(server, 'connection');
    const others = Array.from({ length: 30 }, () => ask(port));
    await new Promise((resolve) => early.write('', resolve));
    opened[0]?.();
    expect(await textOf(early)).toMatch(/^HTTP\/1.1 200 OK[\s\S]*here/);
    expect(await Promise.all(others)).toEqual(others.map(() => 200));
  });
});

function ask(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sent.once('error', reject).end();
  });
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
