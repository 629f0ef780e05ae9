/**
 * The Go types behind the built-in kinds (`gotypes.generated.ts`) as a graph: each field's JSON name, protobuf
 * number, and whether it is omitted when empty. Parsed on first use, struct by struct.
 */
import type { GroupVersionKind } from './definitions.ts';
import { GO_TYPES } from './gotypes.generated.ts';

export type GoKind =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'time'
  | 'microtime'
  | 'quantity'
  | 'intorstring'
  | 'raw'
  | 'schemaorbool'
  | 'schemaorarray'
  | 'schemaorstrings'
  | 'list'
  | 'map'
  | 'struct';

export interface GoType {
  readonly kind: GoKind;
  /** As Go's messages print it. */
  readonly goName: string;
  /** Of a list or map. */
  readonly element?: GoType;
  /** A named list type is a message in protobuf, whose field 1 repeats. */
  readonly named?: boolean;
  struct?(): GoStruct;
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  /** 0: not in protobuf. */
  readonly number: number;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly pointer: boolean;
  /** The embedded struct of the field, which messages put into the path. */
  readonly embedded?: string;
}

export interface GoStruct {
  readonly name: string;
  /** As in JSON: fields of embedded structs belong to the outer struct. */
  readonly fields: ReadonlyMap<string, GoField>;
  /** The `fields` that appear in JSON even if they are unset. */
  readonly always: readonly GoField[];
  /** The `always` fields that Go writes as null if unset. */
  readonly nulls: ReadonlySet<string>;
  /** As in protobuf, by number: an embedded struct is one field, without a name. */
  readonly wire: ReadonlyMap<number, GoField>;
}

type Row = [goName: string, ...fields: [name: string, code: string, number: number, flags: number][]];
interface Table {
  readonly kinds: Record<string, number>;
  readonly structs: Row[];
}

const OMIT_EMPTY = 1;
const INLINE = 2;
const POINTER = 4;
const OMIT_ZERO = 8;

let table: Table | undefined;
const structs: GoStruct[] = [];
const types = new Map<string, GoType>();

function load(): Table {
  table ??= JSON.parse(GO_TYPES) as Table;
  return table;
}

/** The struct of a built-in kind; undefined when the table has none. */
export function goStructFor({ group, version, kind }: GroupVersionKind): GoStruct | undefined {
  const { kinds } = load();
  const key = `${group}/${version}/${kind}`;
  return Object.hasOwn(kinds, key) ? struct(kinds[key] as number) : undefined;
}

/** A struct by its Go name, for the few types that refer to one by hand. */
export function goStructNamed(goName: string): GoStruct {
  const index = load().structs.findIndex(([name]) => name === goName);
  if (index < 0) throw new Error(`no Go type ${goName} in the table`);
  return struct(index);
}

const shortName = (goName: string): string => goName.slice(goName.indexOf('.') + 1);

function struct(index: number): GoStruct {
  const known = structs[index];
  if (known) return known;
  const row = load().structs[index];
  if (!row) throw new Error(`no Go type number ${index} in the table`);
  const [goName, ...columns] = row;
  const fields = new Map<string, GoField>();
  const wire = new Map<number, GoField>();
  for (const [name, code, number, flags] of columns) {
    const field: GoField = {
      name,
      type: parseType(code),
      number,
      omitEmpty: (flags & OMIT_EMPTY) !== 0,
      omitZero: (flags & OMIT_ZERO) !== 0,
      pointer: (flags & POINTER) !== 0,
    };
    if (number > 0) wire.set(number, field);
    if ((flags & INLINE) === 0) fields.set(name, field);
    else {
      const inner = field.type.struct?.();
      for (const each of inner?.fields.values() ?? []) {
        fields.set(each.name, { ...each, embedded: inner?.name ?? '' });
      }
    }
  }
  const always = [...fields.values()].filter(isAlwaysWritten);
  const nulls = new Set(always.filter(isNullWhenEmpty).map(({ name }) => name));
  const made: GoStruct = { name: shortName(goName), fields, always, nulls, wire };
  structs[index] = made;
  return made;
}

const SELF_CONTAINED = new Set<GoKind>(['struct', 'time', 'microtime', 'quantity', 'intorstring', 'raw']);

/** `omitempty` omits empty values, but a struct is never empty to Go. */
function isAlwaysWritten({ omitEmpty, omitZero, pointer, type }: GoField): boolean {
  return !omitZero && (!omitEmpty || (!pointer && SELF_CONTAINED.has(type.kind)));
}

const NOT_NULL = new Set<GoKind>([
  'struct',
  'string',
  'bool',
  'int32',
  'int64',
  'float64',
  'intorstring',
  'quantity',
]);

function isNullWhenEmpty({ pointer, type }: GoField): boolean {
  return pointer || !NOT_NULL.has(type.kind);
}

const GO_NAMES: Partial<Record<GoKind, string>> = {
  bytes: '[]uint8',
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  quantity: 'resource.Quantity',
  intorstring: 'intstr.IntOrString',
};

function parseType(code: string): GoType {
  let type = types.get(code);
  if (!type) {
    type = makeType(code);
    types.set(code, type);
  }
  return type;
}

function makeType(code: string): GoType {
  if (code.startsWith('#')) {
    const index = Number(code.slice(1));
    return { kind: 'struct', goName: load().structs[index]?.[0] ?? '', struct: () => struct(index) };
  }
  const container = /^([[{])([^\]}]*)[\]}]/.exec(code);
  if (container) {
    const [start, bracket, name = ''] = container;
    const element = parseType(code.slice(start.length));
    const isList = bracket === '[';
    return {
      kind: isList ? 'list' : 'map',
      goName: name || `${isList ? '[]' : 'map[string]'}${element.goName}`,
      element,
      ...(name && { named: true }),
    };
  }
  const [kind = '', name] = code.split('~');
  return { kind: kind as GoKind, goName: name ?? GO_NAMES[kind as GoKind] ?? kind };
}
