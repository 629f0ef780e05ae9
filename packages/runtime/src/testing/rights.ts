/** Compares the permissions that a run used with its RBAC rules. */
import type { PolicyRule } from '../builder/rules.ts';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';

/** A used permission: a verb on a resource. */
export interface UsedRight {
  readonly verb: string;
  readonly group: string;
  /** `deployments`, `webapps/status`. */
  readonly resource: string;
}

/** A client and the permissions used through it. */
export interface RightsRecorder {
  /** Forwards everything, and records the permission that RBAC would check. */
  readonly client: Client;
  /** Each once, in order of first use. */
  readonly used: readonly UsedRight[];
}

/** A client that records the permissions of its requests. */
export function recordRights(inner: Client): RightsRecorder {
  const used: UsedRight[] = [];
  const note = (verb: string, { group, plural }: ResourceType, subresource?: string): void => {
    const resource = subresource ? `${plural}/${subresource}` : plural;
    const known = used.some(
      (each) => each.verb === verb && each.group === group && each.resource === resource,
    );
    if (!known) used.push({ verb, group, resource });
  };
  const client: Client = {
    get(type, key, options) {
      note('get', type, options?.subresource);
      return inner.get(type, key, options);
    },
    list(type, options) {
      note('list', type);
      return inner.list(type, options);
    },
    listEach(type, onItem, options) {
      note('list', type);
      return inner.listEach(type, onItem, options);
    },
    watch(type, options) {
      note('watch', type);
      return inner.watch(type, options);
    },
    create(type, object, options) {
      note('create', type, options?.subresource);
      return inner.create(type, object, options);
    },
    update(type, object, options) {
      note('update', type, options?.subresource);
      return inner.update(type, object, options);
    },
    patch(type, key, patch, options) {
      note('patch', type, options?.subresource);
      return inner.patch(type, key, patch, options);
    },
    apply(type, object, options) {
      note('patch', type, options?.subresource);
      return inner.apply(type, object, options);
    },
    delete(type, key, options) {
      note('delete', type);
      return inner.delete(type, key, options);
    },
    deleteCollection(type, options) {
      note('deletecollection', type);
      return inner.deleteCollection(type, options);
    },
    raw: (request) => inner.raw(request),
    close: () => inner.close(),
  };
  return { client, used };
}

/**
 * Fails if a run used a permission that the rules do not grant; the message says what to add. Exercise
 * the operator fully (create, change, delete, fail) before this.
 *
 * @example
 * ```ts
 * const rights = recordRights(client);
 * const { runnables } = greetings.build({ client: rights.client, clock });
 * // … a test that exercises it …
 * assertRights(greetings.rules(), rights.used);
 * ```
 */
export function assertRights(rules: readonly PolicyRule[], used: readonly UsedRight[]): void {
  const missing = used.filter((right) => !rules.some((rule) => grants(rule, right)));
  if (missing.length === 0) return;
  const list = missing
    .map(({ verb, group, resource }) => `  ${verb} ${resource}${group ? `.${group}` : ''}`)
    .join('\n');
  throw new Error(
    `The run used ${missing.length} permission(s) that the rules do not grant; declare them with .owns(), .watches() or .needs():\n${list}`,
  );
}

function grants({ apiGroups, resources, verbs }: PolicyRule, { verb, group, resource }: UsedRight): boolean {
  const has = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');
  return has(apiGroups, group) && has(resources, resource) && has(verbs, verb);
}
