/**
 * Prepares objects between decoding and storage, the same for every kind: defaults, isolation of status, immutable
 * metadata, generation, validation. The server calls these functions; they call the kind's own hooks.
 *
 * All functions that mutate an object mutate their argument, which must be a private copy.
 */

import { BEHAVIOUR_ANNOTATION, behaviourProblem } from '../model/behaviour.ts';
import type { KubeObject } from '../model/object.ts';
import type { FieldError } from '../model/status.ts';
import { isAbsent, record, same, setField } from './fields.ts';
import type { Kind, WriteContext } from './kind.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './meta/validate.ts';
import { pathSegment } from './validate/names.ts';

/** After decoding a body and after each patch. */
export function applyDefaults(kind: Kind, object: KubeObject): void {
  kind.setDefaults?.(object);
}

/** Name, namespace, uid and creationTimestamp are set before this is called. */
export function prepareCreate(kind: Kind, object: KubeObject, context: WriteContext): void {
  if (kind.hasStatus && !kind.keepsStatusOnCreate) resetStatus(kind, object);
  clearSystemFields(object);
  // A kind without generations keeps the client's value.
  if (kind.generation !== 'never') object.metadata.generation = 1;
  kind.prepareForCreate?.(object, context);
}

function resetStatus(kind: Kind, object: KubeObject): void {
  if (kind.emptyStatus) object.status = structuredClone(kind.emptyStatus);
  else delete object.status;
}

/** A client's values of these are ignored on create. */
function clearSystemFields(object: KubeObject): void {
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  delete (object.metadata as { selfLink?: string }).selfLink;
}

export function prepareUpdate(kind: Kind, object: KubeObject, old: KubeObject, context: WriteContext): void {
  carrySystemFields(object, old);
  if (kind.hasStatus) carry(object, old, 'status');
  kind.prepareForUpdate?.(object, old, context);
  if (changesGeneration(kind, object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

export function prepareStatusUpdate(
  kind: Kind,
  object: KubeObject,
  old: KubeObject,
  context: WriteContext,
): void {
  carrySystemFields(object, old);
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!KEPT_BY_STATUS_WRITES.has(field)) carry(object, old, field);
  }
  keepMetadata(kind, object, old);
  kind.prepareForStatusUpdate?.(object, old, context);
}

/** The server owns managedFields and resourceVersion; they are not touched here. */
function keepMetadata(kind: Kind, object: KubeObject, old: KubeObject): void {
  const metadata = record(object.metadata);
  const before = record(old.metadata);
  const kept =
    kind.statusKeepsMetadata === 'all'
      ? Object.keys({ ...metadata, ...before }).filter((field) => !SERVER_METADATA.has(field))
      : (kind.statusKeepsMetadata ?? []);
  for (const field of kept) carry(metadata, before, field);
}

const SERVER_METADATA = new Set(['managedFields', 'resourceVersion']);
const KEPT_BY_STATUS_WRITES = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Omitted fields are copied; a different value is left for validation to refuse. */
function carrySystemFields(object: KubeObject, old: KubeObject): void {
  const metadata = record(object.metadata);
  const before = record(old.metadata);
  for (const field of ['uid', 'deletionGracePeriodSeconds']) {
    if (isAbsent(metadata[field]) || metadata[field] === '') carry(metadata, before, field);
  }
  if (!isAbsent(before.deletionTimestamp)) metadata.deletionTimestamp = before.deletionTimestamp;
  carry(metadata, before, 'creationTimestamp');
  carry(metadata, before, 'generation');
  delete metadata.selfLink;
}

function carry(target: Record<string, unknown>, source: Record<string, unknown>, field: string): void {
  if (isAbsent(source[field])) delete target[field];
  else setField(target, field, source[field]);
}

function changesGeneration(kind: Kind, object: KubeObject, old: KubeObject): boolean {
  if (kind.generation === 'never') return false;
  if (typeof kind.generation === 'function') return kind.generation(object, old);
  return contentChanged(object, old);
}

/** Any difference outside metadata and status. */
export function contentChanged(object: KubeObject, old: KubeObject): boolean {
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!KEPT_BY_STATUS_WRITES.has(field) && !same(object[field], old[field])) return true;
  }
  return false;
}

/** If the kind finds no errors, metadata is validated once more, with path-segment names. */
export function validateCreate(kind: Kind, object: KubeObject): FieldError[] {
  const errors = [
    ...metadataErrors(kind, object),
    ...(kind.validateCreate?.(object) ?? []),
    ...behaviourErrors(object),
  ];
  return errors.length > 0 ? errors : validateObjectMeta(object, anyKind(kind));
}

/** Not in Kubernetes: an invalid script for the simulation would be ignored silently, so it is refused. */
function behaviourErrors(object: KubeObject): FieldError[] {
  const template = record(record(object.spec).template);
  const ofJobs = record(record(record(record(object.spec).jobTemplate).spec).template);
  const places: [string, unknown][] = [
    ['metadata', object.metadata],
    ['spec.template.metadata', template.metadata],
    ['spec.jobTemplate.spec.template.metadata', ofJobs.metadata],
  ];
  return places.flatMap(([path, metadata]) => {
    const text = record(record(metadata).annotations)[BEHAVIOUR_ANNOTATION];
    const problem = typeof text === 'string' ? behaviourProblem(text) : undefined;
    if (problem === undefined) return [];
    const field = `${path}.annotations[${BEHAVIOUR_ANNOTATION}]`;
    return [
      { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(text)}: ${problem}` },
    ];
  });
}

const lenientKinds = new WeakMap<Kind, Kind>();

/** The kind with only the common rules for metadata. */
function anyKind(kind: Kind): Kind {
  let lenient = lenientKinds.get(kind);
  if (!lenient) {
    lenient = { ...kind, nameRule: pathSegment, freeFinalizers: true };
    lenientKinds.set(kind, lenient);
  }
  return lenient;
}

export function validateUpdate(kind: Kind, object: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...commonUpdateErrors(kind, object, old),
    ...(kind.skipsMetadataChecks ? [] : validateObjectMetaUpdate(object, old, kind)),
    ...(kind.checksMetadataTwice ? metadataErrors(kind, object) : []),
    ...(kind.validateUpdate?.(object, old) ?? []),
    ...behaviourErrors(object),
  ];
}

export function validateStatusUpdate(kind: Kind, object: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...commonUpdateErrors(kind, object, old),
    ...validateObjectMetaUpdate(object, old, kind),
    ...(kind.validateStatusUpdate?.(object, old) ?? []),
  ];
}

/** Upstream validates metadata before it calls the kind, which validates it again. Errors are reported each time. */
function commonUpdateErrors(kind: Kind, object: KubeObject, old: KubeObject): FieldError[] {
  const common = anyKind(kind);
  return [...validateObjectMeta(object, common), ...validateObjectMetaUpdate(object, old, common)];
}

const metadataErrors = (kind: Kind, object: KubeObject): FieldError[] =>
  kind.skipsMetadataChecks ? [] : validateObjectMeta(object, kind);

/** The error for a PUT without resourceVersion on kinds that require one. */
export const missingResourceVersion = (): FieldError => ({
  reason: 'FieldValueInvalid',
  field: 'metadata.resourceVersion',
  message: 'Invalid value: 0: must be specified for an update',
});

/** The grace period of a deletion in seconds. */
export const gracePeriodOf = (kind: Kind, object: KubeObject, requested?: number): number =>
  kind.gracePeriodSeconds?.(object, requested) ?? 0;

/** Paths that a write through this endpoint does not own: for field management. */
export function resetFields(kind: Kind, subresource?: string): string[][] {
  if (!kind.hasStatus) return [];
  if (subresource !== 'status') return [['status']];
  if (kind.statusKeepsMetadata === 'all') return [['metadata'], ['spec']];
  return [['spec'], ...(kind.statusKeepsMetadata ?? []).map((field) => ['metadata', field])];
}
