/**
 * Writes answers of `/api/v1` to a connection: JSON, compressed if the client accepts that, and 304 if the client has
 * it already; or a stream.
 *
 * Compression runs outside the event loop, and long answers are written in pieces. A stream ends when the API ends it,
 * or when its reader has disconnected.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiAnswer } from '../api/answer.ts';
import type { Reader } from '../api/reader.ts';
import type { Api } from '../api/routes.ts';
import { takesGzip } from './gzip.ts';
import { jsonOf } from './json.ts';
import { PAGE_HEADERS } from './page-headers.ts';

const compressed = promisify(gzip);
/** Shorter ones fit one packet anyway. */
const WORTH_COMPRESSING = 1_400;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Tells nginx not to buffer the stream.
  'x-accel-buffering': 'no',
  ...PAGE_HEADERS,
};

export interface Asked {
  readonly message: Pick<IncomingMessage, 'method' | 'headers'>;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The common part of HTTP/1 and HTTP/2 responses. */
export type Response = Pick<
  ServerResponse,
  'once' | 'writeHead' | 'write' | 'end' | 'destroy' | 'writableLength'
>;

export async function answerApi(
  api: Api,
  { message, path, query }: Asked,
  reader: Reader,
  response: Response,
): Promise<void> {
  const { method, headers } = message;
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  const lastEventId = headers['last-event-id'];
  const answer = await api({
    method,
    path,
    query,
    reader,
    signal: ending.signal,
    ...(typeof lastEventId === 'string' && { lastEventId }),
  });
  if (answer.stream && method === 'HEAD') return void response.writeHead(200, STREAM_HEADERS).end();
  if (answer.stream) return sendStream(answer.stream, response);
  await send(answer, headers, response);
}

async function send(
  { status, body, etag, allow }: ApiAnswer,
  headers: IncomingMessage['headers'],
  response: Response,
): Promise<void> {
  const tag = etag === undefined ? {} : { etag: `W/"${etag}"`, vary: 'accept-encoding' };
  if (tag.etag !== undefined && (headers['if-none-match'] ?? '').split(/\s*,\s*/).includes(tag.etag)) {
    response.writeHead(304, { ...tag, ...PAGE_HEADERS }).end();
    return;
  }
  const text = textOf(body);
  const plain = await text.plain;
  const zip = plain.length > WORTH_COMPRESSING && takesGzip(headers);
  const bytes = zip ? await text.zipped() : plain;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...(zip && { 'content-encoding': 'gzip' }),
    ...(allow !== undefined && { allow }),
    ...tag,
    ...PAGE_HEADERS,
  });
  response.end(bytes);
}

/** The text of a body, made and compressed once. */
class Text {
  readonly plain: Promise<Buffer>;
  #zipped: Promise<Buffer> | undefined;

  constructor(body: unknown) {
    this.plain = jsonOf(body).then((json) => Buffer.from(`${json}\n`));
  }

  zipped(): Promise<Buffer> {
    this.#zipped ??= this.plain.then((plain) => compressed(plain, { level: 5 }));
    return this.#zipped;
  }
}

/** By body: readers that asked the same at the same time have the same one. */
const texts = new WeakMap<object, Text>();

function textOf(body: unknown): Text {
  if (typeof body !== 'object' || body === null) return new Text(body);
  const text = texts.get(body) ?? new Text(body);
  texts.set(body, text);
  return text;
}

/** Resolves when it has ended. */
function sendStream(begin: NonNullable<ApiAnswer['stream']>, response: Response): Promise<void> {
  return new Promise((resolve) => {
    response.writeHead(200, STREAM_HEADERS);
    const leave = begin({
      write: (chunk) => void response.write(chunk),
      get buffered() {
        return response.writableLength;
      },
      // A reader that has not consumed what was sent must not delay the shutdown.
      end: () => void (response.writableLength > 0 ? response.destroy() : response.end()),
    });
    response.once('close', () => {
      leave();
      resolve();
    });
  });
}
