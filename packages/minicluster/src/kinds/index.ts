/** The kinds folder's exports for the rest of the server. */
export { describeAge, describeDuration } from './age.ts';
export { builtinKinds } from './builtin/index.ts';
export { kindFromCrd } from './crd/kind-from-crd.ts';
export {
  apiVersionOf,
  type Column,
  type Kind,
  type KindNames,
  type RowCondition,
  type ScaleMapping,
  STORED_VERBS,
  type StorageView,
  storageOf,
  type WriteContext,
} from './kind.ts';
export { validateObjectMeta, validateObjectMetaUpdate } from './meta/validate.ts';
export { type ApiGroup, type KindChange, KindRegistry } from './registry.ts';
export { fieldsOf, isFieldLabel, unknownFieldLabelText } from './selectable.ts';
export {
  applyDefaults,
  contentChanged,
  gracePeriodOf,
  missingResourceVersion,
  prepareCreate,
  prepareStatusUpdate,
  prepareUpdate,
  resetFields,
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
} from './strategy.ts';
export {
  type ColumnDefinition,
  type IncludeObject,
  type TableBody,
  type TableRow,
  tableColumns,
  tableRow,
  toTable,
} from './table.ts';
export { compareVersions } from './versions.ts';

/** Holds a terminating CRD until its objects are gone. */
export const CRD_CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
