/** A GET whose answer is read while it arrives: for compressed lists, and for endless streams. */
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';

export interface Opened {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export type Open = (
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Opened>;

/** To an address. */
export function openAt(base: string): Open {
  return (path, headers, signal) => {
    const url = new URL(base + path);
    const send = url.protocol === 'https:' ? secureRequest : request;
    return opened((onResponse) => send(url, { headers, signal, agent: false }, onResponse));
  };
}

/** Over a new stream to the server for each request. */
export function openOver(connect: (signal: AbortSignal) => Promise<Duplex>): Open {
  return async (path, headers, signal) => {
    const stream = await connect(signal);
    const options: RequestOptions = {
      path,
      // The stream ends on loopback, and the operator answers there only to this name.
      headers: { ...headers, host: 'localhost', connection: 'close' },
      createConnection: () => stream,
      signal,
    };
    try {
      return await opened((onResponse) => request(options, onResponse));
    } catch (error) {
      stream.destroy();
      throw error;
    }
  };
}

function opened(
  send: (onResponse: (response: IncomingMessage) => void) => ReturnType<typeof request>,
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    send((response) =>
      resolve({ status: response.statusCode ?? 502, headers: response.headers, body: response }),
    )
      .once('error', reject)
      .end();
  });
}
