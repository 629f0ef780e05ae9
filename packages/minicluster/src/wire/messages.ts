/** Messages of the built-in types as JSON, field by field. */
import { type GoField, type GoKind, type GoStruct, type GoType, goStructNamed } from '../schema/go-types.ts';
import { type JsonRecord, MAX_DEPTH, own, setKey } from '../schema/json.ts';
import {
  asBytes,
  asDouble,
  asInteger,
  asText,
  WireError,
  type WireValue,
  wireFields,
} from './wire-reader.ts';

/** Unknown fields are skipped, as protobuf requires. */
export function readMessage(bytes: Uint8Array, struct: GoStruct, depth = 0): JsonRecord {
  if (depth > MAX_DEPTH) throw new WireError('message is nested too deeply');
  const result: JsonRecord = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = struct.wire.get(number);
    if (field) readField(result, field, value, depth);
  }
  return result;
}

/** Changes `result`. */
function readField(result: JsonRecord, field: GoField, value: WireValue, depth: number): void {
  const { type } = field;
  if (field.name === '') {
    // An embedded struct is a nested message here, although its fields are the parent's in JSON.
    Object.assign(result, readMessage(asBytes(value), (type.struct as () => GoStruct)(), depth + 1));
  } else if (type.kind === 'list') {
    const list = (own(result, field.name) ?? []) as unknown[];
    setKey(result, field.name, [...list, ...readItems(value, type.element as GoType, depth)]);
  } else if (type.kind === 'map') {
    const map = (own(result, field.name) ?? {}) as JsonRecord;
    readEntry(map, value, type.element as GoType, depth);
    setKey(result, field.name, map);
  } else {
    const read = readValue(value, type, depth);
    if (read !== undefined) setKey(result, field.name, read);
  }
}

const PACKABLE = new Set<GoKind>(['int32', 'int64', 'bool']);

/** One item, or packed numbers. */
function readItems(value: WireValue, element: GoType, depth: number): unknown[] {
  if (!PACKABLE.has(element.kind) || typeof value === 'bigint') return [readValue(value, element, depth)];
  const items: unknown[] = [];
  let number = 0n;
  let shift = 0n;
  for (const byte of value) {
    number |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    items.push(readValue(number, element, depth));
    number = 0n;
    shift = 0n;
  }
  return items;
}

/** Changes `map`. */
function readEntry(map: JsonRecord, value: WireValue, element: GoType, depth: number): void {
  let key = '';
  let entry: unknown = element.kind === 'string' ? '' : undefined;
  for (const { number, value: part } of wireFields(asBytes(value))) {
    if (number === 1) key = asText(part);
    else if (number === 2) entry = readValue(part, element, depth);
  }
  setKey(map, key, entry ?? null);
}

/** Undefined for values that JSON omits. */
function readValue(value: WireValue, type: GoType, depth: number): unknown {
  switch (type.kind) {
    case 'string':
      return asText(value);
    case 'bool':
      return asInteger(value) !== 0;
    case 'int32':
    case 'int64':
      return asInteger(value);
    case 'float64':
      return asDouble(value);
    case 'bytes':
      return Buffer.from(asBytes(value)).toString('base64');
    case 'struct':
      return readMessage(asBytes(value), (type.struct as () => GoStruct)(), depth + 1);
    case 'list':
      return partsOf(value, 1).flatMap((part) => readItems(part, type.element as GoType, depth + 1));
    case 'time':
    case 'microtime':
      return readTime(value, type.kind);
    case 'quantity':
      return asText(partsOf(value, 1)[0] ?? new Uint8Array());
    case 'intorstring':
      return readIntOrString(value);
    case 'raw':
      return readRaw(value);
    default:
      return readSchemaOr(value, type.kind, depth);
  }
}

function partsOf(value: WireValue, wanted: number): WireValue[] {
  const parts: WireValue[] = [];
  for (const { number, value: part } of wireFields(asBytes(value))) if (number === wanted) parts.push(part);
  return parts;
}

function readTime(value: WireValue, kind: 'time' | 'microtime'): string | undefined {
  if (asBytes(value).length === 0) return undefined;
  const seconds = asInteger(partsOf(value, 1)[0] ?? 0n);
  const nanos = asInteger(partsOf(value, 2)[0] ?? 0n);
  const instant = new Date(seconds * 1000);
  if (Number.isNaN(instant.getTime())) throw new WireError('time is out of range');
  const text = instant.toISOString().slice(0, 19);
  return kind === 'time' ? `${text}Z` : `${text}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`;
}

function readIntOrString(value: WireValue): number | string {
  const isText = asInteger(partsOf(value, 1)[0] ?? 0n) === 1;
  return isText ? asText(partsOf(value, 3)[0] ?? new Uint8Array()) : asInteger(partsOf(value, 2)[0] ?? 0n);
}

function readRaw(value: WireValue): unknown {
  const text = asText(partsOf(value, 1)[0] ?? new Uint8Array());
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new WireError('embedded JSON cannot be parsed');
  }
}

/** The unions in a CRD's schema: 1 and 2 hold one alternative each. */
function readSchemaOr(value: WireValue, kind: GoKind, depth: number): unknown {
  const schema = (part: WireValue): JsonRecord =>
    readMessage(asBytes(part), goStructNamed('v1.JSONSchemaProps'), depth + 1);
  const [schemaAt, otherAt] = kind === 'schemaorbool' ? [2, 1] : [1, 2];
  const [found] = partsOf(value, schemaAt);
  if (found !== undefined) return schema(found);
  const others = partsOf(value, otherAt);
  if (kind === 'schemaorbool') return others[0] !== undefined && asInteger(others[0]) !== 0;
  return others.map((other) => (kind === 'schemaorarray' ? schema(other) : asText(other)));
}
