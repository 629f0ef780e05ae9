/**
 * RBAC: decides by the Role, ClusterRole, RoleBinding and ClusterRoleBinding objects in the store.
 *
 * In: a user and a request. Out: yes, or no with a reason. Permissions are additive; nothing denies. Changes of the
 * objects apply from the next request on.
 */
import type { KubeObject } from '../model/object.ts';
import { objectKey, type Store } from '../storage/store.ts';
import { type Attributes, type PolicyRule, ruleAllows } from './rules.ts';
import { MASTERS, parseServiceAccount, type User } from './user.ts';

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

const GROUP = 'rbac.authorization.k8s.io';
const resource = (plural: string): string => `${plural}.${GROUP}`;

/** A binding that applies to the user, with its rules. */
interface Granted {
  readonly rules: readonly PolicyRule[];
  readonly why: string;
}

export class Rbac {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  authorize(user: User, wanted: Attributes): Decision {
    if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
    const missing: RoleRef[] = [];
    for (const { rules, why } of this.#granted(user, wanted.namespace, missing)) {
      if (rules.some((rule) => ruleAllows(rule, wanted))) return { allowed: true, reason: why };
    }
    return { allowed: false, reason: missing.length > 0 ? `RBAC: ${missingRoles(missing)}` : '' };
  }

  /** Everything that `user` may do in `namespace` (cluster-wide rights included). */
  rulesFor(user: User, namespace: string): { readonly rules: PolicyRule[]; readonly missing: RoleRef[] } {
    const missing: RoleRef[] = [];
    const rules = [...this.#granted(user, namespace, missing)].flatMap((granted) => granted.rules);
    if (user.groups.includes(MASTERS)) rules.push(...EVERYTHING);
    return { rules, missing };
  }

  /** The rules of a binding's role; undefined if the role does not exist. */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role =
      ref.kind === 'ClusterRole'
        ? this.#store.get(resource('clusterroles'), ref.name)
        : this.#store.get(resource('roles'), objectKey(namespace, ref.name));
    return role && ((role.rules ?? []) as PolicyRule[]);
  }

  *#granted(user: User, namespace: string, missing: RoleRef[]): Generator<Granted> {
    yield* this.#bindings('clusterrolebindings', 'ClusterRoleBinding', '', user, missing);
    if (namespace) yield* this.#bindings('rolebindings', 'RoleBinding', namespace, user, missing);
  }

  *#bindings(
    plural: string,
    kind: string,
    namespace: string,
    user: User,
    missing: RoleRef[],
  ): Generator<Granted> {
    const snapshot = this.#store.now(resource(plural));
    for (const key of snapshot.keys(namespace ? `${namespace}/` : '')) {
      const binding = snapshot.get(key);
      if (!binding) continue;
      const subject = matchingSubject(binding, user, namespace);
      if (!subject) continue;
      const ref = binding.roleRef as RoleRef;
      const rules = this.roleRules(ref, namespace);
      if (!rules) {
        missing.push(ref);
        continue;
      }
      const name = namespace ? `${binding.metadata.name}/${namespace}` : key;
      yield { rules, why: reason(kind, name, ref, subject) };
    }
  }
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Errors for bindings whose role does not exist. */
export function missingRoles(missing: readonly RoleRef[]): string {
  const texts = missing.map(({ kind, name }) => `${kind.toLowerCase()}.${GROUP} "${name}" not found`);
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`;
}

function reason(kind: string, name: string, ref: RoleRef, subject: Subject): string {
  const who =
    subject.kind === 'ServiceAccount' ? `"${subject.name}/${subject.namespace ?? ''}"` : `"${subject.name}"`;
  return `RBAC: allowed by ${kind} "${name}" of ${ref.kind} "${ref.name}" to ${subject.kind} ${who}`;
}

function matchingSubject(binding: KubeObject, user: User, namespace: string): Subject | undefined {
  const subjects = (binding.subjects ?? []) as Subject[];
  return subjects.find((subject) => {
    if (subject.kind === 'User') return subject.name === user.name;
    if (subject.kind === 'Group') return user.groups.includes(subject.name);
    if (subject.kind !== 'ServiceAccount') return false;
    const account = parseServiceAccount(user.name);
    return account?.name === subject.name && account.namespace === (subject.namespace || namespace);
  });
}
