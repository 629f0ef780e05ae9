/** What both protocols share: headers and bodies as the transport promises them. */
import type { Readable } from 'node:stream';
import type { TransportRequest } from '../transport.ts';

export function responseHeaders(
  headers: Readonly<Record<string, string | readonly string[] | number | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    flat[name] = typeof value === 'object' ? value.join(', ') : String(value);
  }
  return flat;
}

export function requestHeaders(request: TransportRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { ...request.headers };
  for (const [name, values] of Object.entries(request.repeatedHeaders ?? {})) headers[name] = [...values];
  return headers;
}

export interface BodySource {
  readonly stream: Readable;
  /** Stops the sender at once. */
  readonly cancel: () => void;
  /** Why the body ended before it was complete. */
  readonly failure: (cause: unknown) => unknown;
}

/** Reads on demand: as long as nobody asks for the next chunk, the stream fills up and the sender waits. */
export async function* bodyOf(source: BodySource): AsyncGenerator<Uint8Array, void, undefined> {
  const { stream } = source;
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw source.failure(error);
  } finally {
    if (!stream.readableEnded) source.cancel();
  }
  // A connection that goes down may end the iteration without an error; only a real end is one.
  if (!stream.readableEnded) throw source.failure(undefined);
}
