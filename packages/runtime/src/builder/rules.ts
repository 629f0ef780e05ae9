/** Derives the RBAC rules of an operator from its declaration: least privilege, nothing that it does not use. */
import type { ResourceType } from '../client/resource.ts';
import type { Declaration } from './declaration.ts';
import type { Managed } from './types.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  /** Empty text for the core group. */
  readonly apiGroups: readonly string[];
  /** In the plural; subresources as `deployments/status`. */
  readonly resources: readonly string[];
  /** `get`, `list`, `watch`, … */
  readonly verbs: readonly string[];
}

/** Rules that can be left out. */
export interface RulesOptions {
  /** With leader election; true unless given. */
  readonly leaderElection?: boolean | undefined;
}

const CHILD_VERBS = ['list', 'watch', 'get', 'create', 'update', 'delete'];
const ORDER = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

export function rulesOf<T extends Managed>(
  declaration: Declaration<T>,
  options: RulesOptions = {},
): PolicyRule[] {
  const { type, settings, watched, needs, cleanup } = declaration;
  const verbs = new Map<string, Set<string>>();
  const need = (group: string, resource: string, ...wanted: readonly string[]): void => {
    const key = `${group}/${resource}`;
    const known = verbs.get(key) ?? new Set();
    for (const verb of wanted) known.add(verb);
    verbs.set(key, known);
  };
  const ofType = ({ group, plural }: ResourceType, ...wanted: readonly string[]): void =>
    need(group, plural, ...wanted);

  ofType(type, 'list', 'watch', 'get');
  // The finalizer is part of the object's own metadata.
  if (cleanup) ofType(type, 'patch');
  if (settings.status ?? true) need(type.group, `${type.plural}/status`, 'patch');
  for (const { type: other, map } of watched) {
    if (map) ofType(other, 'list', 'watch');
    else ofType(other, ...CHILD_VERBS);
  }
  // `blockOwnerDeletion` needs this permission where the API server enforces it
  // (OwnerReferencesPermissionEnforcement).
  if (watched.some(({ map }) => !map)) need(type.group, `${type.plural}/finalizers`, 'update');
  for (const { type: other, verbs: wanted } of needs) ofType(other, ...wanted);
  need('', 'events', 'create', 'patch');
  if (options.leaderElection ?? true) need('coordination.k8s.io', 'leases', 'get', 'create', 'update');
  return [...verbs].map(([key, wanted]) => {
    const slash = key.indexOf('/');
    return {
      apiGroups: [key.slice(0, slash)],
      resources: [key.slice(slash + 1)],
      verbs: ORDER.filter((verb) => wanted.has(verb)).concat(
        [...wanted].filter((verb) => !ORDER.includes(verb)).sort(),
      ),
    };
  });
}
