/**
 * Schemas of custom resources: TypeBox, whose values are JSON Schema as they stand, with the shapes that Kubernetes adds.
 * Options are written into the schema: `description`, `default`, `minimum`, `pattern`, and every `x-kubernetes-…`.
 */
import { type Static, type TSchemaOptions, type TUnsafe, Type } from 'typebox';
import type { Condition } from '../model/types.ts';

export {
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from 'typebox';

/**
 * A CEL rule that the API server evaluates. Everything it iterates over needs an upper bound (`maxItems`,
 * `maxLength`).
 */
export interface CelRule {
  /** An expression over `self`, and `oldSelf` on updates. */
  readonly rule: string;
  /** The message that the user gets. */
  readonly message: string;
  /** The field that is blamed, such as `.replicas`. */
  readonly fieldPath?: string;
}

/** Adds rules to a schema's options: `Type.String({ maxLength: 64, ...rules({ rule: …, message: … }) })`. */
export const rules = (...all: readonly CelRule[]): { 'x-kubernetes-validations': readonly CelRule[] } => ({
  'x-kubernetes-validations': all,
});

/**
 * One of these words. (TypeBox's own enumerations have no `type`, which a structural schema must have.)
 *
 * @example
 * ```ts
 * const Size = oneOf(['small', 'large'], { description: 'How much of it.', default: 'small' });
 * ```
 */
export function oneOf<const W extends readonly string[]>(
  words: W,
  options: TSchemaOptions = {},
): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...options });
}

/** From any key to one kind of value. */
export function mapOf<S extends object>(
  values: S,
  options: TSchemaOptions = {},
): TUnsafe<Record<string, Static<S>>> {
  return Type.Unsafe<Record<string, Static<S>>>({ type: 'object', additionalProperties: values, ...options });
}

/** A number or a text such as `25%`. */
export const intOrString = (options: TSchemaOptions = {}): TUnsafe<number | string> =>
  Type.Unsafe<number | string>({ 'x-kubernetes-int-or-string': true, ...options });

/** RFC 3339. */
export const time = (options: TSchemaOptions = {}): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', format: 'date-time', ...options });

/** Any JSON; preserved as it is. */
export const anything = (options: TSchemaOptions = {}): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    ...options,
  });

/** metav1.Condition, as a list that is merged by type. */
export function conditions(description = 'The state in words.'): TUnsafe<Condition[]> {
  return Type.Unsafe<Condition[]>({
    description,
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      description: 'One statement about the object.',
      type: 'object',
      required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
      properties: {
        type: { description: 'What it is about.', type: 'string', maxLength: 316 },
        status: { description: 'Whether it holds.', type: 'string', enum: ['True', 'False', 'Unknown'] },
        reason: { description: 'One word for programs.', type: 'string', minLength: 1, maxLength: 1024 },
        message: { description: 'A sentence for people.', type: 'string', maxLength: 32768 },
        lastTransitionTime: {
          description: 'When `status` last changed.',
          type: 'string',
          format: 'date-time',
        },
        observedGeneration: {
          description: 'The generation of the object that was looked at.',
          type: 'integer',
          format: 'int64',
          minimum: 0,
        },
      },
    },
  });
}

/** Status fields that the builder writes; every kind made by `defineKind` has them. */
export const standardStatus = {
  observedGeneration: Type.Optional(
    Type.Integer({ description: 'The generation that was last looked at.', format: 'int64', minimum: 0 }),
  ),
  phase: Type.Optional(Type.String({ description: 'Ready, Progressing or Stalled, from the conditions.' })),
  conditions: Type.Optional(conditions('Ready, Reconciling and Stalled, with their reasons.')),
};
