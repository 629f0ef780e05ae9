/**
 * Migration from client-side to server-side apply: `kubectl apply --server-side` may take over the fields in `kubectl
 * apply`'s last-applied annotation without a conflict, and the annotation is kept up to date for the way back.
 */
import { goJson, isRecord, type JsonRecord, own, withKey, withoutKey } from '../schema/json.ts';
import { difference, type FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { compare } from './typed-compare.ts';
import { fieldSetOf } from './typed-fields.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
const MANAGER = 'kubectl';
/** Size limit of all annotations together. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

function annotationsOf(object: JsonRecord): JsonRecord | undefined {
  const metadata = own(object, 'metadata');
  const annotations = isRecord(metadata) ? own(metadata, 'annotations') : undefined;
  return isRecord(annotations) ? annotations : undefined;
}

/** The fields that still have the value of the last client-side apply. */
export function allowedByLastApplied(
  live: JsonRecord,
  type: FieldType,
  apiVersion: string,
): FieldSet | undefined {
  const annotations = annotationsOf(live);
  const text = annotations && own(annotations, ANNOTATION);
  if (typeof text !== 'string' || text === '') return undefined;
  const applied = parse(text);
  if (!applied || applied.apiVersion !== apiVersion) return undefined;
  const { added, modified, removed } = compare(applied, live, type);
  return [modified, added, removed].reduce(difference, fieldSetOf(applied, type));
}

function parse(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates the last-applied annotation, if there is one. */
export function updateLastApplied(object: JsonRecord, applied: JsonRecord, manager: string): JsonRecord {
  const annotations = annotationsOf(object);
  if (manager !== MANAGER || !annotations || !own(annotations, ANNOTATION)) return object;
  const value = `${goJson(sortKeys(withoutAnnotation(applied)))}\n`;
  const others = withoutKey(annotations, ANNOTATION);
  const size = Object.entries({ ...others, [ANNOTATION]: value }).reduce(
    (sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(text)),
    0,
  );
  const updated = size > MAX_ANNOTATIONS_BYTES ? others : withKey(annotations, ANNOTATION, value);
  return withKey(object, 'metadata', withKey(object.metadata as JsonRecord, 'annotations', updated));
}

/** Go writes maps with sorted keys. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}

function withoutAnnotation(applied: JsonRecord): JsonRecord {
  const annotations = annotationsOf(applied);
  if (!annotations) return applied;
  const metadata = withKey(
    applied.metadata as JsonRecord,
    'annotations',
    withoutKey(annotations, ANNOTATION),
  );
  return withKey(applied, 'metadata', metadata);
}
