import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';

/** A REST resource: group, version, names and scope. The type parameter is the type of its objects. */
export interface ResourceType<T extends KubernetesObject = KubernetesObject> {
  /** Empty for the core group. */
  readonly group: string;
  /** `v1`, `v1beta1`, … */
  readonly version: string;
  /** `Deployment`. */
  readonly kind: string;
  /** `deployments`: the name in paths and in RBAC. */
  readonly plural: string;
  /** False for cluster-scoped kinds. */
  readonly namespaced: boolean;
  /**
   * Decodes an object in protobuf, in a range of a buffer. `listEach` and `watch` of a kind that has it ask for protobuf,
   * and for JSON where the server does not offer it. Its bytes are valid until the next object is read, so whatever
   * keeps whole objects (`list`, a cache without a projection) asks for JSON.
   */
  readonly protobuf?: (bytes: Buffer, start: number, end: number) => Stored<T>;
  /** Never set: carries `T` for inference. */
  readonly object?: T;
}

/** The type of a kind's objects: `type Greeting = ObjectOf<typeof Greetings>`. */
export type ObjectOf<K extends ResourceType> = K extends { readonly object?: infer T }
  ? NonNullable<T>
  : never;

/**
 * The same kind, with types of your own for its objects: those of the package `kubernetes-types`, or an interface with the
 * fields that you read. Nothing checks them at run time.
 *
 * @example
 * ```ts
 * interface Rollout extends KubernetesObject {
 *   spec?: { replicas?: number };
 *   status?: { readyReplicas?: number };
 * }
 * const Deployments = typed<Rollout>(kinds.Deployment);
 * const { status } = await client.get(Deployments, { namespace, name });
 * logger.info('Pods that run', { ready: status?.readyReplicas ?? 0 });
 * ```
 */
export function typed<T extends KubernetesObject>(type: ResourceType): ResourceType<T> {
  const { group, version, kind, plural, namespaced } = type;
  return { group, version, kind, plural, namespaced };
}

/** The same kind, read as JSON. */
export function inJson<T extends KubernetesObject>(type: ResourceType<T>): ResourceType<T> {
  const { protobuf, ...rest } = type;
  return protobuf ? rest : type;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(type: ResourceType): string {
  return type.group ? `${type.group}/${type.version}` : type.version;
}

/** `plural.group`, or `plural` in the core group: the form that kubectl and RBAC use. */
export function resourceName(type: ResourceType): string {
  return type.group ? `${type.plural}.${type.group}` : type.plural;
}

/** The collection's path (all namespaces where `namespace` is left out). */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const base = type.group ? `/apis/${type.group}/${type.version}` : `/api/${type.version}`;
  const scope = type.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${base}${scope}/${type.plural}`;
}

/** The path of one object in the API. */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): string {
  if (type.namespaced && !key.namespace) {
    throw new TypeError(
      `Cannot address ${type.kind} "${key.name}": it is namespaced and no namespace was given`,
    );
  }
  if (!key.name) throw new TypeError(`Cannot address a ${type.kind}: its name is empty`);
  const path = `${collectionPath(type, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource ? `${path}/${subresource}` : path;
}
