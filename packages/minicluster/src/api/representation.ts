/** Representations: whole objects, metadata only, or rows of a table. */
import {
  apiVersionOf,
  type IncludeObject,
  type Kind,
  type TableBody,
  type TableRow,
  tableRow,
  toTable,
} from '../kinds/index.ts';
import type { KubeObject } from '../model/object.ts';
import { badRequest } from '../model/status.ts';
import { encodeText } from '../request/request.ts';
import type { StoredEvent } from '../storage/event-log.ts';
import { encodeProtobufEvent } from '../wire/encode.ts';
import { type MediaType, notAcceptable } from './negotiation.ts';

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface Representation {
  readonly kind: Kind;
  readonly media: MediaType;
  readonly includeObject: IncludeObject;
  /** Milliseconds since the epoch, for ages in tables. */
  readonly now: number;
}

export function readIncludeObject(query: URLSearchParams, media: MediaType): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (media.view !== 'Table' || value === '') return 'Metadata';
  if (value === 'Metadata' || value === 'Object' || value === 'None') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** The stored object in the requested version. */
export const shown = (kind: Kind, stored: KubeObject): KubeObject =>
  kind.storage?.fromStored(stored) ?? stored;

/** The Go name of a kind inside the server: some messages print it. */
const goType = (kind: Kind, suffix = ''): string => {
  if (kind.definition === undefined) return `*unstructured.Unstructured${suffix}`;
  return `*${kind.group === '' ? 'core' : kind.group.split('.')[0]}.${kind.kind}${suffix}`;
};

/** The answer's value for one object. */
export function representObject(as: Representation, object: KubeObject): unknown {
  switch (as.media.view) {
    case 'Table': {
      const table = toTable(as.kind, [object], as.now, { includeObject: as.includeObject });
      table.metadata.resourceVersion = object.metadata.resourceVersion;
      return withVersion(table, as);
    }
    case 'PartialObjectMetadata':
      return metadataOnly(as, object);
    case 'PartialObjectMetadataList':
      throw notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(as.kind)})`,
      );
    default:
      return object;
  }
}

/** The answer's value for a list. */
export function representList(
  as: Representation,
  objects: readonly KubeObject[],
  metadata: ListMeta,
): unknown {
  switch (as.media.view) {
    case 'Table': {
      const table = toTable(as.kind, objects, as.now, { includeObject: as.includeObject });
      return withVersion({ ...table, metadata }, as);
    }
    case 'PartialObjectMetadataList':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: as.media.viewVersion,
        metadata,
        items: objects.map((object) => metadataOnly(as, object)),
      };
    case 'PartialObjectMetadata':
      throw notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (${goType(as.kind, 'List')})`,
      );
    default:
      return {
        kind: `${as.kind.kind}List`,
        apiVersion: apiVersionOf(as.kind),
        // Lists of custom resources always have this field.
        metadata: as.kind.definition === undefined ? { continue: '', ...metadata } : metadata,
        items: as.kind.definition === undefined ? objects : objects.map(withoutType),
      };
  }
}

/** Items in lists of built-in kinds omit apiVersion and kind. */
function withoutType(object: KubeObject): object {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest;
}

const metadataOnly = (as: Representation, object: KubeObject): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: as.media.viewVersion,
  metadata: object.metadata,
});

const withVersion = (table: TableBody, as: Representation): object => ({
  ...table,
  apiVersion: as.media.viewVersion,
  rows: table.rows.map(shownRow),
});

/** A row without its object still has the field. */
const shownRow = (row: TableRow): object => ({ object: null, ...row });

/**
 * One event of a watch. Events are encoded once per form, and shared by all watches of that form. Tables are not
 * shared: they contain ages.
 */
export function encodeEvent(
  as: Representation,
  type: string,
  object: KubeObject,
  source: StoredEvent | undefined,
): Uint8Array {
  if (as.media.view === 'Table' || !source) return eventIn(as.media, type, representEvent(as, object));
  const { format, view, viewVersion } = as.media;
  const form = `${type} ${as.kind.group}/${as.kind.version} ${format} ${view} ${viewVersion}`;
  let event = source.encoded.get(form);
  if (!event) {
    event = eventIn(as.media, type, representEvent(as, object));
    source.encoded.set(form, event);
  }
  return event;
}

function representEvent(as: Representation, object: KubeObject): unknown {
  if (as.media.view === 'Table') {
    return {
      kind: 'Table',
      apiVersion: as.media.viewVersion,
      metadata: { resourceVersion: object.metadata.resourceVersion },
      columnDefinitions: null,
      rows: [shownRow(tableRow(as.kind, object, as.now, as.includeObject))],
    };
  }
  return as.media.view === 'Object' ? object : metadataOnly(as, object);
}

/** A line of JSON, or a frame of protobuf. */
export function eventIn({ format }: MediaType, type: string, object: unknown): Uint8Array {
  const frame = format === 'protobuf' ? encodeProtobufEvent(type, object) : undefined;
  return frame ?? encodeText(`${JSON.stringify({ type, object })}\n`);
}
