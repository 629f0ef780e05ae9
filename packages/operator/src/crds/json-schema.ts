import { type TUnsafe, Type } from '@reloader/runtime/kind';

/** The part of a CRD's schema language that our definitions use. Every field has a description: it is the reference. */
export interface JsonSchema {
  readonly description?: string;
  /** Absent only with `x-kubernetes-int-or-string`. */
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer';
  readonly format?: 'date-time' | 'int64';
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

export interface ValidationRule {
  /**
   * CEL. Every list or map that it iterates over needs an upper bound, or the API server refuses the definition for its
   * cost.
   */
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

/** A part of a schema, with the TypeScript type of its values. */
export type Typed<T> = JsonSchema & TUnsafe<T>;

/** The type of the values of a schema. The types of objects are derived only from the schema. */
export type ValueOf<S> = S extends TUnsafe<infer T> ? T : never;

export const typed = <T>(schema: JsonSchema): Typed<T> => Type.Unsafe<T>({ ...schema }) as Typed<T>;

type Properties = Readonly<Record<string, Typed<unknown>>>;
type ObjectOf<P extends Properties, R extends keyof P> = Flat<
  { -readonly [K in R]: ValueOf<P[K]> } & { -readonly [K in Exclude<keyof P, R>]?: ValueOf<P[K]> }
>;
type Flat<T> = { [K in keyof T]: T[K] };

export const object = <const P extends Properties, const R extends keyof P & string = never>(
  description: string,
  properties: P,
  { required, ...more }: Partial<JsonSchema> & { readonly required?: readonly R[] } = {},
): Typed<ObjectOf<P, R>> =>
  typed({ description, type: 'object', ...(required && { required }), properties, ...more });

export const text = (description: string, limits: Partial<JsonSchema> = {}): Typed<string> =>
  typed({ description, type: 'string', ...limits });

export const flag = (description: string): Typed<boolean> => typed({ description, type: 'boolean' });

export const integer = (description: string, limits: Partial<JsonSchema>): Typed<number> =>
  typed({ description, type: 'integer', ...limits });

export const count = (description: string): Typed<number> =>
  integer(description, { format: 'int64', minimum: 0 });

export const time = (description: string): Typed<string> =>
  typed({ description, type: 'string', format: 'date-time' });

export const choice = <const V extends string>(description: string, ...values: readonly V[]): Typed<V> =>
  typed({ description, type: 'string', enum: values });

const SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
/** Go's durations, without sign: `90s`, `1h30m`, `1.5h`. */
const DURATION = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$';

/** The name of an object. An impossible name is refused here, because no object could ever match it. */
export const objectName = (description: string): Typed<string> =>
  text(description, { minLength: 1, maxLength: 253, pattern: SUBDOMAIN });

export const namespaceName = (description: string): Typed<string> =>
  text(description, { minLength: 1, maxLength: 63, pattern: LABEL });

export const duration = (description: string, ...rules: readonly ValidationRule[]): Typed<string> =>
  text(description, {
    minLength: 2,
    maxLength: 64,
    pattern: DURATION,
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  });

export const list = <T>(
  description: string,
  maxItems: number,
  items: Typed<T>,
  more: Partial<JsonSchema> = {},
): Typed<T[]> =>
  typed({ description, type: 'array', ...more, maxItems, 'x-kubernetes-list-type': 'atomic', items });

/** A map from any key to values of one schema. */
export const map = <T>(
  description: string,
  values: Typed<T>,
  limits: Partial<JsonSchema> = {},
): Typed<Record<string, T>> =>
  typed({ description, type: 'object', ...limits, additionalProperties: values });

export const labels = (description: string): Typed<Record<string, string>> =>
  map(description, typed<string>({ type: 'string', maxLength: 63 }), { maxProperties: 64 });
