/**
 * OpenAPI 2 and 3 documents, from the schemas of the kinds served now.
 *
 * Documents are built on demand and cached until a CRD changes the served kinds.
 */
import { createHash } from 'node:crypto';
import type { Kind, KindRegistry } from '../../kinds/index.ts';
import { type ApiResponse, encodeText } from '../../request/request.ts';
import { openApiV2, openApiV3, openApiV3Index } from '../../schema/openapi.ts';
import type { OpenApiKind } from '../../schema/openapi-paths.ts';
import { openApiV2Protobuf } from '../../wire/openapi-v2.ts';
import type { NonResourceCall } from '../call.ts';
import { notAcceptable } from '../negotiation.ts';
import { textResponse } from '../respond.ts';

/** Some clients write the media type with an `@`. */
const PROTOBUF_V2 = /^application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf$/;
const PROTOBUF_V2_ANSWER = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Undefined for paths that name no document. */
export function serveOpenApi(call: NonResourceCall, parts: readonly string[]): ApiResponse | undefined {
  const [, version, ...rest] = parts;
  const documents = documentsOf(call.cluster.kinds);
  if (version === 'v2' && rest.length === 0) return serveV2(call, documents);
  if (version !== 'v3') return undefined;
  if (rest.length === 0)
    return textResponse(
      200,
      documents.text('v3', (kinds) => openApiV3Index(kinds, documents.hash)),
    );
  const path = rest.join('/');
  const text = documents.text(`v3/${path}`, (kinds) => openApiV3(kinds, path));
  return text === '' ? undefined : tagged(call, text, documents.hash);
}

function serveV2(call: NonResourceCall, documents: Documents): ApiResponse {
  const accept = call.request.headers.accept ?? '';
  const types = accept.split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
  if (PROTOBUF_V2.test(types[0] ?? '')) {
    const headers = { 'content-type': PROTOBUF_V2_ANSWER, vary: 'Accept' };
    return { status: 200, headers, body: documents.protobuf() };
  }
  if (accept === '' || types.some((type) => type === 'application/json' || type.startsWith('*/'))) {
    return tagged(call, documents.text('v2', openApiV2), documents.hash);
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}

function tagged(call: NonResourceCall, text: string, hash: string): ApiResponse {
  const etag = `"${hash}"`;
  const known = call.request.headers['if-none-match'] === etag;
  return {
    status: known ? 304 : 200,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-cache, private',
      etag,
      vary: 'Accept',
    },
    body: encodeText(known ? '' : text),
  };
}

class Documents {
  readonly #kinds: readonly OpenApiKind[];
  readonly #texts = new Map<string, string>();
  #protobuf: Uint8Array | undefined;
  readonly hash: string;

  constructor(kinds: readonly Kind[]) {
    this.#kinds = kinds.map(describe);
    const content = kinds.map(({ group, version, kind, schema }) => [group, version, kind, schema]);
    this.hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').toUpperCase();
  }

  /** Empty when there is no such document. */
  text(name: string, make: (kinds: readonly OpenApiKind[]) => unknown): string {
    let text = this.#texts.get(name);
    if (text === undefined) {
      text = JSON.stringify(make(this.#kinds)) ?? '';
      this.#texts.set(name, text);
    }
    return text;
  }

  protobuf(): Uint8Array {
    this.#protobuf ??= openApiV2Protobuf(this.#kinds);
    return this.#protobuf;
  }
}

const describe = (kind: Kind): OpenApiKind => ({
  group: kind.group,
  version: kind.version,
  kind: kind.kind,
  plural: kind.plural,
  namespaced: kind.namespaced,
  verbs: kind.verbs,
  hasStatus: kind.hasStatus === true,
  ...(kind.scale && { scale: kind.scale }),
  ...(kind.definition === undefined && kind.schema && { schema: kind.schema }),
});

const current = new WeakMap<KindRegistry, Documents>();
const watched = new WeakSet<KindRegistry>();

function documentsOf(kinds: KindRegistry): Documents {
  if (!watched.has(kinds)) {
    watched.add(kinds);
    kinds.subscribe(() => current.delete(kinds));
  }
  let documents = current.get(kinds);
  if (!documents) {
    documents = new Documents(kinds.all());
    current.set(kinds, documents);
  }
  return documents;
}
