/**
 * Ownership types of fields: which lists are sets or keyed, which maps are atomic. Derived from a schema on demand
 * and cached with it; recursive types are fine, since each part is created on first use.
 */
import { resolve } from '../schema/definitions.ts';
import type { Schema } from '../schema/schema.ts';

export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface ListType {
  readonly atomic: boolean;
  /** Names of the key fields; none means a set of scalars. */
  readonly keys: readonly string[];
  element(): FieldType;
  /** The default of an omitted key. */
  keyDefault(key: string): unknown;
}

export interface MapType {
  readonly atomic: boolean;
  /** Has named fields; a plain map has none. */
  readonly isStruct: boolean;
  has(field: string): boolean;
  /** The type under this key; undefined if the schema does not allow the key. */
  field(name: string): FieldType | undefined;
}

/** More than one is set if a value may have several types. */
export interface FieldType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

const ATOMIC_LIST: ListType = { atomic: true, keys: [], element: () => OPAQUE, keyDefault: () => undefined };

/** Any JSON, atomic. */
export const OPAQUE: FieldType = {
  scalar: 'untyped',
  list: ATOMIC_LIST,
  map: { atomic: true, isStruct: false, has: () => false, field: () => OPAQUE },
};

/** Any JSON whose objects are owned key by key: without a schema. */
export const DEDUCED: FieldType = {
  scalar: 'untyped',
  list: ATOMIC_LIST,
  map: { atomic: false, isStruct: false, has: () => false, field: () => DEDUCED },
};

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const RAW_EXTENSION = 'io.k8s.apimachinery.pkg.runtime.RawExtension';
const UNTYPED_SCALAR: FieldType = { scalar: 'untyped' };

const strict = new WeakMap<Schema, FieldType>();
const preserving = new WeakMap<Schema, FieldType>();

export function fieldType(schema: Schema | undefined): FieldType {
  return schema ? typeOf(schema, false) : DEDUCED;
}

function typeOf(schema: Schema, inheritedPreserve: boolean): FieldType {
  const cache = inheritedPreserve ? preserving : strict;
  const known = cache.get(schema);
  if (known) return known;
  const made = makeType(schema, inheritedPreserve);
  cache.set(schema, made);
  return made;
}

function makeType(schema: Schema, inheritedPreserve: boolean): FieldType {
  if (schema.$ref?.endsWith(QUANTITY)) return UNTYPED_SCALAR;
  if (schema.$ref?.endsWith(RAW_EXTENSION)) return OPAQUE;
  const target = resolve(schema);
  // A referenced type starts again: preserving unknown fields does not extend through a reference.
  const preserve =
    (target === schema && inheritedPreserve) || target['x-kubernetes-preserve-unknown-fields'] === true;
  switch (target.type) {
    case 'object':
      return { map: mapType(target, preserve) };
    case 'array':
      return { list: listType(target, preserve) };
    case 'string':
      return { scalar: target.format && target.format !== 'byte' ? 'untyped' : 'string' };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    default:
      return { scalar: 'untyped', list: listType(target, preserve), map: mapType(target, preserve) };
  }
}

function mapType(schema: Schema, preserve: boolean): MapType {
  const fields = new Map(Object.entries(schema.properties ?? {}));
  const other = otherFields(schema, preserve, fields.size);
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    isStruct: fields.size > 0,
    has: (name) => fields.has(name),
    field(name) {
      const own = fields.get(name);
      return own ? typeOf(own, preserve) : other?.();
    },
  };
}

/** The type of undeclared keys; undefined if none are allowed. */
function otherFields(schema: Schema, preserve: boolean, named: number): (() => FieldType) | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return () => typeOf(additionalProperties, preserve);
  if (additionalProperties === true) return () => DEDUCED;
  if (additionalProperties === false) return undefined;
  return preserve || named === 0 ? () => DEDUCED : undefined;
}

function listType(schema: Schema, preserve: boolean): ListType {
  const { items } = schema;
  const kind = schema['x-kubernetes-list-type'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const merged =
    kind === undefined && /^merge(,retainKeys)?$/.test(schema['x-kubernetes-patch-strategy'] ?? '');
  const keys =
    kind === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : merged && mergeKey ? [mergeKey] : [];
  return {
    atomic: !(kind === 'set' || kind === 'map' || merged),
    keys: [...keys].sort(),
    element: () => (items ? typeOf(items, preserve) : OPAQUE),
    keyDefault: (key) => (items ? resolve(items).properties?.[key]?.default : undefined),
  };
}

/** The alternative of `type` that `value` has; `type` itself if that cannot be determined. */
export function deduce(type: FieldType, value: unknown): FieldType {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return type.scalar && (type.list || type.map) ? { scalar: type.scalar } : type;
    case 'object':
      if (value === null) return type;
      if (Array.isArray(value)) return type.list && type.map ? { list: type.list } : type;
      return type.map && type.list ? { map: type.map } : type;
    default:
      return type;
  }
}
