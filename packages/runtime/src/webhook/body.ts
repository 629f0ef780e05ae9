/**
 * Reads request bodies within limits.
 *
 * In: requests as they arrive. Out: the text of each. Guarantees: no body is larger than the limit for one, and all
 * concurrent bodies together stay within the total limit; the one that would exceed it is refused, and the others are
 * not affected.
 */
import type { IncomingMessage } from 'node:http';

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** Too many concurrent bodies: their senders may retry. */
export class TooManyBodiesError extends Error {
  override name = 'TooManyBodiesError';
}

export interface BodyLimits {
  readonly one: number;
  readonly all: number;
}

export class BodyReader {
  readonly #limits: BodyLimits;
  #held = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  async read(request: IncomingMessage): Promise<string> {
    const { one, all } = this.#limits;
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > one) throw tooLarge(one);
    const chunks: Buffer[] = [];
    let size = 0;
    const free = (): void => {
      this.#held -= size;
      size = 0;
    };
    try {
      for await (const chunk of request) {
        const bytes: Buffer = chunk;
        const error =
          size + bytes.length > one
            ? tooLarge(one)
            : this.#held + bytes.length > all
              ? new TooManyBodiesError(`Bodies of more than ${all} bytes are being read at the same time`)
              : undefined;
        if (error) {
          // At once: leaving the loop waits until the request is closed, and others need the room meanwhile.
          free();
          throw error;
        }
        size += bytes.length;
        this.#held += bytes.length;
        chunks.push(bytes);
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      free();
    }
  }
}

function tooLarge(limit: number): BodyTooLargeError {
  return new BodyTooLargeError(`The body is larger than ${limit} bytes`);
}
