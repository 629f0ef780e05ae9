/** Shared by both protocols: headers and bodies in the transport's form. */
import type { Readable } from 'node:stream';
import type { TransportRequest } from '../transport.ts';

export function responseHeaders(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || name.startsWith(':')) continue;
    flat[name] = typeof value === 'object' ? value.join(', ') : String(value);
  }
  return flat;
}

export function requestHeaders(request: TransportRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...request.headers };
  const { repeatedHeaders } = request;
  if (repeatedHeaders)
    for (const [name, values] of Object.entries(repeatedHeaders)) headers[name] = [...values];
  return headers;
}

/** Of one body: about as much as one read of its socket brings. */
const MOST_KEPT_BYTES = 64 * 1024;

export interface BodySource {
  readonly stream: Readable;
  /** Stops the sender at once. */
  readonly cancel: () => void;
  /** Whether the message was complete at the end of the stream: a lost connection ends a stream as well. */
  readonly complete: () => boolean;
  /** Why the body ended before it was complete. */
  readonly failure: (cause: unknown) => unknown;
}

/**
 * A body in the transport's form.
 *
 * Each call of `next` returns one chunk. Chunks that arrive while nobody asks are kept up to a limit; then the stream is
 * paused, so that it fills up and the sender has to wait. Pausing after every chunk was measured to cost as much as
 * decoding it: API servers send large lists in chunks of four kilobytes. Plain callbacks instead of an async generator:
 * chunks that pass through a chain of promises live long enough to be moved to the old generation, which was measured to
 * cost several megabytes on a large list.
 */
export function bodyOf(source: BodySource): AsyncIterableIterator<Uint8Array> {
  const { stream } = source;
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let started = false;
  let waiting: Waiting | undefined;
  let over: (() => Promise<IteratorResult<Uint8Array>>) | undefined;

  const settle = (outcome: (waiting: Waiting) => void): void => {
    const current = waiting;
    waiting = undefined;
    if (current) outcome(current);
  };
  const finish = (error?: unknown): void => {
    const complete = stream.readableEnded && source.complete();
    const failure = complete ? undefined : source.failure(error);
    over ??= () => (complete ? Promise.resolve(DONE) : Promise.reject(failure));
    settle(({ resolve, reject }) => (complete ? resolve(DONE) : reject(failure)));
  };
  const onData = (value: Uint8Array): void => {
    if (over) return;
    if (waiting) {
      settle(({ resolve }) => resolve({ done: false, value }));
      return;
    }
    kept.push(value);
    keptBytes += value.length;
    if (keptBytes >= MOST_KEPT_BYTES) stream.pause();
  };
  const start = (): void => {
    started = true;
    stream.on('data', onData);
    stream.once('end', finish).once('error', finish).once('close', finish);
    if (stream.destroyed) finish();
  };

  return {
    next() {
      const value = kept.shift();
      if (value) {
        keptBytes -= value.length;
        return Promise.resolve({ done: false, value });
      }
      if (over) return over();
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        if (!started) start();
        if (stream.isPaused()) stream.resume();
      });
    },
    async return() {
      kept.length = 0;
      if (!over) {
        over = async () => DONE;
        settle(({ resolve }) => resolve(DONE));
        if (!stream.readableEnded) source.cancel();
      }
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array>) => void;
  readonly reject: (error: unknown) => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
