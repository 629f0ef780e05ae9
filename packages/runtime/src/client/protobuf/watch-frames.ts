/**
 * The events of a watch in protobuf.
 *
 * In: bytes, each event behind its length in four bytes. Out: events in order. Guarantees: no event is longer than the
 * limit (else a `DecodeError`). The values of an event are views of what was received, valid until the next one is
 * asked for; then a copy that was made of them is overwritten, because it may have been a Secret.
 */
import type { KubernetesObject, Stored } from '../../model/types.ts';
import type { WatchEvent } from '../client.ts';
import { asBuffer, ByteBuffer } from '../decode/byte-buffer.ts';
import { INITIAL_EVENTS_END, type WatchDecoding, type WatchFraming } from '../decode/watch-events.ts';
import { apiErrorFrom, DecodeError } from '../errors.ts';
import { envelopeOf, statusOf } from './envelope.ts';
import { MessageReader } from './message.ts';
import type { Decode } from './objects.ts';

const LENGTH_BYTES = 4;

/** The range of an event in a buffer. */
interface Frame {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export class ProtobufFraming<T extends KubernetesObject> implements WatchFraming<T, Frame> {
  readonly #decoding: WatchDecoding;
  readonly #decode: Decode<T>;
  /** The part of a frame that arrived in earlier chunks, its length included. */
  readonly #rest = new ByteBuffer();

  constructor(decoding: WatchDecoding, decode: Decode<T>) {
    this.#decoding = decoding;
    this.#decode = decode;
  }

  *push(chunk: Uint8Array): Generator<Frame, void, undefined> {
    const bytes = asBuffer(chunk);
    let at = 0;
    while (at < bytes.length) {
      const missing = this.#rest.length > 0 ? this.#missing() : this.#missingOf(bytes, at);
      const end = at + missing;
      if (end > bytes.length) break;
      if (this.#rest.length === 0) yield { bytes, start: at + LENGTH_BYTES, end };
      else {
        this.#rest.append(bytes, at, end);
        // Only the length was complete: how much is missing is known now.
        if (this.#missing() > 0) {
          at = end;
          continue;
        }
        const whole = this.#rest.tail(LENGTH_BYTES);
        yield { bytes: whole, start: 0, end: whole.length };
        this.#rest.clear();
      }
      at = end;
    }
    if (at < bytes.length) this.#rest.append(bytes, at, bytes.length);
  }

  end(): undefined {
    if (this.#rest.length === 0) return undefined;
    const { length } = this.#rest;
    this.#rest.clear();
    throw new DecodeError(
      `${this.#decoding.request}: the server ended in the middle of an event (${length} bytes): watch again from the last known version`,
    );
  }

  eventOf({ bytes, start, end }: Frame): WatchEvent<T> | undefined {
    const message = new MessageReader(bytes, start, end);
    let type = '';
    let raw: MessageReader | undefined;
    while (message.next()) {
      if (message.field === 1) type = message.text();
      else if (message.field === 2) raw = message.message();
    }
    while (raw?.next()) if (raw.field === 1) return this.#event(type, bytes, raw.start, raw.end);
    throw new DecodeError(
      `${this.#decoding.request}: the server sent an event without an object (${end - start} bytes)`,
    );
  }

  #event(type: string, bytes: Buffer, from: number, to: number): WatchEvent<T> | undefined {
    const { apiVersion, kind, start, end } = envelopeOf(bytes, from, to);
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return { type, object: Object.assign(this.#decode(bytes, start, end), { apiVersion, kind }) };
      case 'BOOKMARK':
        return this.#bookmark(this.#decode(bytes, start, end));
      case 'ERROR':
        throw apiErrorFrom(statusOf(new MessageReader(bytes, start, end)), {
          request: this.#decoding.request,
        });
      default:
        this.#decoding.onUnknownType(type);
        return undefined;
    }
  }

  #bookmark({ metadata }: Stored<T>): WatchEvent<T> {
    const { resourceVersion, annotations } = metadata;
    if (resourceVersion === '') {
      throw new DecodeError(
        `${this.#decoding.request}: the server sent a bookmark without a resourceVersion`,
      );
    }
    const initialEventsEnd = annotations?.[INITIAL_EVENTS_END] === 'true';
    return { type: 'BOOKMARK', resourceVersion, initialEventsEnd };
  }

  /** Of the frame in `#rest`; of its length, as long as that is incomplete. */
  #missing(): number {
    if (this.#rest.length < LENGTH_BYTES) return LENGTH_BYTES - this.#rest.length;
    return LENGTH_BYTES + this.#checked(this.#rest.tail(0).readUInt32BE(0)) - this.#rest.length;
  }

  /** Of a frame that begins here. */
  #missingOf(bytes: Buffer, at: number): number {
    if (bytes.length - at < LENGTH_BYTES) return LENGTH_BYTES;
    return LENGTH_BYTES + this.#checked(bytes.readUInt32BE(at));
  }

  #checked(length: number): number {
    const { maxBytes, request } = this.#decoding;
    if (length <= maxBytes) return length;
    throw new DecodeError(
      `An event of ${request} is longer than the allowed ${maxBytes} bytes: raise maxObjectBytes if objects of this size are meant to exist`,
    );
  }
}
