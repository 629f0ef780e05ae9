/** Reads a request's body, and no more of it than is allowed. */
import type { IncomingMessage } from 'node:http';

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(limit: number): BodyTooLargeError {
  return new BodyTooLargeError(`The body is larger than ${limit} bytes`);
}
