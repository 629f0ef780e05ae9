import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { ConnectionError } from '../errors.ts';
import {
  configFor,
  eventually,
  get,
  h2Server,
  listen,
  pem,
  text,
  transportFor,
  wireTo,
} from './loopback.test.support.ts';

interface H1Server {
  readonly port: number;
  readonly url: string;
  readonly sockets: Set<Socket>;
}

async function h1Server(handler: RequestListener, secure = true): Promise<H1Server> {
  const server = secure
    ? createTlsServer({ key: pem('server.key'), cert: pem('server.crt') }, handler)
    : createServer(handler);
  const sockets = new Set<Socket>();
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`, sockets };
}

describe('a server that does not offer HTTP/2', () => {
  it.each([
    ['over TLS', true],
    ['without TLS', false],
  ])('is spoken to in HTTP/1.1 %s', async (_, secure) => {
    const server = await h1Server((request, response) => {
      response.writeHead(201, { 'x-version': request.httpVersion });
      request.pipe(response);
    }, secure);
    const response = await transportFor({ url: `${server.url}/prefix` }).request({
      method: 'POST',
      path: '/api',
      headers: { 'content-type': 'application/json' },
      body: '{"a":"é"}',
    });
    expect(response.status).toBe(201);
    expect(response.headers['x-version']).toBe('1.1');
    expect(await text(response)).toBe('{"a":"é"}');
  });

  it('keeps its connection for the next request, beginning with the one that asked for HTTP/2', async () => {
    const server = await h1Server((_, response) => response.end('x'));
    const transport = transportFor(server);
    for (let index = 0; index < 5; index++) await text(await transport.request(get('/')));
    expect(server.sockets.size).toBe(1);
  });

  it('serves several watches on connections of their own', async () => {
    const server = await h1Server((_, response) => void response.write('event'));
    const transport = transportFor(server);
    await Promise.all([1, 2, 3].map(() => transport.request(get('/'))));
    expect(server.sockets.size).toBe(3);
  });

  it('gets its repeated headers one by one', async () => {
    let seen: string[] = [];
    const server = await h1Server((request, response) => {
      seen = request.rawHeaders;
      response.end();
    });
    await text(
      await transportFor(server).request(get('/', { repeatedHeaders: { 'impersonate-group': ['a', 'b'] } })),
    );
    expect(seen.filter((_, index) => seen[index - 1] === 'impersonate-group')).toEqual(['a', 'b']);
  });

  it('is told when a reader leaves', async () => {
    let closed = false;
    const server = await h1Server((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      response.write('event');
    });
    for await (const _ of (await transportFor(server).request(get('/'))).body) break;
    await eventually(() => closed);
    expect(closed).toBe(true);
  });

  it('has to wait when the reader does not read', async () => {
    let sent = 0;
    const server = await h1Server((_, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const pour = (): void => {
        while (sent < 256 * 1024 * 1024) {
          sent += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
      };
      pour();
    });
    const reader = (await transportFor(server).request(get('/'))).body[Symbol.asyncIterator]();
    await reader.next();
    let before = -1;
    while (before !== sent) {
      before = sent;
      for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    await reader.return?.();
  });
});

describe('over HTTP/1.1', () => {
  it('an abort before the answer rejects with its reason', async () => {
    let asked = false;
    const server = await h1Server(() => {
      asked = true;
    });
    const controller = new AbortController();
    const request = transportFor(server).request(get('/', { signal: controller.signal }));
    await eventually(() => asked);
    controller.abort(new Error('enough'));
    await expect(request).rejects.toThrow('enough');
  });

  it('an abort during the body rejects the reader with its reason', async () => {
    const server = await h1Server((_, response) => void response.write('event'));
    const controller = new AbortController();
    const response = await transportFor(server).request(get('/', { signal: controller.signal }));
    const reader = response.body[Symbol.asyncIterator]();
    await reader.next();
    const waiting = reader.next();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('a body that breaks off is a ConnectionError', async () => {
    const server = await h1Server((_, response) => {
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const response = await transportFor(server).request(get('/'));
    const failure = await text(response).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect((failure as Error).cause).toMatchObject({ code: 'ECONNRESET' });
  });

  it('a server that is not there is a ConnectionError which says that nothing was sent', async () => {
    const failure = await transportFor({ url: 'http://127.0.0.1:1' })
      .request(get('/'))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect((failure as ConnectionError).notSent).toBe(true);
    expect((failure as Error).message).toMatch(
      /Cannot connect to http:\/\/127.0.0.1:1: .*ECONNREFUSED.*: check that the API server runs and can be reached/,
    );
  });

  it('close ends what is under way', async () => {
    const server = await h1Server((_, response) => void response.write('event'));
    const transport = transportFor(server);
    const reading = expect(text(await transport.request(get('/')))).rejects.toThrow(ConnectionError);
    await transport.close();
    await reading;
  });
});

describe('connecting', () => {
  it('fails after the timeout if the server accepts and then sends nothing', async () => {
    const clock = new VirtualClock();
    const silent = createTcpServer(() => {});
    const port = await listen(silent);
    onTestFinished(() => void silent.close());
    const request = transportFor({ url: `https://127.0.0.1:${port}` }, { clock }).request(get('/'));
    const failed = expect(request).rejects.toThrow(/no answer within 10 s: check that the API server runs/);
    await eventually(() => clock.pendingTimers > 0);
    await clock.advance(10_000);
    await failed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('to a port without TLS says that TLS is not spoken there', async () => {
    const server = await h1Server((_, response) => response.end(), false);
    await expect(transportFor({ url: `https://127.0.0.1:${server.port}` }).request(get('/'))).rejects.toThrow(
      /it does not speak TLS there, check scheme and port in the test/,
    );
  });
});

describe('a proxy', () => {
  async function proxy(answer: 'pass' | number): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer();
    server.on('connect', (request, near: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      near.on('error', () => {});
      if (answer !== 'pass') {
        near.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
        return;
      }
      const port = Number(request.url?.split(':').at(-1));
      const far = connect(port, '127.0.0.1', () => {
        near.write('HTTP/1.1 200 OK\r\n\r\n');
        near.pipe(far).pipe(near);
      });
      far.on('error', () => near.destroy());
      onTestFinished(() => void far.destroy());
    });
    const port = await listen(server);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://user:p%40ss@127.0.0.1:${port}`, asked };
  }

  it('gets a CONNECT request with credentials', async () => {
    const server = await h2Server((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('through');
    });
    const way = await proxy('pass');
    const transport = transportFor({ ...configFor(server.url), proxyUrl: way.url });
    expect(await text(await transport.request(get('/')))).toBe('through');
    const login = Buffer.from('user:p@ss').toString('base64');
    expect(way.asked).toEqual([`127.0.0.1:${server.port} Basic ${login}`]);
  });

  it('that refuses is named in the message, with its answer', async () => {
    const way = await proxy(407);
    const transport = transportFor({ ...configFor('https://127.0.0.1:1'), proxyUrl: way.url });
    await expect(transport.request(get('/'))).rejects.toThrow(
      /The proxy 127.0.0.1:\d+ of the test gives no way to https:\/\/127.0.0.1:1: it answered 407/,
    );
  });
});

describe('a wire that is cut', () => {
  it('is replaced over HTTP/1.1 as well', async () => {
    const server = await h1Server((_, response) => response.end('fine'));
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    await text(await transport.request(get('/')));
    wire.cut();
    await eventually(() => wire.connections === 1);
    const outcome = await transport.request(get('/')).then(text, (error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ConnectionError);
    expect(await text(await transport.request(get('/')))).toBe('fine');
  });
});
