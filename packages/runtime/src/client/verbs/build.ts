/** Builds requests: paths, queries, headers, and the description for messages. */
import type { ObjectKey } from '../../model/types.ts';
import { keyString } from '../../model/types.ts';
import type { ClientRequest, Verb } from '../pipeline/request.ts';
import { PROTOBUF_TYPE } from '../protobuf/envelope.ts';
import { type ResourceType, resourceName } from '../resource.ts';

export type QueryValue = string | number | boolean | undefined;

/** Undefined values are omitted from the query. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `${path}?${pairs.join('&')}` : path;
}

export const JSON_TYPE = 'application/json';

/** The formats that lists and watches of this kind are asked for in. JSON as a fallback: some servers offer nothing else. */
export function acceptForMany(
  what: 'object' | 'list',
  { protobuf }: Pick<ResourceType, 'protobuf'>,
  metadataOnly: boolean | undefined,
): string {
  return protobuf && !metadataOnly ? `${PROTOBUF_TYPE},${JSON_TYPE}` : acceptFor(what, metadataOnly);
}

/** Plain JSON as a fallback: servers without PartialObjectMetadata send whole objects. */
export function acceptFor(what: 'object' | 'list', metadataOnly: boolean | undefined): string {
  if (!metadataOnly) return JSON_TYPE;
  const kind = what === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
}

const METHODS: Readonly<Record<Exclude<Verb, 'raw'>, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

export interface RequestParts {
  readonly path: string;
  readonly about: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly idempotent: boolean;
}

export function buildRequest(
  verb: Exclude<Verb, 'raw'>,
  type: ResourceType,
  parts: RequestParts,
): ClientRequest {
  return {
    verb,
    type,
    method: METHODS[verb],
    path: parts.path,
    summary: `${verb} ${parts.about}`,
    idempotent: parts.idempotent,
    headers: {
      accept: parts.accept ?? JSON_TYPE,
      ...(parts.body !== undefined && { 'content-type': parts.contentType ?? JSON_TYPE }),
    },
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
  };
}

export function aboutObject(type: ResourceType, key: ObjectKey, subresource?: string): string {
  return `${resourceName(type)}${subresource ? `/${subresource}` : ''} "${keyString(key)}"`;
}

export function aboutCollection(type: ResourceType, namespace?: string): string {
  return `${resourceName(type)}${namespace && type.namespaced ? ` in namespace "${namespace}"` : ''}`;
}
