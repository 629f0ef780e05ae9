/** Requests and limits of a container. */
import { array, record } from '../fields.ts';
import type { Field } from '../validate/field.ts';
import { qualifiedName } from '../validate/names.ts';
import { isWhole, quantity } from '../validate/quantity.ts';

const CONTAINER_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];
/** Known to the server, but not a container resource. */
const OTHER_STANDARD = [
  ...['storage', 'pods', 'services', 'replicationcontrollers', 'resourcequotas', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
  ...['requests.cpu', 'requests.memory', 'requests.storage', 'requests.ephemeral-storage'],
  ...['limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
];

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
/** Overcommittable resources: requests may be lower than limits. */
const isOvercommittable = (name: string): boolean =>
  (!name.includes('/') || name.startsWith('kubernetes.io/') || name.includes('.kubernetes.io/')) &&
  !isHugePages(name);

export function validateResources(resources: Field): void {
  const limits = resources.child('limits');
  const requests = resources.child('requests');
  for (const name of limits.keys()) validateAmount(limits.key(name), name);
  for (const name of requests.keys()) {
    const field = requests.key(name);
    validateAmount(field, name);
    const asked = quantity(field.value);
    const limit = record(limits.value)[name];
    const allowed = quantity(limit);
    if (allowed === undefined) {
      if (!isOvercommittable(name)) limits.required('Limit must be set for non overcommitable resources');
    } else if (asked === undefined) continue;
    else if (asked !== allowed && !isOvercommittable(name)) {
      requests.invalid(`must be equal to ${name} limit of ${String(limit)}`, String(field.value));
    } else if (asked > allowed) {
      requests.invalid(
        `must be less than or equal to ${name} limit of ${String(limit)}`,
        String(field.value),
      );
    }
  }
  const names = [...limits.keys(), ...requests.keys()];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    resources.forbidden('HugePages require cpu or memory');
  }
  for (const claim of resources.child('claims').items()) {
    if (array(claim.value).length === 0 && claim.child('name').empty) claim.child('name').required();
  }
}

function validateAmount(amount: Field, name: string): void {
  const reasons = qualifiedName(name);
  amount.invalidAll(reasons, name);
  if (reasons.length === 0 && !name.includes('/')) {
    const known = CONTAINER_RESOURCES.includes(name) || isHugePages(name);
    if (!known && !OTHER_STANDARD.includes(name)) {
      amount.invalid('must be a standard resource type or fully qualified', name);
    }
    if (!known) amount.invalid('must be a standard resource for containers', name);
  }
  const value = quantity(amount.value);
  if (value === undefined) return;
  if (value < 0n) amount.invalid('must be greater than or equal to 0', String(amount.value));
  if (!isOvercommittable(name) && !isHugePages(name) && !isWhole(value)) {
    amount.invalid('must be an integer', amount.value);
  }
}
