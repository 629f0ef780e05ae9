import { constants, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { ConnectionError } from '../errors.ts';
import { eventually, get, h2Server, text, transportFor, wireTo } from './loopback.test.support.ts';

const answer = (stream: ServerHttp2Stream, body: string): void => {
  stream.respond({ ':status': 200 });
  stream.end(body);
};
/** Answers the headers and leaves the stream open, like a watch. */
const open = (stream: ServerHttp2Stream, body = ''): void => {
  stream.respond({ ':status': 200 });
  if (body) stream.write(body);
};

/** More than all windows and buffers on the way together. */
const TOTAL = 16 * 1024 * 1024;

describe('requests over HTTP/2', () => {
  it('carry method, path, headers and body, and bring status and headers back', async () => {
    const server = await h2Server((stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        stream.respond({ ':status': 201, 'x-seen': `${headers[':method']} ${headers['x-sent']}` });
        stream.end(Buffer.concat(chunks));
      });
    });
    const response = await transportFor(server).request({
      method: 'POST',
      path: '/api?x=1',
      headers: { 'x-sent': 'yes' },
      body: 'the body',
    });
    expect(response.status).toBe(201);
    expect(response.headers['x-seen']).toBe('POST yes');
    expect(await text(response)).toBe('the body');
    expect(server.paths).toEqual(['/api?x=1']);
  });

  it('put the path prefix of the server before every path', async () => {
    const server = await h2Server((stream) => answer(stream, ''));
    await transportFor({ url: `${server.url}/k8s/clusters/c-1` }).request(get('/api'));
    expect(server.paths).toEqual(['/k8s/clusters/c-1/api']);
  });

  it('send a repeated header once for each value', async () => {
    let seen: readonly string[] = [];
    const server = await h2Server((stream, _, rawHeaders) => {
      seen = rawHeaders;
      answer(stream, '');
    });
    await transportFor(server).request(get('/', { repeatedHeaders: { 'impersonate-group': ['a', 'b'] } }));
    expect(seen.filter((_, index) => seen[index - 1] === 'impersonate-group')).toEqual(['a', 'b']);
  });

  it('share one connection, watches among them', async () => {
    const server = await h2Server((stream) => open(stream, 'event'));
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    await Promise.all(Array.from({ length: 12 }, (_, index) => transport.request(get(`/${index}`))));
    expect(wire.connections).toBe(1);
    expect(server.paths).toHaveLength(12);
  });

  it('open a second connection when the limit of concurrent streams is reached', async () => {
    const server = await h2Server((stream) => open(stream), { settings: { maxConcurrentStreams: 2 } });
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    await Promise.all([1, 2, 3, 4, 5].map((index) => transport.request(get(`/${index}`))));
    expect(wire.connections).toBe(3);
  });

  it('go back to the first connection when it has room again', async () => {
    const server = await h2Server((stream) => answer(stream, ''), { settings: { maxConcurrentStreams: 1 } });
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    for (let index = 0; index < 5; index++) await text(await transport.request(get('/')));
    expect(wire.connections).toBe(1);
  });
});

describe('a reader', () => {
  it('that stops reading stops the sender', async () => {
    let sent = 0;
    let blocked = false;
    const server = await h2Server((stream) => {
      stream.respond({ ':status': 200 });
      const chunk = Buffer.alloc(64 * 1024);
      const pour = (): void => {
        blocked = false;
        while (sent < TOTAL) {
          sent += chunk.length;
          if (!stream.write(chunk)) {
            blocked = true;
            stream.once('drain', pour);
            return;
          }
        }
        stream.end();
      };
      pour();
    });
    const response = await transportFor(server).request(get('/'));
    const reader = response.body[Symbol.asyncIterator]();
    await reader.next();
    let before = -1;
    while (before !== sent) {
      before = sent;
      for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(blocked).toBe(true);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
    let received = 0;
    for (let next = await reader.next(); !next.done; next = await reader.next())
      received += next.value.length;
    expect(sent).toBe(TOTAL);
    expect(received).toBeGreaterThan(TOTAL / 2);
  });

  it('that is slow does not hold up another stream', async () => {
    const server = await h2Server((stream, headers) => {
      stream.respond({ ':status': 200 });
      stream.end(headers[':path'] === '/big' ? Buffer.alloc(8 * 1024 * 1024) : 'small');
    });
    const transport = transportFor(server);
    const big = (await transport.request(get('/big'))).body[Symbol.asyncIterator]();
    await big.next();
    expect(await text(await transport.request(get('/small')))).toBe('small');
  });

  it('that leaves resets the stream', async () => {
    const codes: (number | undefined)[] = [];
    const server = await h2Server((stream) => {
      open(stream, 'event');
      stream.on('close', () => codes.push(stream.rstCode));
    });
    for await (const _ of (await transportFor(server).request(get('/'))).body) break;
    await eventually(() => codes.length > 0);
    expect(codes).toEqual([8]);
  });

  it('gets the reason of the abort when its signal aborts, and the stream is reset', async () => {
    const codes: (number | undefined)[] = [];
    const server = await h2Server((stream) => {
      open(stream, 'event');
      stream.on('close', () => codes.push(stream.rstCode));
    });
    const controller = new AbortController();
    const response = await transportFor(server).request(get('/', { signal: controller.signal }));
    const reader = response.body[Symbol.asyncIterator]();
    await reader.next();
    const waiting = reader.next();
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await eventually(() => codes.length > 0);
    expect(codes).toEqual([8]);
  });
});

describe('an abort', () => {
  it('before the answer rejects with its reason', async () => {
    const server = await h2Server(() => {});
    const controller = new AbortController();
    const request = transportFor(server).request(get('/', { signal: controller.signal }));
    await eventually(() => server.paths.length > 0);
    controller.abort(new Error('enough'));
    await expect(request).rejects.toThrow('enough');
  });

  it('before the connection stands rejects with its reason', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const server = await h2Server(() => {});
    await expect(transportFor(server).request(get('/', { signal: controller.signal }))).rejects.toThrow(
      'enough',
    );
    expect(server.sessions).toHaveLength(0);
  });

  it('leaves no listener behind after many requests with one signal', async () => {
    const server = await h2Server((stream) => answer(stream, 'x'));
    const transport = transportFor(server);
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    for (let index = 0; index < 20; index++) await text(await transport.request(get('/', { signal })));
    await eventually(() => listeners <= 0);
    expect(listeners).toBeLessThanOrEqual(0);
  });
});

describe('a connection that is lost', () => {
  it('fails what is under way with a ConnectionError and is replaced for the next request', async () => {
    const server = await h2Server((stream, headers) =>
      headers[':path'] === '/watch' ? open(stream, 'event') : answer(stream, 'fine'),
    );
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    const watch = await transport.request(get('/watch'));
    const reading = text(watch);
    wire.cut();
    await expect(reading).rejects.toThrow(ConnectionError);
    expect(await text(await transport.request(get('/')))).toBe('fine');
    expect(wire.connections).toBe(2);
  });

  it('fails a body that nobody had begun to read', async () => {
    const server = await h2Server((stream) => open(stream, 'event'));
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    const [read, unread] = [await transport.request(get('/read')), await transport.request(get('/unread'))];
    const reading = expect(text(read)).rejects.toThrow(ConnectionError);
    wire.cut();
    await reading;
    await new Promise<void>((resolve) => setImmediate(resolve));
    await expect(text(unread)).rejects.toThrow(ConnectionError);
  });

  it('silently (half open) is noticed by an unanswered PING', async () => {
    const clock = new VirtualClock();
    const server = await h2Server((stream, headers) =>
      headers[':path'] === '/watch' ? open(stream, 'event') : answer(stream, 'fine'),
    );
    const wire = await wireTo(server.port);
    const transport = transportFor(wire, { clock });
    const watch = await transport.request(get('/watch'));
    let failure: unknown;
    text(watch).catch((error: unknown) => {
      failure = error;
    });
    wire.freeze();
    // The first interval may pass because bytes arrived in it, the next sends the PING, then its timeout runs.
    await clock.advance(30_000);
    expect(failure).toBeUndefined();
    await clock.advance(10_000);
    await eventually(() => failure !== undefined);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect((failure as Error).message).toMatch(/did not answer a PING within 10 s/);
    expect(await text(await transport.request(get('/')))).toBe('fine');
    expect(wire.connections).toBe(2);
  });

  it('is checked at once when a request on it is aborted', async () => {
    const clock = new VirtualClock();
    const server = await h2Server((stream, headers) =>
      headers[':path'] === '/watch' ? open(stream, 'event') : answer(stream, 'fine'),
    );
    const wire = await wireTo(server.port);
    const transport = transportFor(wire, { clock });
    const watch = await transport.request(get('/watch'));
    let failure: unknown;
    text(watch).catch((error: unknown) => {
      failure = error;
    });
    wire.freeze();
    const controller = new AbortController();
    const impatient = transport.request(get('/', { signal: controller.signal }));
    await clock.settle();
    controller.abort(new Error('too slow'));
    await expect(impatient).rejects.toThrow('too slow');
    await clock.advance(10_000);
    await eventually(() => failure !== undefined);
    expect(failure).toBeInstanceOf(ConnectionError);
  });

  it('is left alone as long as its PINGs are answered', async () => {
    const clock = new VirtualClock();
    let pings = 0;
    const server = await h2Server((stream) => open(stream));
    const transport = transportFor(server, { clock });
    const controller = new AbortController();
    const watch = await transport.request(get('/watch', { signal: controller.signal }));
    for (const session of server.sessions) session.on('ping', () => pings++);
    for (let minute = 0; minute < 5; minute++) {
      const before = pings;
      await clock.advance(30_000);
      await eventually(() => pings > before);
      await clock.settle();
    }
    expect(server.sessions).toHaveLength(1);
    controller.abort();
    await expect(text(watch)).rejects.toThrow();
  });

  it('leaves no timer behind after close', async () => {
    const clock = new VirtualClock();
    const server = await h2Server((stream) => answer(stream, ''));
    const transport = transportFor(server, { clock });
    await text(await transport.request(get('/')));
    await transport.close();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a server that says GOAWAY', () => {
  it('finishes the streams under way and gets new ones on a new connection', async () => {
    const streams: ServerHttp2Stream[] = [];
    const server = await h2Server((stream, headers) => {
      if (headers[':path'] === '/probe') return answer(stream, '');
      streams.push(stream);
      open(stream, 'first ');
    });
    const wire = await wireTo(server.port);
    const transport = transportFor(wire);
    const old = text(await transport.request(get('/old')));
    server.sessions[0]?.goaway(0);
    while (wire.connections === 1) await text(await transport.request(get('/probe')));
    const fresh = text(await transport.request(get('/fresh')));
    expect(wire.connections).toBe(2);
    for (const stream of streams) stream.end('last');
    expect(await old).toBe('first last');
    expect(await fresh).toBe('first last');
  });

  it('and closes at once fails a body under way instead of ending it quietly', async () => {
    const server = await h2Server((stream) => open(stream, 'half'));
    const response = await transportFor(server).request(get('/'));
    const reader = response.body[Symbol.asyncIterator]();
    await reader.next();
    server.sessions[0]?.destroy();
    await expect(reader.next()).rejects.toThrow(ConnectionError);
  });
});

describe('a stream that the server resets', () => {
  it('fails with a ConnectionError that leaves open whether it had an effect', async () => {
    const server = await h2Server((stream) => {
      open(stream, 'half');
      setImmediate(() => stream.destroy(new Error('handler failed')));
    });
    const response = await transportFor(server).request(get('/'));
    const failure = await text(response).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect((failure as ConnectionError).notSent).toBe(false);
  });
});

describe('a stream that the server refuses', () => {
  it('is sent once more, because the server has not begun to work on it', async () => {
    let refused = 0;
    const server = await h2Server((stream) => {
      if (refused++ === 0) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else answer(stream, 'done');
    });
    const response = await transportFor(server).request({
      method: 'POST',
      path: '/',
      headers: {},
      body: '{}',
    });
    expect(await text(response)).toBe('done');
  });

  it('again and again fails with a ConnectionError that says it was not sent', async () => {
    const server = await h2Server((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    const failure = await transportFor(server)
      .request(get('/'))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect((failure as ConnectionError).notSent).toBe(true);
    expect(server.paths).toHaveLength(2);
  });
});

describe('a closed transport', () => {
  it('fails what is under way and refuses new requests', async () => {
    const server = await h2Server((stream) => open(stream, 'event'));
    const transport = transportFor(server);
    const reading = expect(text(await transport.request(get('/')))).rejects.toThrow(/was closed/);
    await transport.close();
    await reading;
    await expect(transport.request(get('/'))).rejects.toThrow(/was closed/);
  });
});
