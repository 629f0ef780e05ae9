import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../../../../../test/control-plane/certificates.ts';
import { Hidden } from '../../reloader/model/hidden.ts';
import { createPost, type PostOptions } from './post.ts';
import { startReceiver } from './receiver.test.support.ts';

const BODY = { contentType: 'text/plain', text: 'hello' } as const;

interface Seen {
  readonly line: string;
  readonly authorization: string | undefined;
}

/** A proxy that connects every name to loopback. */
async function startProxy(status = 200) {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    seen.push({
      line: `${request.method} ${request.url}`,
      authorization: request.headers['proxy-authorization'],
    });
    request.resume().on('end', () => response.writeHead(status).end());
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket: Socket) => {
    seen.push({ line: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] });
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const each of [target, socket]) each.on('error', () => undefined);
    sockets.add(target);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { seen, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function setUp(proxy: string | 'unusable', options: Partial<PostOptions> = {}) {
  const post = createPost({
    clock: new VirtualClock(),
    proxy: proxy === 'unusable' ? proxy : new Hidden(proxy),
    allowInternal: false,
    allowedHosts: [],
    ...options,
  });
  return (url: string) =>
    post({ url: new URL(url), trusted: false }, async () => BODY, new AbortController().signal);
}

describe('By a proxy', () => {
  test('http goes in absolute form, with the credentials of both', async () => {
    const proxy = await startProxy();
    const post = setUp(`http://me:p%40ss@${proxy.address}`);
    await post('http://user:pw@hooks.test:8080/a?b=c');
    expect(proxy.seen).toEqual([
      {
        line: 'POST http://hooks.test:8080/a?b=c',
        authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      },
    ]);
  });

  test('https goes through a tunnel, and the certificate is the one of the receiver', async () => {
    const authority = createAuthority('test');
    const { certificate: cert, key } = authority.issueServer(['hooks.test']);
    const receiver = await startReceiver([{ status: 202 }], { cert, key });
    const proxy = await startProxy();
    const url = `https://hooks.test:${receiver.url.port}/hook`;
    await setUp(`http://${proxy.address}`, { ca: authority.certificate })(url);
    expect(proxy.seen).toEqual([
      { line: `CONNECT hooks.test:${receiver.url.port}`, authorization: undefined },
    ]);
    expect(receiver.received).toMatchObject([{ path: '/hook', body: 'hello' }]);
    await expect(setUp(`http://${proxy.address}`)(url)).rejects.toMatchObject({
      retry: true,
      message: expect.stringMatching(/^the receiver cannot be reached \([A-Z_]+\)$/),
    });
  });

  test.each([
    [407, false],
    [502, true],
  ])('its answer %i to a tunnel is told', async (status, retry) => {
    const proxy = await startProxy(status);
    const post = setUp(`http://${proxy.address}`);
    await expect(post('https://hooks.test/x')).rejects.toMatchObject({
      retry,
      message: `the proxy answered ${status}`,
    });
  });

  test('a proxy that is down is retried', async () => {
    const post = setUp('http://127.0.0.1:1');
    await expect(post('https://hooks.test/x')).rejects.toMatchObject({
      retry: true,
      message: 'the proxy cannot be reached (ECONNREFUSED)',
    });
  });

  test('names of the node itself are refused before the proxy is asked', async () => {
    const proxy = await startProxy();
    const post = setUp(`http://${proxy.address}`);
    await expect(post('http://metadata.google.internal/x')).rejects.toThrow('--alert-allow-internal');
    expect(proxy.seen).toEqual([]);
  });

  test('an unusable proxy is never bypassed', async () => {
    const receiver = await startReceiver();
    const post = setUp('unusable', { allowInternal: true });
    await expect(post(receiver.url.href)).rejects.toMatchObject({ retry: false });
    expect(receiver.received).toEqual([]);
  });
});
