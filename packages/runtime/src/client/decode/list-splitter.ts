/**
 * Splits a Kubernetes List into items while it arrives.
 *
 * In: chunks of the JSON text, split anywhere. Out: the text of each element of the top-level `items`, one at a time
 * and in order; at the end everything else of the list, with `items` empty. Guarantees: at most one item is in
 * memory; input that `JSON.parse` would refuse is refused here too (each item and the rest pass through
 * `JSON.parse`); items and rest are bounded in size. Does not guarantee that an invalid list is refused before its
 * first items were passed on.
 */
import { DecodeError } from '../errors.ts';
import { asBuffer, ByteBuffer, textOf } from './byte-buffer.ts';
import { isRecord, parseJson } from './json.ts';
import { StringScan } from './string-scan.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

export type ItemHandler = (text: string, index: number) => void;

export class ListSplitter {
  readonly #maxBytes: number;
  /** Everything but the items. */
  readonly #frame = new ByteBuffer();
  /** The part of the current item that arrived in earlier chunks. */
  readonly #item = new ByteBuffer();
  readonly #scan = new StringScan();
  #inString = false;
  #inItems = false;
  /** Open brackets: since the start of the list, or inside `items` since the start of the item. */
  #depth = 0;
  #index = 0;
  #itemsSeen = false;
  /** In the frame at depth 1: where the last string began, and whether it is the key of the coming value. */
  #stringStart = -1;
  #key: 'none' | 'candidate' | 'items' = 'none';

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Uint8Array, onItem: ItemHandler): void {
    const chunk = asBuffer(bytes);
    let at = 0;
    while (at < chunk.length) {
      at = this.#inItems ? this.#scanItems(chunk, at, onItem) : this.#scanFrame(chunk, at);
    }
  }

  /** The list without its items. Throws when the text ended too early or is no list. */
  end(): Record<string, unknown> {
    if (this.#inItems || this.#inString || this.#depth > 0) {
      throw new DecodeError(
        `The list broke off after ${this.#index} items: the answer was cut on the way, ask again`,
      );
    }
    const frame = parseJson(this.#frame.text('The list'), 'The list');
    const items = isRecord(frame) ? frame.items : undefined;
    if (!isRecord(frame) || !(this.#itemsSeen ? Array.isArray(items) : items === null)) {
      throw new DecodeError('The answer is no list: it has no array "items"');
    }
    return frame;
  }

  #scanItems(chunk: Buffer, from: number, onItem: ItemHandler): number {
    let start = from;
    let at = from;
    while (at < chunk.length) {
      if (this.#inString) {
        const after = this.#scan.skip(chunk, at);
        if (after < 0) break;
        this.#inString = false;
        at = after;
        continue;
      }
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#inString = true;
        this.#scan.begin();
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && this.#depth > 0) this.#depth--;
      else if (this.#depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) {
        this.#emit(chunk, start, at, byte === CLOSE_ARRAY, onItem);
        if (byte === CLOSE_ARRAY) {
          this.#leaveItems();
          return at + 1;
        }
        start = at + 1;
      }
      at++;
    }
    this.#checkSize(this.#item.length + chunk.length - start, `Item ${this.#index} of the list`);
    this.#item.append(chunk, start, chunk.length);
    return chunk.length;
  }

  #emit(chunk: Buffer, start: number, end: number, last: boolean, onItem: ItemHandler): void {
    const what = `Item ${this.#index} of the list`;
    this.#checkSize(this.#item.length + end - start, what);
    let text: string;
    if (this.#item.length === 0) text = textOf(chunk, start, end, what);
    else {
      this.#item.append(chunk, start, end);
      text = this.#item.text(what);
      this.#item.clear();
    }
    // `[]` is the only place where no value precedes a closing bracket.
    if (last && this.#index === 0 && text.trim() === '') return;
    onItem(text, this.#index++);
  }

  #leaveItems(): void {
    this.#inItems = false;
    this.#depth = 1;
    this.#frame.append(CLOSING, 0, CLOSING.length);
  }

  #scanFrame(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; ) {
      if (this.#inString) {
        const after = this.#scan.skip(chunk, at);
        const end = after < 0 ? chunk.length : after;
        this.#appendFrame(chunk, at, end);
        if (after < 0) return end;
        this.#inString = false;
        if (this.#depth === 1) this.#key = 'candidate';
        at = end;
        continue;
      }
      const byte = chunk[at] ?? SPACE;
      this.#appendFrame(chunk, at, at + 1);
      at++;
      if (this.#onFrameByte(byte)) return at;
    }
    return chunk.length;
  }

  /** True when this byte opened the items. */
  #onFrameByte(byte: number): boolean {
    if (byte <= SPACE) return false;
    if (byte === COLON && this.#key === 'candidate') {
      if (this.#lastString() === 'items') this.#key = 'items';
      return false;
    }
    const opensItems = byte === OPEN_ARRAY && this.#key === 'items';
    this.#key = 'none';
    if (byte === QUOTE) {
      this.#inString = true;
      this.#scan.begin();
      this.#stringStart = this.#frame.length - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#depth--;
    if (opensItems) this.#enterItems();
    return opensItems;
  }

  #enterItems(): void {
    if (this.#itemsSeen) throw new DecodeError('The answer is no list: it has "items" twice');
    this.#itemsSeen = true;
    this.#inItems = true;
    this.#depth = 0;
  }

  /** Parsed, because a key may be written with escapes. The bytes after it are blanks and the colon. */
  #lastString(): unknown {
    const text = this.#frame.tail(this.#stringStart).toString('utf8');
    return parseJson(text.slice(0, text.lastIndexOf('"') + 1), 'A key of the list');
  }

  #appendFrame(chunk: Buffer, start: number, end: number): void {
    this.#checkSize(this.#frame.length + end - start, 'The list without its items');
    this.#frame.append(chunk, start, end);
  }

  #checkSize(length: number, what: string): void {
    if (length > this.#maxBytes) {
      throw new DecodeError(
        `${what} is larger than the allowed ${this.#maxBytes} bytes: raise maxObjectBytes if objects of this size are meant to exist`,
      );
    }
  }
}

const CLOSING = Buffer.from(']');
