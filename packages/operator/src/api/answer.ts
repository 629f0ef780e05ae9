/** An answer of `/api/v1`, before it is written to a connection. */
import type { Subscription } from './streams.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** The methods that are answered, if the question came by another. */
  readonly allow?: string;
  /** Changes with the answer: a reader that sends it back gets 304. */
  readonly etag?: string;
  /** Begins a stream in place of a body. Returns the function to call when the reader has disconnected. */
  readonly stream?: (sink: Subscription['sink']) => () => void;
}

export const ok = (body: unknown): ApiAnswer => ({ status: 200, body });
export const refused = (status: number, error: string): ApiAnswer => ({ status, body: { error } });
