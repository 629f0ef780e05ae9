/**
 * Request info, from method and path alone. Authorization uses it, so it follows the server's rules exactly, also for
 * paths that are not served.
 */
import { parseFieldSelector, requiredValue } from '../selectors/field-selector.ts';

export interface RequestInfo {
  /** False for `/version`, `/apis/apps/v1` and every other path without a resource. */
  readonly isResource: boolean;
  readonly path: string;
  /** An API verb (`list`), or the method in lower case for a request without a resource. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path after the subresource (`/pods/x/proxy/a/b`). */
  readonly rest: readonly string[];
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const PATH_VERBS = new Set(['proxy', 'watch']);
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

export function readRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nonResource: RequestInfo = {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    rest: [],
  };
  const [prefix, ...afterPrefix] = path.split('/').filter((part) => part !== '');
  if (prefix !== 'api' && prefix !== 'apis') return nonResource;
  const [group = '', ...afterGroup] = prefix === 'api' ? ['', ...afterPrefix] : afterPrefix;
  const [version, ...parts] = afterGroup;
  if (version === undefined || parts.length === 0) return nonResource;

  let verb = VERBS[method] ?? '';
  if (PATH_VERBS.has(parts[0] ?? '')) {
    if (parts.length < 2) return nonResource;
    verb = parts.shift() as string;
  }
  let namespace = '';
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1] as string;
    // A Namespace object is in its own namespace; so are its subresources.
    if (parts.length > 2 && !NAMESPACE_SUBRESOURCES.has(parts[2] as string)) parts.splice(0, 2);
  }
  const [resource = '', pathName = '', subresource = '', ...rest] = parts;
  let name = pathName;
  if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list';
    name = selectedName(query);
  } else if (name === '' && verb === 'watch') {
    name = selectedName(query);
  } else if (name === '' && verb === 'delete') {
    verb = 'deletecollection';
  }
  return {
    ...nonResource,
    isResource: true,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    rest,
  };
}

/** A list selected by metadata.name counts as that object, so that RBAC can allow it by name. */
function selectedName(query: URLSearchParams): string {
  try {
    return requiredValue(parseFieldSelector(query.get('fieldSelector') ?? ''), 'metadata.name') ?? '';
  } catch {
    return '';
  }
}

/** Any value but `0` and `false` means true, even the empty one. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}
