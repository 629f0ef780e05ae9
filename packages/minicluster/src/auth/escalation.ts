/**
 * Privilege escalation check: users cannot grant permissions they do not hold, unless they may `escalate` or `bind`.
 */

import type { KubeObject } from '../model/object.ts';
import { forbidden, notFound } from '../model/status.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { deepEqual } from '../schema/json.ts';
import type { Rbac, RoleRef } from './rbac.ts';
import { type PolicyRule, rulesBeyond } from './rules.ts';
import { MASTERS, type User } from './user.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

/** The parts of a write that this check needs. */
interface GuardedCall {
  readonly kind: { readonly group: string; readonly plural: string };
  readonly user: User;
  readonly info: RequestInfo;
  readonly rbac: Rbac;
}

/** The check for a write of a role or binding; undefined if none is needed. It throws 403. */
export function escalationGuard(
  call: GuardedCall,
): ((object: KubeObject, live: KubeObject | undefined) => void) | undefined {
  const { kind, user } = call;
  if (kind.group !== GROUP || user.groups.includes(MASTERS)) return undefined;
  if (ROLES.has(kind.plural)) return (object, live) => checkRole(call, object, live);
  if (BINDINGS.has(kind.plural)) return (object, live) => checkBinding(call, object, live);
  return undefined;
}

function checkRole(call: GuardedCall, role: KubeObject, live: KubeObject | undefined): void {
  const rules = (role.rules ?? []) as PolicyRule[];
  if (live && deepEqual(rules, live.rules ?? [])) return;
  if (may(call, 'escalate', call.kind.plural, role.metadata.name)) return;
  refuseBeyond(call, role, rules);
}

function checkBinding(call: GuardedCall, binding: KubeObject, live: KubeObject | undefined): void {
  const ref = (binding.roleRef ?? {}) as RoleRef;
  if (live && deepEqual(ref, live.roleRef) && deepEqual(binding.subjects ?? [], live.subjects ?? [])) return;
  const plural = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (may(call, 'bind', plural, ref.name)) return;
  const rules = call.rbac.roleRules(ref, call.info.namespace);
  // In this message the server uses its own resource, not the role's.
  if (!rules) throw notFound(resourceOf(call), ref.name);
  refuseBeyond(call, binding, rules);
}

function may(call: GuardedCall, verb: string, resource: string, name: string): boolean {
  return call.rbac.authorize(call.user, { ...call.info, verb, resource, subresource: '', name: name ?? '' })
    .allowed;
}

function refuseBeyond(call: GuardedCall, object: KubeObject, wanted: readonly PolicyRule[]): void {
  const { rules: held, missing } = call.rbac.rulesFor(call.user, call.info.namespace);
  const beyond = rulesBeyond(held, wanted);
  if (beyond.length === 0) return;
  const lines = compact(beyond).map(ruleText).join('\n');
  const unresolved = missing.map(({ name }) => `${call.kind.plural}.${GROUP} "${name}" not found`);
  const suffix = unresolved.length > 0 ? `; resolution errors: [${unresolved.join(', ')}]` : '';
  throw forbidden(
    resourceOf(call),
    object.metadata.name,
    `${attempt(call.user)} is attempting to grant RBAC permissions not currently held:\n${lines}${suffix}`,
  );
}

const resourceOf = ({ kind }: GuardedCall) => ({ group: kind.group, resource: kind.plural });

const attempt = ({ name, groups }: User): string =>
  `user "${name}" (groups=[${groups.map((group) => JSON.stringify(group)).join(' ')}])`;

/** One line per resource, with all its verbs. */
function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify(rest);
    const known = merged.get(key);
    merged.set(key, known ? { ...known, verbs: [...known.verbs, ...verbs] } : rule);
  }
  return [...merged.values()];
}

function ruleText(rule: PolicyRule): string {
  const fields: [string, readonly string[] | undefined][] = [
    ['NonResourceURLs', rule.nonResourceURLs],
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = fields
    .filter(([, values]) => values?.length)
    .map(([name, values]) => `${name}:[${values?.map((value) => JSON.stringify(value)).join(' ')}]`);
  return `{${shown.join(', ')}}`;
}
