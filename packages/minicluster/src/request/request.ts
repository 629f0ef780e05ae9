/** Requests and answers as plain data: HTTP, the in-process transport and fault injection all speak this. */
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
  /** Who the client's TLS certificate says it is, when the listener asked for one and checked it. */
  readonly certificate?: { readonly user: string; readonly groups: readonly string[] };
  /** The front end that answers; the server has one of its own. */
  readonly replica?: Replica;
}

/** An answer as plain data. */
export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | LiveBody;
}

/** Where a body that goes on pushes its chunks. */
export interface Sink {
  write(chunk: Uint8Array): void;
  /** No more chunks will come. */
  end(): void;
  /** The connection breaks: no more chunks will come, and the client notices. */
  fail(error: Error): void;
}

/** Thrown by a handler in place of an answer: the connection is gone, and whether anything was done is not told. */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
}

/** A body that goes on until one side ends it: a watch. */
export interface LiveBody {
  /** Starts pushing into `sink`; the result stops it. Called once. */
  open(sink: Sink): () => void;
}

/** Answers one request. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;
/** Put around the handler: to look at requests, to change or to refuse them. */
export type Middleware = (next: Handler) => Handler;

export function isLive(body: Uint8Array | LiveBody): body is LiveBody {
  return 'open' in body;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeText = (text: string): Uint8Array => encoder.encode(text);
export const decodeText = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : decoder.decode(bytes);
