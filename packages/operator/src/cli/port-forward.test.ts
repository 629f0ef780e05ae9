import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { type ClusterConfig, createTlsSource, fixedCredentials } from '@reloader/runtime';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { getOverStream } from './get-over-stream.ts';
import { openPortForward } from './port-forward.ts';

const target = { namespace: 'reloader', pod: 'reloader-0', port: 9090 };
const never = new AbortController().signal;

function listen(server: Server): Promise<number> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function configOf(port: number): ClusterConfig {
  const credentials = fixedCredentials({ authorization: 'Bearer t' });
  const tls = createTlsSource({ credentials });
  return { server: `http://127.0.0.1:${port}/prefix`, source: 'the test', namespace: 'x', credentials, tls };
}

/** An API server that forwards as a kubelet does. */
async function apiServer(serve: (webSocket: WebSocket) => void) {
  const asked: { url: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false });
  sockets.on('connection', (webSocket, { url, headers }) => {
    asked.push({ url, authorization: headers.authorization });
    serve(webSocket);
  });
  return { config: configOf(await listen(server)), asked };
}

function greet(webSocket: WebSocket): void {
  for (const channel of [0, 1]) webSocket.send(Buffer.of(channel, 9090 & 0xff, 9090 >> 8));
}

describe('a port-forward', () => {
  test('carries a request to the pod and its answer back', async () => {
    const large = 'x'.repeat(200_000);
    const operator = createServer((message, response) => {
      response.end(JSON.stringify({ url: message.url, host: message.headers.host, large }));
    });
    const port = await listen(operator);
    const { config, asked } = await apiServer((webSocket) => {
      greet(webSocket);
      const socket = connect(port, '127.0.0.1');
      socket.on('data', (chunk) => webSocket.send(Buffer.concat([Buffer.of(0), chunk])));
      socket.on('end', () => webSocket.close());
      webSocket.on('message', (message: Buffer) => socket.write(message.subarray(1)));
    });
    const stream = await openPortForward(config, target, never);
    const { status, body } = await getOverStream(stream, '/api/v1/status', never);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ url: '/api/v1/status', host: 'localhost', large });
    expect(asked).toEqual([
      {
        url: '/prefix/api/v1/namespaces/reloader/pods/reloader-0/portforward?ports=9090',
        authorization: 'Bearer t',
      },
    ]);
  });

  test('that the server refuses says so in its words', async () => {
    const server = createServer();
    server.on('upgrade', (_request, socket) => {
      const body = JSON.stringify({ kind: 'Status', message: 'pods "reloader-0" is forbidden' });
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    const config = configOf(await listen(server));
    await expect(openPortForward(config, target, never)).rejects.toMatchObject({
      status: 403,
      message: 'pods/portforward of reloader/reloader-0: 403 Forbidden: pods "reloader-0" is forbidden',
    });
  });

  test('to a port without a listener fails with the message of the kubelet', async () => {
    const { config } = await apiServer((webSocket) => {
      greet(webSocket);
      webSocket.on('message', () => {
        webSocket.send(Buffer.concat([Buffer.of(1), Buffer.from('connection refused')]));
      });
    });
    const stream = await openPortForward(config, target, never);
    await expect(getOverStream(stream, '/', never)).rejects.toThrow(
      'pods/portforward of reloader/reloader-0: connection refused',
    );
  });

  test('that is cut off fails at once', async () => {
    const { config } = await apiServer((webSocket) => {
      greet(webSocket);
      webSocket.on('message', () => webSocket.terminate());
    });
    const stream = await openPortForward(config, target, never);
    await expect(getOverStream(stream, '/', never)).rejects.toThrow();
  });

  test('ends when its caller aborts', async () => {
    let closed = false;
    const { config } = await apiServer((webSocket) => {
      webSocket.on('close', () => {
        closed = true;
      });
    });
    const stop = new AbortController();
    const stream = await openPortForward(config, target, stop.signal);
    const asked = getOverStream(stream, '/', stop.signal);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect.poll(() => closed).toBe(true);
  });
});
