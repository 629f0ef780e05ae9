/** One GET over a given stream to a server. */
import { request } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Got {
  readonly status: number;
  readonly body: string;
}

export function getOverStream(stream: Duplex, path: string, signal: AbortSignal): Promise<Got> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      stream.destroy();
      reject(signal.aborted ? signal.reason : error);
    };
    stream.once('error', fail);
    const sent = request({
      path,
      // The stream ends on loopback, and the operator answers there only to this name.
      headers: { host: 'localhost', accept: 'application/json', connection: 'close' },
      createConnection: () => stream,
      signal,
    });
    sent.once('error', fail);
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', fail);
      response.once('end', () => {
        stream.destroy();
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.end();
  });
}
