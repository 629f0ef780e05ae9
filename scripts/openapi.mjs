// Generates the OpenAPI document of `/api/v1` from the TypeScript types of its answers, with the compiler: types and
// the comments above fields become part of the document. The paths are listed here.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { API, isIntrinsicType, isStringLiteralType, isUnionType } from 'typescript/unstable/sync';

const SHAPES = fileURLToPath(new URL('../packages/operator/src/api/shapes.ts', import.meta.url));
const PROJECT = fileURLToPath(new URL('tsconfig.shapes.json', import.meta.url));
const FILE = 'packages/operator/src/api/openapi.generated.json';

/** `SymbolFlags.Optional` and `.Alias` of the compiler. */
const OPTIONAL = 1 << 24;
const ALIAS = 1 << 21;

const text = (description) => ({ schema: { type: 'string' }, description });
const IN_NAMESPACE = { namespace: text('only of this namespace') };
const number = (minimum, maximum, description) => ({
  schema: { type: 'integer', minimum, maximum },
  description,
});
const PAGE = {
  limit: number(1, 1_000, 'at most so many; 500 without it'),
  continue: text('the next page: `continue` of the last answer'),
  offset: number(0, 9_999_999, 'how many to pass over first'),
};
const OBJECT = { kind: text('kind'), namespace: text('namespace'), name: text('name') };

const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const json = (name) => ({ 'application/json': { schema: ref(name) } });

/** Path, answer, description, query parameters. */
const PATHS = [
  ['status', 'StatusAnswer', 'Version, mode, what is followed, pending, failing', IN_NAMESPACE],
  [
    'overview',
    'OverviewAnswer',
    'Counts, and the first of what fails, waits, rolls out, is frozen or has to be approved',
    IN_NAMESPACE,
  ],
  [
    'workloads',
    'WorkloadsAnswer',
    'Workloads that ask for reloads, by name',
    {
      ...IN_NAMESPACE,
      kind: text('only this kind'),
      state: text('only this state, or what holds back: `failing`, `waiting`, `frozen`, `batching`'),
      source: text('only those that are reloaded for `Kind/namespace/name`'),
      workload: text('only this one, `Kind/namespace/name`'),
      q: text('words that occur in the names of the workload or its sources'),
      ...PAGE,
    },
  ],
  ['workloads/{kind}/{namespace}/{name}', 'Explanation', 'Why a workload is or is not reloaded', {}],
  [
    'sources',
    'SourcesAnswer',
    'Sources that workloads are reloaded for, by name',
    { ...IN_NAMESPACE, kind: text('only this kind'), q: text('words that occur in its name'), ...PAGE },
  ],
  ['sources/{kind}/{namespace}/{name}', 'SourceAnswer', 'Who is reloaded for a source', {}],
  [
    'what-if',
    'WhatIf',
    'What would happen if a source changed now',
    {
      kind: text('kind of the source'),
      ns: text('its namespace'),
      name: text('its name'),
      key: text('only this key changes; may be given several times'),
      deleted: text('`true`: it is deleted'),
    },
  ],
  ['history', 'HistoryAnswer', 'The last reloads, the newest first', IN_NAMESPACE],
  [
    'timeline',
    'TimelineAnswer',
    'What happened lately',
    {
      ...IN_NAMESPACE,
      since: text('RFC 3339'),
      until: text('RFC 3339'),
      workload: text('`Kind/namespace/name`'),
      source: text('`Kind/namespace/name`'),
      limit: number(1, 10_000, 'at most so many, the newest; 1,000 without it'),
    },
  ],
  [
    'stream',
    'StreamBatch',
    'Server-sent events: `batch` with what changed, `reset` where the reader has to begin anew',
    { ...IN_NAMESPACE, from: text('`revision` of an answer; the header Last-Event-ID wins') },
  ],
  ['me', 'MeAnswer', 'Who asks, and what it may do', IN_NAMESPACE],
];

/** Only where clients authenticate: at `--ui-bind-address`, and under `reloader ui`. */
const ACTION = {
  post: {
    summary: 'Freeze, unfreeze, approve or reload now, with the rights of the caller',
    parameters: [{ name: 'action', in: 'path', required: true, schema: ref('ActionName') }],
    requestBody: { required: true, content: json('ActionRequest') },
    responses: {
      200: { description: 'It was done', content: json('ActionAnswer') },
      409: { description: 'Another change waits by now, or none', content: json('ErrorAnswer') },
      default: { description: 'Why not', content: json('ErrorAnswer') },
    },
  },
};

export function generatedOpenApi() {
  const version = JSON.parse(
    readFileSync(new URL('../packages/operator/package.json', import.meta.url)),
  ).version;
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Reloader Operator',
      version,
      description: 'What the operator knows. Names, rules and times; never digests, nothing of any content.',
    },
    paths: {
      ...Object.fromEntries(PATHS.map((path) => [`/api/v1/${path[0]}`, { get: operation(...path) }])),
      '/api/v1/actions/{action}': ACTION,
    },
    components: { schemas: schemas() },
  };
  return [[FILE, `${JSON.stringify(document, null, 1)}\n`]];
}

function operation(path, answer, summary, query) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...OBJECT[name],
  }));
  const inQuery = Object.entries(query).map(([name, parameter]) => ({ name, in: 'query', ...parameter }));
  const type = path === 'stream' ? 'text/event-stream' : 'application/json';
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    responses: {
      200: { description: summary, content: { [type]: { schema: ref(answer) } } },
      default: { description: 'Why not', content: json('ErrorAnswer') },
    },
  };
}

function schemas() {
  const api = new API({ cwd: fileURLToPath(new URL('..', import.meta.url)) });
  try {
    const [project] = api.updateSnapshot({ openProjects: [PROJECT] }).getProjects();
    const module = project.checker.getSymbolAtLocation(project.program.getSourceFile(SHAPES));
    const exported = project.checker
      .getExportsOfModule(module)
      .map((each) => ((each.flags & ALIAS) !== 0 ? project.checker.getAliasedSymbol(each) : each));
    return Object.fromEntries(
      exported.map((symbol) => [symbol.name, new Shapes(project, exported).of(symbol)]),
    );
  } finally {
    api.close();
  }
}

class Shapes {
  constructor(project, exported) {
    this.project = project;
    this.checker = project.checker;
    this.named = new Map(exported.map((each) => [this.checker.getDeclaredTypeOfSymbol(each).id, each.name]));
  }

  of(symbol) {
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    const time = symbol.name === 'Time' ? { format: 'date-time' } : {};
    return { ...this.described(symbol), ...this.inner(type), ...time };
  }

  described(symbol) {
    const description = this.checker.getDocumentationCommentOfSymbol(symbol).trim();
    return description === '' ? {} : { description };
  }

  schema(type) {
    const name = isIntrinsicType(type) ? undefined : this.named.get(type.id);
    return name === undefined ? this.inner(type) : ref(name);
  }

  inner(type) {
    if (isStringLiteralType(type)) return { const: type.value };
    if (isIntrinsicType(type)) return { type: type.intrinsicName };
    if (isUnionType(type)) return this.union(type.getTypes());
    if (this.checker.isArrayType(type)) {
      return { type: 'array', items: this.schema(this.checker.getTypeArguments(type)[0]) };
    }
    const [index] = this.checker.getIndexInfosOfType(type);
    if (index) return { type: 'object', additionalProperties: this.schema(index.valueType) };
    return this.object(this.checker.getPropertiesOfType(type));
  }

  union(types) {
    const there = types.filter((each) => !(isIntrinsicType(each) && each.intrinsicName === 'undefined'));
    if (there.every((each) => isStringLiteralType(each))) {
      return { type: 'string', enum: there.map(({ value }) => value).sort() };
    }
    // `boolean` is a union of its two values.
    if (there.length === 2 && there.every((each) => typeof each.value === 'boolean'))
      return { type: 'boolean' };
    return there.length === 1 ? this.schema(there[0]) : { anyOf: there.map((each) => this.schema(each)) };
  }

  object(symbols) {
    const fields = symbols.map((symbol) => {
      const node = symbol.declarations?.[0]?.resolve(this.project);
      const written = node?.type?.typeName?.text;
      const schema = written === 'Time' ? ref('Time') : this.schema(this.checker.getTypeOfSymbol(symbol));
      return { name: symbol.name, isOptional: (symbol.flags & OPTIONAL) !== 0, schema, symbol };
    });
    const required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
    const properties = fields.map(({ name, schema, symbol }) => [
      name,
      { ...schema, ...this.described(symbol) },
    ]);
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  }
}
