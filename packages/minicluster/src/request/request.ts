/** Requests and answers as plain data, used by HTTP, the in-process transport and fault injection. */
import type { Replica } from '../storage/replica.ts';

/** A request as plain data. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
  /** The user in the client's verified TLS certificate, if any. */
  readonly certificate?: { readonly user: string; readonly groups: readonly string[] };
  /** The front end that answers; the server's default if absent. */
  readonly replica?: Replica;
}

/** An answer as plain data. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | LiveBody;
}

/** Receives the chunks of a streaming body. */
export interface Sink {
  write(chunk: Uint8Array): void;
  /** No more chunks will come. */
  end(): void;
  /** The connection breaks: no more chunks follow, and the client notices. */
  fail(error: Error): void;
}

/**
 * Thrown by a handler instead of an answer: the connection is lost, and the client does not know whether the request
 * was carried out.
 */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
}

/** A streaming body that lasts until one side ends it: a watch. */
export interface LiveBody {
  /** Starts to push into `sink`; the result stops it. Called once. */
  open(sink: Sink): () => void;
}

/** Answers one request. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
/** Wraps the handler: to observe, change or refuse requests. */
export type Middleware = (next: Handler) => Handler;

export function isLive(body: Uint8Array | LiveBody): body is LiveBody {
  return 'open' in body;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeText = (text: string): Uint8Array => encoder.encode(text);
export const decodeText = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : decoder.decode(bytes);
