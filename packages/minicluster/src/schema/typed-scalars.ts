/** Scalars of a typed body: checked as Go's decoder does, with its messages. */
import type { GoKind, GoType } from './go-types.ts';
import { canonicalQuantity, QuantityError } from './quantity.ts';
import { canonicalTime, TimeError } from './timestamps.ts';

/** A decoding error. */
export class DecodeError extends Error {
  override name = 'DecodeError';
  /** The same error in the words of the converter that strategic merge patches use. */
  readonly converterMessage: string;

  constructor(message: string, converterMessage = message) {
    super(message);
    this.converterMessage = converterMessage;
  }
}

export interface FieldPlace {
  readonly struct: string;
  readonly names: string;
}

const INT32_MAX = 2 ** 31 - 1;

/** `value` has another type than the field. */
export function unmarshalError(
  value: unknown,
  goName: string,
  { struct, names }: FieldPlace,
  kind: GoKind = 'raw',
): DecodeError {
  const isInteger = /^u?int\d*$/.test(goName);
  const got = typeof value === 'number' && isInteger ? `number ${plainNumber(value)}` : goValueName(value);
  const where = names ? `Go struct field ${struct}.${names}` : 'Go value';
  return new DecodeError(
    `json: cannot unmarshal ${got} into ${where} of type ${goName}`,
    converterMessage(value, got, goName, kind),
  );
}

function converterMessage(value: unknown, got: string, goName: string, kind: GoKind): string {
  const source = converterKind(value);
  switch (kind) {
    case 'struct':
      return `cannot restore struct from: ${source}`;
    case 'list':
      return `cannot restore slice from ${source}`;
    case 'map':
      return `cannot restore map from ${source}`;
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return source === 'map' || source === 'slice'
        ? `unrecognized type: ${kind}`
        : convertible(source, kind)
          ? `cannot convert ${source} to ${goName}`
          : `unrecognized type: ${kind}`;
    default:
      return `json: cannot unmarshal ${got} into Go value of type ${goName}`;
  }
}

/** Go could convert between these types (even a number to text), but the server refuses. */
function convertible(source: string, target: GoKind): boolean {
  const isNumber = source === 'int64' || source === 'float64';
  return (isNumber && target !== 'bool') || source === target;
}

function converterKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'map' : typeof value;
}

function goValueName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return value === null ? 'null' : typeof value;
}

function plainNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value);
}

/** Throws `DecodeError`. */
export function readScalar(value: unknown, type: GoType, place: FieldPlace): unknown {
  switch (type.kind) {
    case 'string':
      if (typeof value !== 'string') throw unmarshalError(value, type.goName, place, type.kind);
      return value;
    case 'bool':
      if (typeof value !== 'boolean') throw unmarshalError(value, type.goName, place, type.kind);
      return value;
    case 'float64':
      if (typeof value !== 'number') throw unmarshalError(value, type.goName, place, type.kind);
      return value;
    case 'int32':
    case 'int64':
      return readInteger(value, type.kind, place, type.kind);
    case 'intorstring':
      return typeof value === 'string' ? value : readInteger(value, 'int32', place, type.kind);
    case 'quantity':
      return readQuantity(value);
    case 'time':
    case 'microtime':
      return readTime(value, type.kind, place);
    default:
      return readBytes(value, type, place);
  }
}

function readInteger(value: unknown, size: 'int32' | 'int64', place: FieldPlace, kind: GoKind): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw unmarshalError(value, size, place, kind);
  const limit = size === 'int32' ? INT32_MAX : 2 ** 63;
  if (value > limit || value < -limit - 1) throw unmarshalError(value, size, place, kind);
  return value;
}

function readQuantity(value: unknown): string {
  try {
    return canonicalQuantity(typeof value === 'string' ? value.trim() : JSON.stringify(value));
  } catch (error) {
    throw error instanceof QuantityError ? new DecodeError(error.message) : error;
  }
}

function readTime(value: unknown, kind: 'time' | 'microtime', place: FieldPlace): string {
  if (typeof value !== 'string') throw unmarshalError(value, 'string', place);
  try {
    return canonicalTime(value, kind === 'time' ? 'seconds' : 'microseconds');
  } catch (error) {
    throw error instanceof TimeError ? new DecodeError(error.message) : error;
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readBytes(value: unknown, type: GoType, place: FieldPlace): string {
  if (typeof value !== 'string') throw unmarshalError(value, type.goName, place);
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  if (!BASE64.test(text)) throw new DecodeError(`illegal base64 data at input byte ${firstFault(text)}`);
  return Buffer.from(text, 'base64').toString('base64');
}

/** The byte position in Go's message: the first invalid character, or the end of an incomplete group. */
function firstFault(text: string): number {
  const valid = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const inGroup = valid % 4;
  if (valid === text.length) return valid - inGroup;
  const isPadding = text[valid] === '=';
  if (!isPadding || inGroup < 2) return valid;
  const needed = 4 - inGroup;
  const padding = /^=*/.exec(text.slice(valid))?.[0].length ?? 0;
  if (padding < needed) return Math.min(valid + padding, text.length);
  return valid + needed;
}
