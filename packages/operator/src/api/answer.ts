/** An answer of `/api/v1`, before it is written to a connection. */
import type { Subscription } from './streams.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** Changes with the answer: who has it already is answered 304. */
  readonly etag?: string;
  /** In place of a body: a stream, which this begins. Returns what to call when the reader has gone. */
  readonly stream?: (sink: Subscription['sink']) => () => void;
}

export const ok = (body: unknown): ApiAnswer => ({ status: 200, body });
export const refused = (status: number, error: string): ApiAnswer => ({ status, body: { error } });
