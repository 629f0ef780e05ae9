/** A receiver on loopback that gives a test's answers, and records the requests. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends no answer and keeps the connection open. */
  readonly silent?: true;
  /** Sends an answer that never ends. */
  readonly endless?: true;
  /** Cuts the connection. */
  readonly cut?: true;
}

export interface Receiver {
  readonly url: URL;
  readonly received: readonly Received[];
  /** Resolves when it has received this many requests altogether. */
  got(count: number): Promise<void>;
}

/** Gives the answers in turn, then repeats the last one. */
export async function startReceiver(
  answers: readonly Answer[] = [{}],
  tls?: { readonly key: string; readonly cert: string },
): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    received.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
    const answer = answers[received.length - 1] ?? answers.at(-1) ?? {};
    if (answer.cut) request.socket.destroy();
    else if (answer.endless) babble(response);
    else if (!answer.silent)
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? 'ok');
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    waiting = waiting.filter(({ count }) => received.length < count);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void handle(request, response).catch(() => undefined);
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${tls ? 'https' : 'http'}://127.0.0.1:${port}/hook/T0K3N`),
    received,
    got: (count) =>
      new Promise((resolve) => {
        if (received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

function babble(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(16_384)));
  };
  response.on('drain', more);
  more();
}
