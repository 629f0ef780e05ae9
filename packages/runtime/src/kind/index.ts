/**
 * Kinds from one definition. A separate entry point: programs with a ready-made CRD do not load the schema library.
 *
 * @module
 */
export {
  type CustomResource,
  defineKind,
  type Kind,
  type KindDefinition,
  type KindObject,
  type OtherVersion,
  type PrinterColumn,
} from './define-kind.ts';
export { markdownTable } from './markdown-table.ts';
export { type ReferenceOptions, referencePage } from './reference.ts';
export {
  anything,
  type CelRule,
  conditions,
  intOrString,
  mapOf,
  oneOf,
  rules,
  type Static,
  standardStatus,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  time,
} from './schema.ts';
export { SchemaError, type StructuralSchema, structural } from './structural.ts';
export { type FieldProblem, problemsOf } from './validate.ts';
