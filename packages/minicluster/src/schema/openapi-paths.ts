/** The OpenAPI operations of a kind, as far as clients read them: which exist, on which kind, with which parameters. */
import type { Schema } from './schema.ts';

export interface OpenApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly hasStatus?: boolean;
  readonly scale?: object;
  /** A custom kind's own; built-in kinds have theirs in the table. */
  readonly schema?: Schema;
}

export type PathItem = Record<string, Operation>;

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly object[];
  readonly responses: object;
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': object;
}

/** Verb → the method and whether it works on one object. */
const OPERATIONS: Readonly<Record<string, { method: string; onItem: boolean; writes: boolean }>> = {
  list: { method: 'get', onItem: false, writes: false },
  create: { method: 'post', onItem: false, writes: true },
  deletecollection: { method: 'delete', onItem: false, writes: false },
  get: { method: 'get', onItem: true, writes: false },
  update: { method: 'put', onItem: true, writes: true },
  patch: { method: 'patch', onItem: true, writes: true },
  delete: { method: 'delete', onItem: true, writes: false },
};
const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];

export function operationsOf(kind: OpenApiKind, version: 2 | 3): Record<string, PathItem> {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const collection = `${root}${kind.namespaced ? '/namespaces/{namespace}' : ''}/${kind.plural}`;
  const paths: Record<string, PathItem> = {};
  for (const verb of kind.verbs) {
    const operation = OPERATIONS[verb];
    if (!operation) continue;
    const path = operation.onItem ? `${collection}/{name}` : collection;
    paths[path] = { ...paths[path], [operation.method]: describe(kind, verb, operation.writes, version) };
  }
  if (kind.hasStatus) paths[`${collection}/{name}/status`] = subresource(kind, 'Status', kind, version);
  if (kind.scale) {
    const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
    paths[`${collection}/{name}/scale`] = subresource(kind, 'Scale', scale, version);
  }
  return paths;
}

type Gvk = Pick<OpenApiKind, 'group' | 'version' | 'kind'>;

function subresource(kind: OpenApiKind, name: string, gvk: Gvk, version: 2 | 3): PathItem {
  return Object.fromEntries(
    ['get', 'update', 'patch'].map((verb) => {
      const { method = '', writes = false } = OPERATIONS[verb] ?? {};
      return [
        method,
        { ...describe(kind, verb, writes, version, name), 'x-kubernetes-group-version-kind': plain(gvk) },
      ];
    }),
  );
}

const plain = ({ group, version, kind }: Gvk): Gvk => ({ group, version, kind });

function describe(kind: OpenApiKind, verb: string, writes: boolean, version: 2 | 3, suffix = ''): Operation {
  const names = [...(writes ? WRITE_PARAMETERS : []), ...(verb === 'patch' ? ['force'] : [])];
  const groupName = (kind.group || 'core').split('.').map(capital).join('');
  return {
    operationId: `${verb}${groupName}${capital(kind.version)}${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${suffix}`,
    parameters: names.map((name) => parameter(name, version)),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': plain(kind),
  };
}

function parameter(name: string, version: 2 | 3): object {
  const type = name === 'force' ? 'boolean' : 'string';
  return version === 3
    ? { name, in: 'query', schema: { type, uniqueItems: true } }
    : { name, in: 'query', type, uniqueItems: true };
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
