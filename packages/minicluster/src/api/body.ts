/** Request bodies: format, size and content. */

import { badRequest, StatusError } from '../model/status.ts';
import { type ApiRequest, decodeText } from '../request/request.ts';
import { jsonSyntaxProblem } from '../schema/go-json.ts';
import { isTooDeep } from '../schema/json.ts';
import { duplicateFields } from '../wire/json.ts';
import { decodeProtobuf } from '../wire/protobuf.ts';
import { readYaml, YamlProblem } from './yaml-body.ts';

export const BODY_LIMIT = 3 * 1024 * 1024;

export interface ParsedBody {
  readonly value: Record<string, unknown>;
  /** YAML: `line 3: key "a" already set in map`. */
  readonly repeatedKeys: readonly string[];
  /** JSON: paths of duplicate keys. Searched only on demand. */
  readonly repeatedFields: () => readonly string[];
  /** The error for a body of the wrong type. */
  readonly refuse: (why: string) => StatusError;
}

type Format = 'json' | 'yaml' | 'protobuf';

const FORMATS: Readonly<Record<string, Format>> = {
  'application/json': 'json',
  'application/yaml': 'yaml',
  'application/vnd.kubernetes.protobuf': 'protobuf',
};

const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** The media type without its parameters. */
export function contentType(request: ApiRequest): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export function checkSize(request: ApiRequest): void {
  const { body } = request;
  const size = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  if (size > BODY_LIMIT) throw tooLarge();
}

export const tooLarge = (): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_LIMIT}`, {});

/** Decodes the body as `expected`, the kind that messages name. Throws 400, 413 and 415. */
export function parseBody(request: ApiRequest, expected: string): ParsedBody {
  return parseBodyWith(request, (why, text) =>
    badRequest(
      `the object provided is unrecognized (must be of type ${expected}): ${why} (${summary(text)})`,
    ),
  );
}

/** Like `parseBody`, for endpoints with different error messages. */
export function parseBodyWith(
  request: ApiRequest,
  refuse: (why: string, text: string) => StatusError,
): ParsedBody {
  checkSize(request);
  const format = FORMATS[contentType(request) || 'application/json'];
  if (!format) throw unsupportedMediaType(ACCEPTED);
  const text = format === 'protobuf' ? '' : decodeText(request.body ?? '');
  const refuseThis = (why: string): StatusError => refuse(why, text);
  if (format === 'protobuf') {
    return { value: fromProtobuf(request), repeatedKeys: [], repeatedFields: () => [], refuse: refuseThis };
  }
  const parsed = format === 'json' ? parseJson(text, refuseThis) : parseYaml(text, refuseThis);
  if (isTooDeep(parsed.value)) throw badRequest('the body of the request is nested too deeply');
  return parsed;
}

export const unsupportedMediaType = (accepted: string): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );

function fromProtobuf({ body = '' }: ApiRequest): Record<string, unknown> {
  return decodeProtobuf(typeof body === 'string' ? Buffer.from(body) : body);
}

type Refuse = (why: string) => StatusError;

function parseJson(text: string, refuse: Refuse): ParsedBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(`couldn't get version/kind; json parse error: ${jsonSyntaxProblem(text)}`);
  }
  return {
    value: typedObject(value, refuse),
    repeatedKeys: [],
    repeatedFields: () => duplicateFields(text),
    refuse,
  };
}

function parseYaml(text: string, refuse: Refuse): ParsedBody {
  try {
    const { value, repeatedKeys } = readYaml(text);
    return { value: typedObject(value, refuse), repeatedKeys, repeatedFields: () => [], refuse };
  } catch (error) {
    if (error instanceof YamlProblem) throw refuse(error.message);
    throw error;
  }
}

/** The server first reads apiVersion and kind, which must be strings in an object. `null` counts as an empty object. */
function typedObject(value: unknown, refuse: Refuse): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  const fail = (what: unknown, where: string): StatusError =>
    refuse(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${goType(what)} into ${where}`,
    );
  if (typeof value !== 'object' || Array.isArray(value)) throw fail(value, `Go value of type ${TYPE_META}`);
  const object = value as Record<string, unknown>;
  for (const field of ['apiVersion', 'kind']) {
    const given = object[field];
    if (given === undefined || given === null || typeof given === 'string') continue;
    throw fail(given, `Go struct field .${field} of type string`);
  }
  return object;
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

const SUMMARY_BYTES = 30;

/** The start of a body: as text if it looks like JSON, else in hexadecimal. */
function summary(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const start = bytes.subarray(0, SUMMARY_BYTES);
  const shown = text.startsWith('{') ? start.toString() : start.toString('hex');
  return bytes.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
