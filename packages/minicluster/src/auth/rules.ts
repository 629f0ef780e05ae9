/** RBAC rules: what one allows, and whether a set of rules covers another. */

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A request, as matched against a rule. */
export interface Attributes {
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!has(rule.verbs, wanted.verb)) return false;
  if (!wanted.isResource) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, wanted.path));
  if (!has(rule.apiGroups, wanted.group)) return false;
  if (!resourceMatches(rule.resources ?? [], wanted.resource, wanted.subresource)) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || (wanted.name !== '' && names.includes(wanted.name));
}

const has = (values: readonly string[] | undefined, value: string): boolean =>
  values !== undefined && (values.includes('*') || values.includes(value));

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  const combined = subresource ? `${resource}/${subresource}` : resource;
  return resources.some((allowed) => {
    if (allowed === '*' || allowed === combined) return true;
    // `*/scale` is the scale subresource of every resource.
    return subresource !== '' && allowed === `*/${subresource}`;
  });
}

function urlMatches(url: string, path: string): boolean {
  if (url === '*' || url === path) return true;
  return url.endsWith('*') && path.startsWith(url.slice(0, -1));
}

/** The parts of `wanted` that no rule of `held` allows: the permissions that a user would gain. */
export function rulesBeyond(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(singleRules).filter((rule) => !held.some((owner) => covers(owner, rule)));
}

/** Splits rules into one verb and resource or path each, to compare them one by one. */
function singleRules(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const places: Omit<PolicyRule, 'verbs'>[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      const place = { apiGroups: [group], resources: [resource] };
      if (resourceNames.length === 0) places.push(place);
      for (const name of resourceNames) places.push({ ...place, resourceNames: [name] });
    }
  }
  for (const url of nonResourceURLs) places.push({ nonResourceURLs: [url] });
  return places.flatMap((place) => verbs.map((verb) => ({ ...place, verbs: [verb] })));
}

function covers(owner: PolicyRule, single: PolicyRule): boolean {
  if (!has(owner.verbs, single.verbs[0] ?? '')) return false;
  const url = single.nonResourceURLs?.[0];
  if (url !== undefined) return (owner.nonResourceURLs ?? []).some((allowed) => urlMatches(allowed, url));
  if (!has(owner.apiGroups, single.apiGroups?.[0] ?? '')) return false;
  const [resource = '', subresource = ''] = (single.resources?.[0] ?? '').split('/');
  if (!resourceMatches(owner.resources ?? [], resource, subresource)) return false;
  const names = owner.resourceNames ?? [];
  const name = single.resourceNames?.[0];
  return names.length === 0 || (name !== undefined && names.includes(name));
}
