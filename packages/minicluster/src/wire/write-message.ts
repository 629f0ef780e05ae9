/**
 * Messages of the built-in types from JSON, byte for byte as Go writes them: fields in the order of their numbers,
 * entries of maps by key, and numbers, texts and structs that are not pointers even if they are empty.
 */
import { type GoField, type GoKind, type GoStruct, type GoType, goStructNamed } from '../schema/go-types.ts';
import { isRecord, type JsonRecord, own } from '../schema/json.ts';
import { MessageWriter } from './wire-writer.ts';

/** The JSON must be valid for the type, as every stored object is. */
export function writeMessage(value: JsonRecord, struct: GoStruct): MessageWriter {
  const message = new MessageWriter();
  for (const field of fieldsInOrder(struct)) {
    // An embedded struct is a nested message here, although its fields are the parent's in JSON.
    const given = field.name === '' ? value : own(value, field.name);
    writeField(message, field, given ?? undefined);
  }
  return message;
}

const inOrder = new WeakMap<GoStruct, readonly GoField[]>();

function fieldsInOrder(struct: GoStruct): readonly GoField[] {
  let fields = inOrder.get(struct);
  if (!fields) {
    fields = [...struct.wire.values()].sort((one, other) => one.number - other.number);
    inOrder.set(struct, fields);
  }
  return fields;
}

function writeField(message: MessageWriter, { number, type, pointer }: GoField, value: unknown): void {
  if (type.kind === 'list') {
    for (const item of (value ?? []) as unknown[]) writeValue(message, number, type.element as GoType, item);
  } else if (type.kind === 'map') {
    const element = type.element as GoType;
    for (const [key, item] of Object.entries((value ?? {}) as JsonRecord).sort(byKey)) {
      const entry = new MessageWriter().text(1, key);
      // Null in JSON is a nil value in Go, which has no field 2.
      if (item !== null) writeValue(entry, 2, element, item);
      message.message(number, entry);
    }
  } else if (value !== undefined) writeValue(message, number, type, value);
  else if (!pointer) writeEmpty(message, number, type);
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

function writeValue(message: MessageWriter, number: number, type: GoType, value: unknown): void {
  switch (type.kind) {
    case 'string':
      message.text(number, String(value));
      break;
    case 'bool':
      message.integer(number, value ? 1 : 0);
      break;
    case 'int32':
    case 'int64':
      message.integer(number, Number(value));
      break;
    case 'float64':
      message.double(number, Number(value));
      break;
    case 'bytes':
      message.bytes(number, Buffer.from(String(value), 'base64'));
      break;
    default:
      message.message(number, nested(type, value));
  }
}

function nested(type: GoType, value: unknown): MessageWriter {
  const message = new MessageWriter();
  switch (type.kind) {
    case 'struct':
      return writeMessage(isRecord(value) ? value : {}, (type.struct as () => GoStruct)());
    case 'list':
      for (const item of value as unknown[]) writeValue(message, 1, type.element as GoType, item);
      return message;
    case 'time':
    case 'microtime':
      return timeOf(String(value));
    case 'quantity':
      return message.text(1, String(value));
    case 'intorstring': {
      const isText = typeof value === 'string';
      return message
        .integer(1, isText ? 1 : 0)
        .integer(2, isText ? 0 : Number(value))
        .text(3, isText ? value : '');
    }
    case 'raw':
      return message.text(1, JSON.stringify(value));
    default:
      return schemaOr(type.kind, value);
  }
}

/** Empty bytes are left out. */
function writeEmpty(message: MessageWriter, number: number, type: GoType): void {
  const empty: Partial<Record<GoKind, unknown>> = {
    string: '',
    bool: false,
    int32: 0,
    int64: 0,
    float64: 0,
    struct: {},
    quantity: '0',
    intorstring: 0,
  };
  if (type.kind in empty) writeValue(message, number, type, empty[type.kind]);
  else if (type.kind !== 'bytes') message.message(number, new MessageWriter());
}

const MICROSECONDS = /\.(\d{6})Z$/;

function timeOf(text: string): MessageWriter {
  const micros = Number(MICROSECONDS.exec(text)?.[1] ?? 0);
  return new MessageWriter().integer(1, Math.floor(Date.parse(text) / 1000)).integer(2, micros * 1000);
}

/** The unions in a CRD's schema: 1 and 2 hold one alternative each. */
function schemaOr(kind: GoKind, value: unknown): MessageWriter {
  const message = new MessageWriter();
  const schema = (given: JsonRecord): MessageWriter =>
    writeMessage(given, goStructNamed('v1.JSONSchemaProps'));
  if (kind === 'schemaorbool') {
    message.integer(1, value === false ? 0 : 1);
    return isRecord(value) ? message.message(2, schema(value)) : message;
  }
  if (isRecord(value)) return message.message(1, schema(value));
  for (const item of value as unknown[]) {
    if (kind === 'schemaorarray') message.message(2, schema(item as JsonRecord));
    else message.text(2, String(item));
  }
  return message;
}
