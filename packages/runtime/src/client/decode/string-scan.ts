/** Finds the end of a JSON string in bytes, across chunks. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Most strings are short: below this length a loop beats the call into native code, above it is far slower. */
const LOOP_BYTES = 32;

export class StringScan {
  #escaped = false;

  /** Call at the opening quote. */
  begin(): void {
    this.#escaped = false;
  }

  /** The position after the closing quote, or -1 when the string goes on in the next chunk. */
  skip(chunk: Buffer, from: number): number {
    const loopEnd = Math.min(chunk.length, from + LOOP_BYTES);
    let at = from;
    for (; at < loopEnd; at++) {
      if (this.#escaped) this.#escaped = false;
      else if (chunk[at] === BACKSLASH) this.#escaped = true;
      else if (chunk[at] === QUOTE) return at + 1;
    }
    return at < chunk.length ? this.#search(chunk, at) : -1;
  }

  #search(chunk: Buffer, from: number): number {
    let start = from;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, start);
      const end = quote < 0 ? chunk.length : quote;
      const escaped = this.#escapedAt(chunk, start, end);
      if (quote < 0) {
        this.#escaped = escaped;
        return -1;
      }
      this.#escaped = false;
      if (!escaped) return quote + 1;
      start = quote + 1;
    }
  }

  /** Whether the byte at `end` is escaped: by an odd run of backslashes before it, counted back to `start`. */
  #escapedAt(chunk: Buffer, start: number, end: number): boolean {
    let first = end;
    while (first > start && chunk[first - 1] === BACKSLASH) first--;
    const run = end - first + (first === start && this.#escaped ? 1 : 0);
    return run % 2 === 1;
  }
}
