/**
 * Cuts a byte stream into lines.
 *
 * In: chunks with boundaries anywhere, also inside a UTF-8 sequence. Out: the text of each line that is not
 * blank. Guarantees: no line is longer than the limit (else a `DecodeError`), a rest is kept as a copy and
 * never as a view of its chunk.
 */
import { DecodeError } from '../errors.ts';
import { asBuffer, ByteBuffer, textOf } from './byte-buffer.ts';

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #what: string;
  readonly #rest = new ByteBuffer();

  constructor(maxBytes: number, what: string) {
    this.#maxBytes = maxBytes;
    this.#what = what;
  }

  *push(bytes: Uint8Array): Generator<string, void, undefined> {
    const chunk = asBuffer(bytes);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#check(this.#rest.length + end - start);
      const line = this.#take(chunk, start, end);
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    this.#check(this.#rest.length + chunk.length - start);
    if (start < chunk.length) this.#rest.append(chunk, start, chunk.length);
  }

  /** The bytes after the last line end: empty if the stream ended cleanly. */
  end(): string {
    const rest = this.#rest.text(this.#what).trim();
    this.#rest.clear();
    return rest;
  }

  #take(chunk: Buffer, start: number, end: number): string {
    if (this.#rest.length === 0) return textOf(chunk, start, end, this.#what);
    this.#rest.append(chunk, start, end);
    const line = this.#rest.text(this.#what);
    this.#rest.clear();
    return line;
  }

  #check(length: number): void {
    if (length > this.#maxBytes) {
      throw new DecodeError(
        `${this.#what} is longer than the allowed ${this.#maxBytes} bytes: raise maxObjectBytes if objects of this size are meant to exist`,
      );
    }
  }
}
