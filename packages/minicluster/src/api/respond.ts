/** Values as HTTP answers. */
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';
import { internalError, type StatusBody, StatusError } from '../model/status.ts';
import { type ApiResponse, encodeText } from '../request/request.ts';
import { encodeProtobuf, hasProtobuf } from '../wire/encode.ts';
import type { ResourceCall } from './call.ts';
import { type MediaType, type Negotiation, negotiate, PROTOBUF } from './negotiation.ts';
import { type Representation, readIncludeObject } from './representation.ts';

const COMMON = { 'cache-control': 'no-cache, private' };
/** Smaller answers are not compressed. */
const GZIP_FROM_BYTES = 128 * 1024;

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ApiResponse {
  return {
    status,
    headers: { ...COMMON, 'content-type': 'application/json', ...headers },
    body: encodeText(`${JSON.stringify(value)}\n`),
  };
}

export const textResponse = (
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): ApiResponse => ({
  status,
  headers: { ...COMMON, 'content-type': type, 'x-content-type-options': 'nosniff' },
  body: encodeText(text),
});

/** The answer to a call, in the requested format and with its warnings. */
export function respond(call: ResourceCall, status: number, value: unknown): ApiResponse {
  const { format } = negotiate(call.request.headers.accept, negotiationOf(call));
  return compressed(call, ANSWERS[format](status, value, warningHeader(call.warnings)));
}

type Answer = (status: number, value: unknown, headers?: Record<string, string>) => ApiResponse;

const ANSWERS: Readonly<Record<MediaType['format'], Answer>> = {
  json: jsonResponse,
  yaml: yamlResponse,
  protobuf: protobufResponse,
};

/** A value that has no protobuf, such as a review, is answered in JSON: the type of the answer tells. */
function protobufResponse(status: number, value: unknown, headers: Record<string, string> = {}): ApiResponse {
  const body = encodeProtobuf(value);
  if (!body) return jsonResponse(status, value, headers);
  return { status, headers: { ...COMMON, 'content-type': PROTOBUF, ...headers }, body };
}

function yamlResponse(status: number, value: unknown, headers: Record<string, string> = {}): ApiResponse {
  return {
    status,
    headers: { ...COMMON, 'content-type': 'application/yaml', ...headers },
    body: encodeText(
      stringify(value, {
        indentSeq: false,
        lineWidth: 0,
        sortMapEntries: true,
        version: '1.1',
        aliasDuplicateObjects: false,
      }),
    ),
  };
}

function compressed(call: ResourceCall, response: ApiResponse): ApiResponse {
  if (!('length' in response.body) || response.body.length < GZIP_FROM_BYTES) return response;
  if (!/\bgzip\b/.test(call.request.headers['accept-encoding'] ?? '')) return response;
  return {
    status: response.status,
    headers: { ...response.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: gzipSync(response.body, { level: 1 }),
  };
}

const negotiationOf = ({ info, kind }: ResourceCall): Negotiation => ({
  stream: info.verb === 'watch',
  collection: info.verb === 'watch' || info.verb === 'list',
  protobuf: hasProtobuf(kind),
});

export function representation(call: ResourceCall): Representation {
  const media = negotiate(call.request.headers.accept, negotiationOf(call));
  return {
    kind: call.kind,
    media,
    includeObject: readIncludeObject(call.query, media),
    now: call.cluster.clock.now(),
  };
}

/** RFC 7234 warnings with code 299, joined as one header. */
export function warningHeader(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {};
  const texts = [...new Set(warnings)].map((text) => `299 - "${printable(text).replace(/[\\"]/g, '\\$&')}"`);
  return { warning: texts.join(', ') };
}

/** Headers must not contain control characters, or text beyond Latin-1. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e\xa0-\xff]+/g, ' ');

/** An error as its Status. Anything but a `StatusError` is a bug of this server. */
export function errorResponse(
  error: unknown,
  options: { readonly warnings?: readonly string[]; readonly accept?: string | undefined } = {},
): ApiResponse {
  const { warnings = [], accept } = options;
  const body = statusOf(error);
  const seconds = body.details?.retryAfterSeconds;
  const [first = ''] = (accept ?? '').split(/[,;]/);
  const format = first === PROTOBUF ? 'protobuf' : first === 'application/yaml' ? 'yaml' : 'json';
  return ANSWERS[format](body.code, body, {
    ...warningHeader(warnings),
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
  });
}

export function statusOf(error: unknown): StatusBody {
  if (error instanceof StatusError) return error.body;
  return internalError(error instanceof Error ? error.message : String(error)).body;
}

/** `Status` of a success, as deletions answer. */
export function successStatus(details: StatusBody['details']): unknown {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', ...(details && { details }) };
}
