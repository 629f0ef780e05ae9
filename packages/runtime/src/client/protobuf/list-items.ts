/**
 * Reads a list in protobuf item by item. Each item is passed on and dropped.
 *
 * In: the bytes of an answer, split anywhere. Out: each item, in order, and the metadata of the list. Guarantees: at
 * most one item and one chunk are in memory; no item is longer than the limit; a list that was cut is a `DecodeError`,
 * after its first items were passed on.
 */

import { EventLoopBudget } from '../../clock/event-loop-budget.ts';
import type { KubernetesObject, ListMeta, Stored } from '../../model/types.ts';
import { asBuffer, ByteBuffer } from '../decode/byte-buffer.ts';
import type { ListDecoding } from '../decode/list-items.ts';
import { DecodeError } from '../errors.ts';
import { MAGIC } from './envelope.ts';
import { MessageReader } from './message.ts';
import { listMetaOf } from './metadata.ts';
import type { Decode } from './objects.ts';

/** A tag and a length of 32 bits. */
const LONGEST_HEADER = 10;
const BYTES = 2;

export async function readProtobufList<T extends KubernetesObject>(
  body: AsyncIterable<Uint8Array>,
  decode: Decode<T>,
  onItem: (item: Stored<T>) => void,
  { maxBytes, clock }: ListDecoding,
): Promise<ListMeta> {
  const reader = new ProtobufListReader(decode, onItem, maxBytes);
  const loopBudget = new EventLoopBudget(clock);
  for await (const chunk of body) {
    reader.push(asBuffer(chunk));
    const pause = loopBudget.pause();
    if (pause) await pause;
  }
  return reader.end();
}

/** The fields around the list, then those of the list. */
type Place = 'magic' | 'envelope' | 'list';

export class ProtobufListReader<T extends KubernetesObject> {
  readonly #decode: Decode<T>;
  readonly #onItem: (item: Stored<T>) => void;
  readonly #maxBytes: number;
  /** Bytes that arrived and are not a whole field. */
  readonly #rest = new ByteBuffer();
  #place: Place = 'magic';
  /** The list itself has begun. */
  #begun = false;
  /** Bytes of the list that are still to come. */
  #left = 0;
  #items = 0;
  #metadata: ListMeta | undefined;

  constructor(decode: Decode<T>, onItem: (item: Stored<T>) => void, maxBytes: number) {
    this.#decode = decode;
    this.#onItem = onItem;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    if (this.#rest.length === 0) {
      const used = this.#read(chunk);
      if (used < chunk.length) this.#rest.append(chunk, used, chunk.length);
      return;
    }
    this.#rest.append(chunk, 0, chunk.length);
    const bytes = this.#rest.tail(0);
    const used = this.#read(bytes);
    if (used === 0) return;
    const tail = Buffer.from(bytes.subarray(used));
    this.#rest.clear();
    this.#rest.append(tail, 0, tail.length);
    tail.fill(0);
  }

  end(): ListMeta {
    if (!this.#begun || this.#rest.length > 0 || this.#left > 0) {
      throw new DecodeError(
        `The list broke off after ${this.#items} items: the answer was cut on the way, ask again`,
      );
    }
    return this.#metadata ?? {};
  }

  /** Reads whole fields; returns how many bytes they had. */
  #read(bytes: Buffer): number {
    let at = 0;
    if (this.#place === 'magic') {
      if (bytes.length < MAGIC.length) return 0;
      if (bytes.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0)
        throw new DecodeError('The answer is no list in protobuf: look for a proxy that changes answers');
      this.#place = 'envelope';
      at = MAGIC.length;
    }
    while (at < bytes.length) {
      const header = headerAt(bytes, at);
      if (!header) break;
      const { field, start, length } = header;
      if (this.#place === 'envelope' && field === 2) {
        if (length > 0) this.#place = 'list';
        this.#left = length;
        this.#begun = true;
        at = start;
        continue;
      }
      if (length > this.#maxBytes) throw this.#tooLong();
      const end = start + length;
      if (end > bytes.length) break;
      if (this.#place === 'list') this.#take(bytes, field, start, end, end - at);
      at = end;
    }
    return at;
  }

  #take(bytes: Buffer, field: number, start: number, end: number, size: number): void {
    if (field === 1) this.#metadata = listMetaOf(new MessageReader(bytes, start, end));
    else if (field === 2) {
      this.#items += 1;
      this.#onItem(this.#decode(bytes, start, end));
    }
    this.#left -= size;
    if (this.#left < 0) throw new DecodeError('A list in protobuf has an item that is longer than the list');
    if (this.#left === 0) this.#place = 'envelope';
  }

  #tooLong(): DecodeError {
    return new DecodeError(
      `Item ${this.#items} of the list is longer than the allowed ${this.#maxBytes} bytes: raise maxObjectBytes if objects of this size are meant to exist`,
    );
  }
}

interface Header {
  readonly field: number;
  readonly start: number;
  readonly length: number;
}

/** Undefined if it is not there as a whole. All fields of a list and of what is around it have a length. */
function headerAt(bytes: Buffer, at: number): Header | undefined {
  let position = at;
  const varint = (): number | undefined => {
    let value = 0;
    for (let factor = 1; position < bytes.length; factor *= 128) {
      const byte = bytes[position++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (position - at > LONGEST_HEADER) throw new DecodeError('A list in protobuf is malformed');
    }
    return undefined;
  };
  const tag = varint();
  if (tag === undefined) return undefined;
  if (tag % 8 !== BYTES) throw new DecodeError('A list in protobuf is malformed');
  const length = varint();
  return length === undefined ? undefined : { field: Math.floor(tag / 8), start: position, length };
}
