/** JSON from bytes, with errors that never quote the input: it may be a Secret. */
import { DecodeError } from '../errors.ts';
import { asBuffer, ByteBuffer, textOf } from './byte-buffer.ts';

/**
 * V8 quotes the text around a syntax error in its message, so that message is dropped on purpose and the
 * error has no cause.
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DecodeError(
      `${what} is not JSON (${text.length} characters): look for a proxy that changes or cuts answers`,
    );
  }
}

/** Reads a whole body of bounded size as text. */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<string> {
  const bytes = await readBytes(body, maxBytes, what);
  return textOf(bytes, 0, bytes.length, what);
}

/** Reads a whole body of bounded size. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  let only: Buffer | undefined;
  let buffer: ByteBuffer | undefined;
  let length = 0;
  for await (const chunk of body) {
    const bytes = asBuffer(chunk);
    length += bytes.length;
    if (length > maxBytes) throw new DecodeError(`${what} has more than the allowed ${maxBytes} bytes`);
    if (length === bytes.length) {
      only = bytes;
      continue;
    }
    // Most answers arrive in one chunk and need no buffer.
    buffer ??= new ByteBuffer();
    if (only) buffer.append(only, 0, only.length);
    only = undefined;
    buffer.append(bytes, 0, bytes.length);
  }
  return only ?? buffer?.tail(0) ?? Buffer.alloc(0);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
