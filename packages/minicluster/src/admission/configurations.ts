/** Matches a write against the stored webhook configurations, as the API server does. */
import type { KubeObject } from '../model/object.ts';
import { selectsLabels } from '../selectors/selector-text.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface Webhook {
  readonly name: string;
  readonly clientConfig: {
    readonly url?: string;
    readonly service?: ServiceReference;
    readonly caBundle?: string;
  };
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly namespaceSelector?: Parameters<typeof selectsLabels>[0];
  readonly objectSelector?: Parameters<typeof selectsLabels>[0];
  readonly matchConditions?: readonly unknown[];
}

/** The properties of a write that webhooks match on. */
export interface Attributes {
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Undefined for a cluster-scoped object, or if the namespace does not exist. */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** The webhooks that match the write, in the order of their configurations' names. */
export function concerned(configurations: readonly KubeObject[], attributes: Attributes): Webhook[] {
  return [...configurations]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap(({ webhooks }) => (webhooks ?? []) as Webhook[])
    .filter((webhook) => matches(webhook, attributes));
}

function matches(webhook: Webhook, attributes: Attributes): boolean {
  if (!(webhook.rules ?? []).some((rule) => ruleMatches(rule, attributes))) return false;
  const { namespaceSelector = {}, objectSelector = {} } = webhook;
  const { namespace, namespaceLabels, object, oldObject } = attributes;
  if (namespace !== '' && !selectsLabels(namespaceSelector, namespaceLabels ?? {})) return false;
  // It is enough if the old or the new object matches: an object that leaves the selection is still reviewed.
  return [object, oldObject].some(
    (each) => each && selectsLabels(objectSelector, each.metadata.labels ?? {}),
  );
}

function ruleMatches(rule: WebhookRule, attributes: Attributes): boolean {
  const { operation, group, version, resource, subresource, namespace } = attributes;
  const has = (list: readonly string[] | undefined, word: string): boolean =>
    list !== undefined && (list.includes('*') || list.includes(word));
  const scope = rule.scope ?? '*';
  const inScope = scope === '*' || (scope === 'Namespaced') === (namespace !== '');
  return (
    inScope &&
    has(rule.operations, operation) &&
    has(rule.apiGroups, group) &&
    has(rule.apiVersions, version) &&
    (rule.resources ?? []).some((each) => resourceMatches(each, resource, subresource))
  );
}

// `pods`, `pods/status`, `pods/*`, `*` (all, without subresources); a `*` before the slash means every resource.
function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const [name, part] = pattern.split('/');
  if (name !== '*' && name !== resource) return false;
  return part === undefined ? subresource === '' : part === '*' || part === subresource;
}
