/** Impersonation (`kubectl --as`). */

import { badRequest } from '../model/status.ts';
import type { RequestInfo } from '../request/request-info.ts';
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
type Check = (attributes: Partial<RequestInfo>) => void;

const EXTRA_PREFIX = 'impersonate-extra-';
const AUTHENTICATION = 'authentication.k8s.io';
const NODE_PREFIX = 'system:node:';

/** The user to act as. Throws 403 if `user` may not impersonate it. */
export function impersonate(rbac: Rbac, user: User, headers: Headers, info: RequestInfo): User {
  const wanted = readWanted(headers);
  if (!wanted) return user;
  const check: Check = (attributes) => authorizeRequest(rbac, user, { ...NOTHING, ...attributes });
  const attempts = [
    // The newer permission allows single verbs as another user, the older one everything. The first denial is
    // reported.
    () => {
      const mode = modeFor(wanted);
      authorizeRequest(rbac, user, { ...info, verb: `impersonate-on:${mode}:${info.verb}` });
      checkUser(check, wanted, `impersonate:${mode}`, AUTHENTICATION);
    },
    () => checkUser(check, wanted, 'impersonate', ''),
  ];
  const refusals: unknown[] = [];
  for (const attempt of attempts) {
    try {
      attempt();
      return target(wanted);
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}

function modeFor({ name, groups, uid, extra }: User): string {
  const onlyName = groups.length === 0 && !uid && !extra;
  if (onlyName && name.startsWith(NODE_PREFIX)) return 'arbitrary-node';
  return onlyName && parseServiceAccount(name) ? 'serviceaccount' : 'user-info';
}

function checkUser(check: Check, wanted: User, verb: string, group: string): void {
  const account = parseServiceAccount(wanted.name);
  if (account) {
    check({ verb, group, resource: 'serviceaccounts', namespace: account.namespace, name: account.name });
  } else check({ verb, group, resource: 'users', name: wanted.name });
  if (wanted.uid) check({ verb, group: AUTHENTICATION, resource: 'uids', name: wanted.uid });
  for (const name of wanted.groups) check({ verb, group, resource: 'groups', name });
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const name of values) {
      check({ verb, group: AUTHENTICATION, resource: 'userextras', subresource: key, name });
    }
  }
}

function target(wanted: User): User {
  const account = parseServiceAccount(wanted.name);
  if (wanted.name === ANONYMOUS.name) return { ...wanted, groups: [...wanted.groups, UNAUTHENTICATED] };
  if (wanted.groups.includes(UNAUTHENTICATED)) return wanted;
  const groups =
    account && wanted.groups.length === 0 ? serviceAccountGroups(account.namespace) : wanted.groups;
  return authenticated({ ...wanted, groups });
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

function readWanted(headers: Headers): User | undefined {
  const name = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = listed(headers['impersonate-group']);
  const extra = readExtra(headers);
  if (name !== '') return { name, groups, ...(uid && { uid }), ...(extra && { extra }) };
  if (groups.length === 0 && uid === '' && !extra) return undefined;
  const quoted = (values: readonly string[]): string =>
    values.map((value) => JSON.stringify(value)).join(', ');
  const goGroups = groups.length > 0 ? `[]string{${quoted(groups)}}` : '[]string(nil)';
  const entries = Object.entries(extra ?? {}).map(
    ([key, values]) => `${JSON.stringify(key)}:[]string{${quoted(values)}}`,
  );
  const goExtra = extra ? `map[string][]string{${entries.join(', ')}}` : 'map[string][]string(nil)';
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goGroups}, Extra:${goExtra}} without impersonating a user name`,
  );
}

/** Repeated headers arrive joined by commas. */
const listed = (header: string | undefined): string[] =>
  header ? header.split(',').map((part) => part.trim()) : [];

function readExtra(headers: Headers): Record<string, string[]> | undefined {
  const extra: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(EXTRA_PREFIX)) extra[unescaped(name.slice(EXTRA_PREFIX.length))] = listed(value);
  }
  return Object.keys(extra).length > 0 ? extra : undefined;
}

/** Keys that are no valid header names are percent-encoded. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
