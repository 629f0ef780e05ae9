/** Objects as plain JSON. Field access goes through small helpers, never through classes. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** Any JSON object. */
export type JsonObject = { [key: string]: Json };

/** The metadata of a stored object. */
export interface Meta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFields[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  manager?: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1: JsonObject;
  subresource?: string;
}

/**
 * A stored object. Stored objects are immutable: every write creates a new one, so that watchers and the history may
 * keep references. Clone before changing.
 */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Meta;
  [field: string]: unknown;
}
