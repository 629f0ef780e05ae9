/**
 * OpenAPI documents of the served kinds: built-in kinds from the table, custom kinds from their CRDs. They contain
 * types without descriptions, and for each kind the operations that clients look up.
 */
import { definition, definitionNameOf, type RootSchema, schemaFor } from './definitions.ts';
import { isRecord } from './json.ts';
import { type OpenApiKind, operationsOf, type PathItem } from './openapi-paths.ts';
import type { Schema } from './schema.ts';

type Document = Record<string, unknown>;

const INFO = { title: 'Kubernetes', version: '1.36' };
const DEFINITIONS = '#/definitions/';
const COMPONENTS = '#/components/schemas/';
const META_NAME = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const INT_OR_STRING = { type: 'string', format: 'int-or-string' };

/** `apis/apps/v1`, as the index of v3 names a group and version. */
export function openApiPath({ group, version }: Pick<OpenApiKind, 'group' | 'version'>): string {
  return group ? `apis/${group}/${version}` : `api/${version}`;
}

/** The answer to `GET /openapi/v3`. `hash` changes the address of a changed document. */
export function openApiV3Index(kinds: readonly OpenApiKind[], hash = ''): Document {
  const paths = [...new Set(kinds.map(openApiPath))].sort();
  return {
    paths: Object.fromEntries(
      paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}${hash && `?hash=${hash}`}` }]),
    ),
  };
}

/** The document of one group and version; undefined when none of the kinds is in it. */
export function openApiV3(kinds: readonly OpenApiKind[], path: string): Document | undefined {
  const own = kinds.filter((kind) => openApiPath(kind) === path);
  if (own.length === 0) return undefined;
  const schemas = collect(own);
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: paths(own, 3),
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, convert(schema, 3)]),
      ),
    },
  };
}

/** The answer to `GET /openapi/v2`, in JSON. */
export function openApiV2(kinds: readonly OpenApiKind[]): Document {
  const schemas = collect(kinds);
  return {
    swagger: '2.0',
    info: INFO,
    paths: paths(kinds, 2),
    definitions: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, convert(schema, 2)]),
    ),
  };
}

function paths(kinds: readonly OpenApiKind[], version: 2 | 3): Record<string, PathItem> {
  return Object.assign({}, ...kinds.map((kind) => operationsOf(kind, version)));
}

/** `org.example.v1.Widget`: the name of a custom kind's schema. */
function customName({ group, version, kind }: OpenApiKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** The schemas of these kinds and of everything they refer to, by name. */
function collect(kinds: readonly OpenApiKind[]): Record<string, RootSchema> {
  const found: Record<string, RootSchema> = {};
  const open = new Set<string>();
  const follow = (schema: unknown): void => {
    if (Array.isArray(schema)) schema.forEach(follow);
    else if (isRecord(schema)) {
      if (typeof schema.$ref === 'string') open.add(schema.$ref.slice(DEFINITIONS.length));
      Object.values(schema).forEach(follow);
    }
  };
  for (const kind of kinds) {
    const { group, version, kind: name } = kind;
    const builtin = kind.schema ? undefined : schemaFor(kind);
    if (builtin) open.add(definitionNameOf(builtin));
    else {
      const custom = customSchema(kind);
      found[customName(kind)] = {
        ...custom,
        'x-kubernetes-group-version-kind': [{ group, version, kind: name }],
      };
      follow(custom);
    }
  }
  for (const name of open) {
    const schema = definition(name);
    if (!schema) continue;
    found[name] = schema;
    follow(schema);
  }
  return found;
}

function customSchema({ schema }: OpenApiKind): Schema {
  return {
    ...(schema ?? { 'x-kubernetes-preserve-unknown-fields': true }),
    type: 'object',
    properties: {
      ...schema?.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: `${DEFINITIONS}${META_NAME}` },
    },
  };
}

/** References in this version's form; v2 has no alternatives, so it is less precise. */
function convert(schema: Schema, version: 2 | 3): unknown {
  if (version === 2 && (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string'))
    return INT_OR_STRING;
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref')
      result.$ref = version === 3 ? COMPONENTS + String(value).slice(DEFINITIONS.length) : value;
    else if (key === 'properties') {
      result.properties = Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([name, each]) => [name, convert(each, version)]),
      );
    } else if ((key === 'items' || key === 'additionalProperties' || key === 'not') && isRecord(value)) {
      if (version === 3 || key !== 'not') result[key] = convert(value as Schema, version);
    } else if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') {
      if (version === 3) result[key] = (value as Schema[]).map((each) => convert(each, version));
    } else if (version === 3 || key !== 'nullable') result[key] = value;
  }
  if (version === 2 && result.type === undefined && schema.oneOf) result.type = 'string';
  return result;
}
