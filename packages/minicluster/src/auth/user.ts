/** The user of a request, with its groups. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
export const MASTERS = 'system:masters';

export const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** Authenticated users are in one more group. */
export function authenticated(user: User): User {
  if (user.groups.includes(AUTHENTICATED)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED] };
}

const PREFIX = 'system:serviceaccount:';

export const serviceAccountName = (namespace: string, name: string): string =>
  `${PREFIX}${namespace}:${name}`;

export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

/** `system:serviceaccount:default:web` → its parts; undefined for other users. */
export function parseServiceAccount(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace, name, ...rest] = user.slice(PREFIX.length).split(':');
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
}
