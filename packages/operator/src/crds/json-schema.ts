import { type TUnsafe, Type } from '@reloader/runtime/kind';

/** The part of a CRD's schema language that our definitions use. Every field has a description: it is the reference. */
export interface JsonSchema {
  readonly description?: string;
  /** Not given only with `x-kubernetes-int-or-string`. */
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
  /** CEL. Whatever it walks over needs an upper bound, or the API server refuses the definition for its cost. */
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

/** A finished part of a schema with the type of its values. */
export const typed = <T>(schema: JsonSchema): TUnsafe<T> => Type.Unsafe<T>({ ...schema });

export const text = (description: string, limits: Partial<JsonSchema> = {}): JsonSchema => ({
  description,
  type: 'string',
  ...limits,
});

export const flag = (description: string): JsonSchema => ({ description, type: 'boolean' });

export const count = (description: string): JsonSchema => ({
  description,
  type: 'integer',
  format: 'int64',
  minimum: 0,
});

export const time = (description: string): JsonSchema => ({
  description,
  type: 'string',
  format: 'date-time',
});

export const choice = (description: string, ...values: readonly string[]): JsonSchema => ({
  description,
  type: 'string',
  enum: values,
});

const SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
/** Go's durations, without sign: `90s`, `1h30m`, `1.5h`. */
const DURATION = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$';

/** The name of an object: what no object can be called is refused here, instead of never being found. */
export const objectName = (description: string): JsonSchema =>
  text(description, { minLength: 1, maxLength: 253, pattern: SUBDOMAIN });

export const namespaceName = (description: string): JsonSchema =>
  text(description, { minLength: 1, maxLength: 63, pattern: LABEL });

export const duration = (description: string, ...rules: readonly ValidationRule[]): JsonSchema =>
  text(description, {
    minLength: 2,
    maxLength: 64,
    pattern: DURATION,
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  });

export const list = (description: string, maxItems: number, items: JsonSchema): JsonSchema => ({
  description,
  type: 'array',
  maxItems,
  'x-kubernetes-list-type': 'atomic',
  items,
});

export const labels = (description: string): JsonSchema => ({
  description,
  type: 'object',
  maxProperties: 64,
  additionalProperties: { type: 'string', maxLength: 63 },
});
