/** The resource that a request is about, from its path. */
export interface Target {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: URLSearchParams;
}

export function targetOf(path: string): Target {
  const url = new URL(path, 'http://server.test');
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const group = parts[0] === 'apis' ? (parts[1] ?? '') : '';
  let rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  let namespace = '';
  // `/api/v1/namespaces/NAME` alone is a request for the namespace itself.
  if (rest[0] === 'namespaces' && rest.length > 2) {
    namespace = rest[1] ?? '';
    rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = rest;
  return { group, resource, namespace, name: decodeURIComponent(name), subresource, query: url.searchParams };
}

/** The verb as RBAC rules name it. */
export function verbOf(method: string, { name, query }: Target): string {
  switch (method) {
    case 'GET':
      return query.get('watch') === 'true' || query.get('watch') === '1'
        ? 'watch'
        : name === ''
          ? 'list'
          : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}
