/** Decodes the body of a custom resource: its metadata as typed fields, the rest by its schema. */
import type { GroupVersionKind } from './definitions.ts';
import { goStructNamed } from './go-types.ts';
import { isRecord, type JsonRecord, own, withKey } from './json.ts';
import type { Schema } from './schema.ts';
import { applyDefaults } from './structural/defaults.ts';
import { prune } from './structural/prune.ts';
import { walk } from './structural/walk.ts';
import { readMetadata, type TypedBody } from './typed.ts';

/** `schema` is the CRD's own; without one all fields are kept. Throws 400 for metadata of the wrong type. */
export function readCustom(body: JsonRecord, gvk: GroupVersionKind, schema: Schema | undefined): TypedBody {
  const unknown: string[] = [];
  const withMetadata = readMetadataOf(body, gvk, 'metadata', unknown);
  if (!schema) return { object: withMetadata, unknown };
  const embedded = readEmbedded(withMetadata, schema, gvk, unknown);
  const { object, dropped } = prune(embedded, schema);
  return { object: applyDefaults(object, schema), unknown: [...unknown, ...dropped] };
}

function readMetadataOf(
  object: JsonRecord,
  gvk: GroupVersionKind,
  path: string,
  unknown: string[],
): JsonRecord {
  const metadata = own(object, 'metadata');
  if (metadata === undefined || metadata === null) return object;
  const read = readMetadata(metadata, goStructNamed('v1.ObjectMeta'), gvk, path, unknown);
  return withKey(object, 'metadata', read);
}

/** Objects that are resources themselves have metadata too. */
function readEmbedded(
  object: JsonRecord,
  schema: Schema,
  gvk: GroupVersionKind,
  unknown: string[],
): JsonRecord {
  const found: { readonly value: JsonRecord; readonly path: string }[] = [];
  walk(object, schema, (value, { 'x-kubernetes-embedded-resource': isEmbedded }, path) => {
    if (isEmbedded && isRecord(value) && own(value, 'metadata') !== undefined) found.push({ value, path });
  });
  if (found.length === 0) return object;
  const replaced = new Map<unknown, unknown>();
  for (const { value, path } of found.reverse()) {
    const inner = rebuild(value, replaced) as JsonRecord;
    replaced.set(value, readMetadataOf(inner, gvk, `${path}.metadata`, unknown));
  }
  return rebuild(object, replaced) as JsonRecord;
}

/** `value` with some of the objects in it replaced. */
function rebuild(value: unknown, replaced: ReadonlyMap<unknown, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = replaced.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return value.map((item) => rebuild(item, replaced));
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, rebuild(child, replaced)]));
}
