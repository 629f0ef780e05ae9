/** Request bodies: which format, how large, and what is in them. */
import { parseDocument } from 'yaml';
import { jsonSyntaxProblem } from './go-json.ts';
import { type ApiRequest, decodeText } from './request.ts';
import { badRequest, StatusError } from './status.ts';

export const BODY_LIMIT = 3 * 1024 * 1024;

export interface ParsedBody {
  readonly value: unknown;
  /** The JSON or YAML text; empty for protobuf. */
  readonly text: string;
  readonly format: 'json' | 'yaml' | 'protobuf';
}

const FORMATS: Readonly<Record<string, ParsedBody['format']>> = {
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

/** The body as plain JSON. `expected` is the kind that messages name. Throws 400, 413 and 415. */
export function parseBody(request: ApiRequest, expected: string): ParsedBody {
  checkSize(request);
  const type = contentType(request) || 'application/json';
  const format = FORMATS[type];
  if (!format) throw unsupportedMediaType(ACCEPTED);
  const body = request.body ?? '';
  if (format === 'protobuf') throw unsupportedMediaType(ACCEPTED);
  const text = decodeText(body);
  return { value: format === 'json' ? parseJson(text, expected) : parseYaml(text, expected), text, format };
}

export const unsupportedMediaType = (accepted: string): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );

function parseJson(text: string, expected: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const shown = text === '' ? '<empty>' : text;
    throw unrecognized(
      expected,
      `couldn't get version/kind; json parse error: ${jsonSyntaxProblem(text)} (${shown})`,
    );
  }
  return requireObject(value, text, expected);
}

/** The server reads YAML 1.1, where `yes` and `on` are booleans. Throws the library's words on faults. */
export function readYaml(text: string): unknown {
  const document = parseDocument(text, { version: '1.1', merge: true, uniqueKeys: false, stringKeys: true });
  const [problem] = document.errors;
  if (problem) throw badRequest(`yaml: ${problem.message.split('\n')[0]}`);
  return document.toJS({ maxAliasCount: 100 });
}

function parseYaml(text: string, expected: string): unknown {
  let value: unknown;
  try {
    value = readYaml(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw unrecognized(expected, `${why} (${Buffer.from(text).toString('hex')})`);
  }
  return requireObject(value, text, expected);
}

/** `null` counts as an empty object, as in Go. */
function requireObject(value: unknown, text: string, expected: string): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const target =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const why = `json: cannot unmarshal ${type} into Go value of type ${target}`;
  throw unrecognized(
    expected,
    `couldn't get version/kind; json parse error: ${why} (${Buffer.from(text).toString('hex')})`,
  );
}

const unrecognized = (expected: string, why: string): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${expected}): ${why}`);
