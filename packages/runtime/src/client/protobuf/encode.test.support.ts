/** Writes what an API server sends in protobuf, so far as tests need it. */
import { MAGIC } from './envelope.ts';

type Content = string | Uint8Array | readonly Uint8Array[];

function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** A text, bytes, or a message of several fields. */
export function field(number: number, content: Content): Buffer {
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content)
      : content instanceof Uint8Array
        ? content
        : Buffer.concat(content);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

export const entry = (number: number, key: string, value: string | Uint8Array): Buffer =>
  field(number, [field(1, key), field(2, value)]);

export interface Sample {
  readonly name: string;
  readonly version?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, Uint8Array>>;
}

/** The server writes empty texts, too. */
export function secret({ name, version = '1', annotations = {}, data = {} }: Sample): Buffer {
  const metadata = [
    field(1, name),
    field(2, ''),
    field(3, 'shop'),
    field(4, ''),
    field(5, 'u'),
    field(6, version),
    numberField(7, 0),
    field(8, [numberField(1, 1_700_000_000), numberField(2, 0)]),
    ...Object.entries(annotations).map(([key, value]) => entry(12, key, value)),
    // A field that this version of the decoder does not know.
    field(99, 'later'),
  ];
  return Buffer.concat([
    field(1, metadata),
    ...Object.entries(data).map(([key, value]) => entry(2, key, value)),
    field(3, 'Opaque'),
  ]);
}

export function enveloped(kind: string, object: Uint8Array): Buffer {
  const type = field(1, [field(1, 'v1'), field(2, kind)]);
  return Buffer.concat([MAGIC, type, field(2, object), field(3, ''), field(4, '')]);
}

/** An event with its length before it. */
export function frame(type: string, kind: string, object: Uint8Array): Buffer {
  const event = Buffer.concat([field(1, type), field(2, [field(1, enveloped(kind, object))])]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

export function secretList(items: readonly Buffer[], version: string, rest = ''): Buffer {
  const metadata = field(1, [field(1, ''), field(2, version), field(3, rest)]);
  return enveloped('SecretList', Buffer.concat([metadata, ...items.map((item) => field(2, item))]));
}

export function status(code: number, reason: string, message: string): Buffer {
  const details = field(5, [field(1, 'web'), field(3, 'secrets'), numberField(5, 7)]);
  const parts = [field(1, [field(2, '')]), field(2, 'Failure'), field(3, message), field(4, reason), details];
  return Buffer.concat([...parts, numberField(6, code)]);
}
