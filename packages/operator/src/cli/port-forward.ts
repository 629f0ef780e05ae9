/**
 * A stream to a port of a pod, as `kubectl port-forward` opens it: through the API server and the kubelet to loopback
 * inside the pod. Kubernetes authorizes it: the right is `create` (before 1.35 `get`) on `pods/portforward`.
 *
 * In: a cluster, a pod, a port. Out: a stream of bytes, or an error with the server's answer. The protocol is
 * `v4.channel.k8s.io` over a WebSocket: each message begins with the number of its channel, 0 for data and 1 for
 * errors, and the first message on each is the port (docs/adr/0012).
 */
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { type ClusterConfig, connectToServer } from '@reloader/runtime';
import { WebSocket } from 'ws';

export interface ForwardTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

export class PortForwardError extends Error {
  override name = 'PortForwardError';
  /** Status of the API server's answer; undefined if the pod refused. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;
const PATIENCE_MS = 10_000;
const LARGEST_MESSAGE_BYTES = 1024 * 1024;
const LARGEST_REFUSAL_BYTES = 8 * 1024;

export async function openPortForward(
  config: ClusterConfig,
  { namespace, pod, port }: ForwardTarget,
  signal: AbortSignal,
): Promise<Duplex> {
  const { socket, secure, authority, prefix, headers } = await connectToServer(config, signal);
  const path = `${prefix}/api/v1/namespaces/${namespace}/pods/${pod}/portforward?ports=${port}`;
  const webSocket = new WebSocket(`${secure ? 'wss' : 'ws'}://${authority}${path}`, [PROTOCOL], {
    headers,
    createConnection: () => socket,
    handshakeTimeout: PATIENCE_MS,
    maxPayload: LARGEST_MESSAGE_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const where = `pods/portforward of ${namespace}/${pod}`;
  // Listens at once: the first messages may arrive together with the answer to the upgrade.
  const stream = streamOver(webSocket, where);
  const stop = (): void => webSocket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      webSocket.once('open', resolve);
      webSocket.once('error', (error) =>
        reject(signal.aborted ? signal.reason : new PortForwardError(`${where}: ${error.message}`)),
      );
      webSocket.once('unexpected-response', (_request, response) => {
        void refusalOf(response).then((text) => {
          webSocket.terminate();
          reject(new PortForwardError(`${where}: ${text}`, response.statusCode));
        });
      });
    });
  } catch (error) {
    signal.removeEventListener('abort', stop);
    stream.destroy();
    socket.destroy();
    throw error;
  }
  stream.once('close', () => signal.removeEventListener('abort', stop));
  return stream;
}

function streamOver(webSocket: WebSocket, where: string): Duplex {
  const named = new Set<number>();
  const stream = new Duplex({
    read: () => webSocket.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      webSocket.send(Buffer.concat([Buffer.of(DATA), chunk]), (error) => done(error ?? null));
    },
    // The protocol has no half-close: the other side closes when it has answered.
    final: (done) => done(),
    destroy: (error, done) => {
      webSocket.terminate();
      done(error);
    },
  });
  // Prevents an unhandled error: the reader gets it, too, and before there is one, the opening fails by itself.
  stream.on('error', () => undefined);
  webSocket.on('message', (message: Buffer) => {
    const channel = message[0] ?? DATA;
    // The first message on each channel repeats the port.
    if (!named.has(channel)) return void named.add(channel);
    const content = message.subarray(1);
    if (channel === ERROR)
      stream.destroy(new PortForwardError(`${where}: ${content.toString('utf8').trim()}`));
    else if (channel === DATA && !stream.push(content)) webSocket.pause();
  });
  webSocket.once('close', () => stream.push(null));
  webSocket.on('error', (error: Error) => stream.destroy(new PortForwardError(`${where}: ${error.message}`)));
  return stream;
}

/** The server's own message. */
async function refusalOf(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk);
      if (text.length > LARGEST_REFUSAL_BYTES) break;
    }
  } catch {
    // Uses the part of the body that arrived.
  }
  const status = `${response.statusCode} ${response.statusMessage}`;
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return `${status}: ${message}`;
  } catch {
    // The body is not a Kubernetes Status.
  }
  return `${status}: ${text.slice(0, 200).trim()}`;
}
