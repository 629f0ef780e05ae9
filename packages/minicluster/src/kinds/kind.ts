/**
 * The server's description of a kind. Built-in kinds are entries of `kinds/builtin/`; a CRD creates one at run time.
 * A new kind is one more entry; a new verb is one more function in `api/verbs/`.
 */

import type { KubeObject } from '../model/object.ts';
import type { FieldError } from '../model/status.ts';
import type { Schema } from '../schema/schema.ts';
import type { Rule } from './validate/names.ts';

export interface KindNames {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A column of `kubectl get`. `priority` 0 is always shown, 1 only with `-o wide`. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  value(object: KubeObject, now: number): string | number | boolean | null;
}

/** The scale subresource's fields, as dotted paths. Built-in kinds have their selector in the spec. */
export interface ScaleMapping {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The stored objects of a kind that is another view of them (another version, Events of events.k8s.io). */
export interface StorageView {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Both return a new object with apiVersion and kind set; unchanged parts are shared with the input. */
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/** Context for a kind's hooks. */
export interface WriteContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The currently stored objects: used Service addresses, ServiceAccounts, PriorityClasses. */
  list(kind: { readonly group: string; readonly plural: string }, namespace?: string): Iterable<KubeObject>;
  /** [0, 1), from the cluster's seed. */
  random(): number;
}

export interface Kind extends KindNames {
  /** Only these eight verbs exist; a kind may serve fewer (reviews: create only). */
  readonly verbs: readonly string[];
  readonly schema?: Schema;
  /** Name in the table of built-in definitions (`io.k8s.api.apps.v1.Deployment`). */
  readonly definition?: string;
  /** Answered by the server itself and never stored (reviews, bindings). */
  readonly virtual?: boolean;
  /** Set if objects are stored under another kind or version. */
  readonly storage?: StorageView;
  /** `/status` exists: only it writes status, and all other writes keep status. */
  readonly hasStatus?: boolean;
  readonly scale?: ScaleMapping;
  /** Names of further subresources that `api/subresources/` serves (eviction, token, binding, log …). */
  readonly subresources?: readonly string[];
  readonly columns?: readonly Column[];
  /** Conditions of a row of `kubectl get` (finished pods). */
  rowConditions?(object: KubeObject): readonly RowCondition[];
  /** Deprecation warning for all clients of this version. */
  readonly deprecationWarning?: string;
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** The error for an unknown field selector. */
  unknownFieldLabel?(label: string): string;
  /** The syntax of metadata.name. Default: a DNS subdomain. */
  readonly nameRule?: Rule;
  /** An update also runs the create checks of metadata, so its errors are reported twice. */
  readonly checksMetadataTwice?: boolean;
  /** The kind adds no rules for metadata to the common ones (Events, PodDisruptionBudgets). */
  readonly skipsMetadataChecks?: boolean;
  /** Finalizer names need no domain prefix (custom resources). */
  readonly freeFinalizers?: boolean;
  /** PUT to a missing name creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT requires a resourceVersion. */
  readonly requiresResourceVersion?: boolean;
  /** Without a propagationPolicy, deletion orphans the dependents (Jobs). */
  readonly orphansByDefault?: boolean;
  /** Metadata fields that a write to `/status` does not change, beyond spec. */
  readonly statusKeepsMetadata?: readonly string[] | 'all';
  /** The status of a new object. Default: `{}` for built-in kinds, none for custom resources. */
  readonly emptyStatus?: Readonly<Record<string, unknown>>;
  /** A create may set status (nodes). */
  readonly keepsStatusOnCreate?: boolean;

  /** Sets defaults. Mutates `object`. */
  setDefaults?(object: KubeObject): void;
  /** Before the first write: allocates, drops fields that clients may not set. Mutates `object`. */
  prepareForCreate?(object: KubeObject, context: WriteContext): void;
  /** Before an update through the main resource (status was already copied from `old`). Mutates `object`. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  /** Before an update of `/status` (spec was already copied from `old`). Mutates `object`. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  validateCreate?(object: KubeObject): FieldError[];
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  validateStatusUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  /** Warnings for the client (`Warning` header). `old` is absent on create. */
  warnings?(object: KubeObject, old?: KubeObject): string[];
  /**
   * Which changes increase metadata.generation. Default: any change outside metadata and status. A kind without
   * generations (Secrets, ConfigMaps) returns `never`.
   */
  readonly generation?: 'spec' | 'never' | ((object: KubeObject, old: KubeObject) => boolean);
  /** The grace period of a deletion (pods). Default 0. `requested` is the client's value. */
  gracePeriodSeconds?(object: KubeObject, requested?: number): number;
}

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The eight verbs of stored kinds. */
export const STORED_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** Where objects of this kind are stored. */
export const storageOf = (
  kind: Kind,
): { readonly group: string; readonly version: string; readonly kind: string; readonly plural: string } =>
  kind.storage ?? kind;

export const apiVersionOf = (kind: { readonly group: string; readonly version: string }): string =>
  kind.group ? `${kind.group}/${kind.version}` : kind.version;
