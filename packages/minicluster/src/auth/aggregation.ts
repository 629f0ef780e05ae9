/**
 * Aggregated ClusterRoles: each gets the rules of all roles that its selectors match.
 *
 * In: committed writes of ClusterRoles. Out: their `rules`. Runs synchronously with the write that causes it.
 */
import type { LocalApi } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import { deepEqual } from '../schema/json.ts';
import { selectsLabels } from '../selectors/selector-text.ts';
import type { PolicyRule } from './rules.ts';

const CLUSTER_ROLES = { group: 'rbac.authorization.k8s.io', plural: 'clusterroles' };
const USER = 'clusterrole-aggregation-controller';

interface ClusterRole extends KubeObject {
  aggregationRule?: { clusterRoleSelectors?: object[] };
  rules?: PolicyRule[];
}

/** Returns a function that stops it. */
export function aggregateClusterRoles(api: LocalApi): () => void {
  return api.subscribe(({ kind }) => {
    if (kind.plural !== CLUSTER_ROLES.plural || kind.group !== CLUSTER_ROLES.group) return;
    const roles = api.list(CLUSTER_ROLES) as ClusterRole[];
    for (const role of roles) {
      if (!role.aggregationRule) continue;
      const rules = sumOf(role, roles);
      if (deepEqual(rules, role.rules ?? [])) continue;
      // One at a time: this write triggers the next call.
      api.update(CLUSTER_ROLES, { ...role, rules }, USER);
      return;
    }
  });
}

function sumOf(role: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const sum: PolicyRule[] = [];
  for (const other of roles) {
    if (other.metadata.name === role.metadata.name) continue;
    if (!selectors.some((selector) => selectsLabels(selector, other.metadata.labels))) continue;
    for (const rule of other.rules ?? []) if (!sum.some((known) => deepEqual(known, rule))) sum.push(rule);
  }
  return sum;
}
