/**
 * The part of a kubelet that a port-forward needs: it speaks `v4.channel.k8s.io` with the API server, and connects to
 * loopback of the "pod", which is this machine.
 */
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface ForwardingKubelet {
  readonly port: number;
  /** Paths that the API server requested. */
  readonly asked: readonly string[];
  close(): void;
}

export async function startForwardingKubelet(tls: {
  readonly certificate: string;
  readonly key: string;
}): Promise<ForwardingKubelet> {
  const server = createServer({ cert: tls.certificate, key: tls.key });
  const sockets = new WebSocketServer({
    server,
    handleProtocols: (offered) => (offered.has('v4.channel.k8s.io') ? 'v4.channel.k8s.io' : false),
  });
  const asked: string[] = [];
  sockets.on('connection', (webSocket, { url = '' }) => {
    asked.push(url);
    const query = new URL(url, 'https://kubelet').searchParams;
    forward(webSocket, Number(query.get('port') ?? query.get('ports')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () => {
      sockets.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

function forward(webSocket: WebSocket, port: number): void {
  const send = (channel: number, content: Uint8Array): void =>
    webSocket.send(Buffer.concat([Buffer.of(channel), content]));
  for (const channel of [0, 1]) send(channel, Buffer.of(port & 0xff, port >> 8));
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => send(0, chunk));
  socket.on('error', (error) => send(1, Buffer.from(error.message)));
  socket.on('close', () => webSocket.close());
  webSocket.on('message', (message: Buffer) => {
    if (message[0] === 0) socket.write(message.subarray(1));
  });
  webSocket.on('close', () => socket.destroy());
}
