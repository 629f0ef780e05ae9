/** The few Kubernetes types that this package reads; use your own for everything else. */

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** The fields of a field manager. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: object;
  subresource?: string;
}

/** An owner of an object, as its metadata names it. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any object of the API. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** An object as a server returns it: named and versioned. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
}
/** An object as the server returns it: name, uid and version are set. */
export type Stored<T extends KubernetesObject> = T & { metadata: StoredMeta };

/** Names one object within a kind; cluster-scoped objects have no namespace. */
export interface ObjectKey {
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string;
  /** Within its kind and namespace. */
  readonly name: string;
}

/** `namespace/name`, or `name` if cluster-scoped: the form used in queues, caches and logs. */
export function keyString(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name;
}

/** Parses the result of `keyString`. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** The key of an object. */
export function keyOf(object: KubernetesObject): ObjectKey {
  const { name = '', namespace } = object.metadata ?? {};
  return namespace ? { namespace, name } : { name };
}

/** The metadata of a list. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** metav1.Condition */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** metav1.Status: how the API server reports failures. */
export interface Status {
  kind?: 'Status';
  apiVersion?: string;
  status?: 'Success' | 'Failure';
  code?: number;
  reason?: string;
  message?: string;
  metadata?: ListMeta;
  details?: StatusDetails;
}

/** The object of a failure. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  retryAfterSeconds?: number;
  causes?: StatusCause[];
}

/** One cause, with its field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}
