/** Acting as somebody else, for those who may (`kubectl --as`). */
import type { RequestInfo } from '../api/request-info.ts';
import { badRequest } from '../api/status.ts';
import { authorizeRequest } from './authorize.ts';
import type { Rbac } from './rbac.ts';
import {
  ANONYMOUS,
  authenticated,
  parseServiceAccount,
  serviceAccountGroups,
  UNAUTHENTICATED,
  type User,
} from './user.ts';

type Headers = Readonly<Record<string, string>>;
const EXTRA_PREFIX = 'impersonate-extra-';

/** The user as whom the request is carried out. Throws 403 when `user` may not be that one. */
export function impersonate(rbac: Rbac, user: User, headers: Headers): User {
  const name = headers['impersonate-user'];
  const groups = listed(headers['impersonate-group']);
  const uid = headers['impersonate-uid'];
  const extra = readExtra(headers);
  if (!name) {
    if (groups.length === 0 && !uid && Object.keys(extra).length === 0) return user;
    throw badRequest(`requested ${JSON.stringify(groups)} without impersonating a user`);
  }
  const check = (attributes: Partial<RequestInfo>): void =>
    authorizeRequest(rbac, user, { ...NOTHING, verb: 'impersonate', ...attributes });

  const account = parseServiceAccount(name);
  if (account) check({ resource: 'serviceaccounts', namespace: account.namespace, name: account.name });
  else check({ resource: 'users', name });
  for (const group of groups) check({ resource: 'groups', name: group });
  if (uid) check({ group: 'authentication.k8s.io', resource: 'uids', name: uid });
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) {
      check({ group: 'authentication.k8s.io', resource: 'userextras', subresource: key, name: value });
    }
  }
  const target: User = {
    name,
    groups: account && groups.length === 0 ? serviceAccountGroups(account.namespace) : groups,
    ...(uid && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  if (name === ANONYMOUS.name) return { ...target, groups: [...groups, UNAUTHENTICATED] };
  return authenticated(target);
}

const NOTHING: RequestInfo = {
  isResource: true,
  path: '',
  verb: '',
  group: '',
  version: 'v1',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  rest: [],
};

/** Repeated headers arrive joined by commas. */
const listed = (header: string | undefined): string[] =>
  header ? header.split(',').map((part) => part.trim()) : [];

function readExtra(headers: Headers): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(EXTRA_PREFIX)) continue;
    extra[decodeURIComponent(name.slice(EXTRA_PREFIX.length))] = listed(value);
  }
  return extra;
}
