/** Owner references: the owners of a child, and the one that controls it. */
import { apiVersionOf, type ResourceType } from '../client/resource.ts';
import { ConfigurationError } from '../model/errors.ts';
import { type KubernetesObject, keyOf, keyString, type OwnerReference, type Stored } from '../model/types.ts';

/** The child already has another controller. */
export class AlreadyOwnedError extends ConfigurationError {
  override name = 'AlreadyOwnedError';
  readonly owner: OwnerReference;

  constructor(child: KubernetesObject, owner: OwnerReference) {
    super(
      `${child.kind ?? 'Object'} "${keyString(keyOf(child))}" is already controlled by ${owner.kind} "${owner.name}": choose another name or remove that owner`,
    );
    this.owner = owner;
  }
}

/** The child exists without a controller, and may not be adopted. */
export class NotOwnedError extends ConfigurationError {
  override name = 'NotOwnedError';
}

/** The API server would refuse this reference, or the garbage collector would misread it. */
export class OwnerScopeError extends ConfigurationError {
  override name = 'OwnerScopeError';
}

/** The reference by which `owner` controls its children; foreground deletion of the owner waits for them. */
export function controllerReference<T extends KubernetesObject>(
  type: ResourceType<T>,
  owner: Stored<T>,
): OwnerReference {
  const { name, uid } = owner.metadata;
  const reference = { apiVersion: apiVersionOf(type), kind: type.kind, name, uid };
  return { ...reference, controller: true, blockOwnerDeletion: true };
}

/** Options for taking over children. */
export interface ControllerReferenceOptions {
  /** Whether an existing object without a controller may be adopted. Default true. */
  readonly adopt?: boolean | undefined;
}

/**
 * Makes `owner` the controller of `child`. Throws `AlreadyOwnedError` if there is another, and without `adopt` a
 * `NotOwnedError` for a child that exists without one: a person created it. Mutates `child`.
 */
export function setControllerReference<T extends KubernetesObject>(
  child: KubernetesObject,
  type: ResourceType<T>,
  owner: Stored<T>,
  options: ControllerReferenceOptions = {},
): void {
  const reference = controllerReference(type, owner);
  const current = controllerOf(child);
  if (current && !sameOwner(current, reference)) throw new AlreadyOwnedError(child, current);
  if (!current && options.adopt === false && child.metadata?.resourceVersion !== undefined) {
    throw new NotOwnedError(
      `${child.kind ?? 'Object'} "${keyString(keyOf(child))}" exists and nobody controls it: delete it, or choose another name for ${type.kind} "${owner.metadata.name}"`,
    );
  }
  put(child, type, owner, reference);
}

/** The reference to the owner that controls an object. */
export function controllerOf(child: KubernetesObject): OwnerReference | undefined {
  return child.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** True only for this very owner: a re-created one of the same name does not count. */
export function isControlledBy(child: KubernetesObject, owner: Stored<KubernetesObject>): boolean {
  return controllerOf(child)?.uid === owner.metadata.uid;
}

function put(
  child: KubernetesObject,
  type: ResourceType,
  owner: Stored<KubernetesObject>,
  reference: OwnerReference,
): void {
  checkScope(child, type, owner);
  child.metadata ??= {};
  const references = [...(child.metadata.ownerReferences ?? [])];
  const index = references.findIndex((other) => sameOwner(other, reference));
  if (index < 0) references.push(reference);
  else references[index] = reference;
  child.metadata.ownerReferences = references;
}

function checkScope(child: KubernetesObject, type: ResourceType, owner: Stored<KubernetesObject>): void {
  if (!type.namespaced) return;
  const { namespace, name } = child.metadata ?? {};
  const ours = `${type.kind} "${keyString(keyOf(owner))}"`;
  if (!namespace) {
    throw new OwnerScopeError(
      `${ours} is namespaced and cannot own the cluster-scoped ${child.kind ?? 'object'} "${name}"`,
    );
  }
  if (namespace !== owner.metadata.namespace) {
    throw new OwnerScopeError(
      `${ours} cannot own ${child.kind ?? 'object'} "${name}" in another namespace, "${namespace}"`,
    );
  }
}

/** By group, kind and name, so that a new version of the API, or a re-created owner, replaces its old reference. */
function sameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a) === groupOf(b);
}

function groupOf({ apiVersion }: OwnerReference): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
