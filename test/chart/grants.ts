/**
 * The permissions of roles and the requests of the operator as comparable texts: `where group/resource verb [name]`.
 */
import { QUESTIONS } from '../../packages/operator/src/reloader/watch/access.ts';
import { NO_NAMESPACE } from '../../packages/operator/src/reloader/watch/granted-rules.ts';
import type { AuditEntry } from '../control-plane/audit.ts';
import type { Manifest } from './helm.ts';

export interface Grant {
  /** A namespace; undefined for all of them. */
  readonly namespace: string | undefined;
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  readonly verb: string;
  readonly names: readonly string[] | undefined;
}

export interface Ask {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name: string;
}

const READ: ReadonlySet<string> = new Set(['list', 'watch']);

/** Every permission of the roles, one by one. */
export function grantsOf(roles: readonly Manifest[]): Grant[] {
  return roles.flatMap(({ kind, metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups = [], resources = [], verbs, resourceNames }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => ({
            namespace: kind === 'Role' ? metadata.namespace : undefined,
            group,
            resource,
            verb,
            names: resourceNames,
          })),
        ),
      ),
    ),
  );
}

/**
 * The permissions that the operator used: its requests, and its access reviews for list and watch. It reviews the
 * access to every kind before it uses one; a list request itself is missing if the server streams the list as a watch.
 */
export function asksOf(entries: readonly AuditEntry[]): Ask[] {
  return entries.flatMap((entry): Ask[] => {
    const { group, resource, subresource, verb, namespace, name } = entry;
    if (resource === 'selfsubjectrulesreviews') return reviewedIn(entry);
    if (resource !== 'selfsubjectaccessreviews')
      return [
        { group, resource: subresource ? `${resource}/${subresource}` : resource, verb, namespace, name },
      ];
    const { spec } = entry.requestObject as { spec: { resourceAttributes: Partial<Ask> } };
    const asked = { group: '', resource: '', verb: '', namespace: '', name: '', ...spec.resourceAttributes };
    return READ.has(asked.verb) ? [asked] : [];
  });
}

/** One review of everything that the operator would list and watch if the cluster served it. */
function reviewedIn({ requestObject }: AuditEntry): Ask[] {
  const { spec } = requestObject as { spec: { namespace: string } };
  const namespace = spec.namespace === NO_NAMESPACE ? '' : spec.namespace;
  return QUESTIONS.filter(({ verb, type }) => READ.has(verb) && (type.namespaced || namespace === '')).map(
    ({ verb, type: { group, plural } }) => ({ group, resource: plural, verb, namespace, name: '' }),
  );
}

export function covers(grant: Grant, ask: Ask): boolean {
  return (
    (grant.namespace === undefined || grant.namespace === ask.namespace) &&
    grant.group === ask.group &&
    grant.resource === ask.resource &&
    grant.verb === ask.verb &&
    (grant.names === undefined || grant.names.includes(ask.name))
  );
}

export function describeGrant({ namespace, group, resource, verb, names }: Grant): string {
  const where = namespace === undefined ? '*' : namespace;
  const of = group === '' ? resource : `${resource}.${group}`;
  return [where, verb, of, ...(names ? [names.join('|')] : [])].join(' ');
}
