/**
 * What the server must know of a kind. Built-in kinds are entries of `kinds/builtin/`; a CRD makes one at run
 * time. A further kind is one more entry; a further verb is one more function in `api/verbs/`.
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

/** Where a scale subresource finds its numbers, as dotted paths. Built-in kinds have their selector in the spec. */
export interface ScaleMapping {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** Which stored objects a kind shows, when it is another view of them (a further version, Events of events.k8s.io). */
export interface StorageView {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /** Both return a new object with apiVersion and kind set; what needs no change is shared with the input. */
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/** What a kind may look at while it prepares an object. */
export interface WriteContext {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The objects stored now: taken Service addresses, ServiceAccounts, PriorityClasses. */
  list(kind: { readonly group: string; readonly plural: string }, namespace?: string): Iterable<KubeObject>;
  /** [0, 1), from the cluster's seed. */
  random(): number;
}

export interface Kind extends KindNames {
  /** Verbs beyond the usual eight are not served; a kind may serve fewer (reviews: create only). */
  readonly verbs: readonly string[];
  readonly schema?: Schema;
  /** Name in the table of built-in definitions (`io.k8s.api.apps.v1.Deployment`). */
  readonly definition?: string;
  /** Answered by the server itself and never stored (reviews, bindings). */
  readonly virtual?: boolean;
  /** Present when objects are stored under another kind or version. */
  readonly storage?: StorageView;
  /** `/status` exists: it alone writes status, and everything else leaves status alone. */
  readonly hasStatus?: boolean;
  readonly scale?: ScaleMapping;
  /** Names of further subresources that `api/subresources/` serves (eviction, token, binding, log …). */
  readonly subresources?: readonly string[];
  readonly columns?: readonly Column[];
  /** Conditions of a row of `kubectl get` (pods that have ended). */
  rowConditions?(object: KubeObject): readonly RowCondition[];
  /** Said to everyone who uses this version of the kind. */
  readonly deprecationWarning?: string;
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;
  /** What a client is told of a field selector that does not exist here. */
  unknownFieldLabel?(label: string): string;
  /** What metadata.name may look like. Default: a DNS subdomain. */
  readonly nameRule?: Rule;
  /** On update metadata is checked as on create too, so that its faults are reported twice. */
  readonly checksMetadataTwice?: boolean;
  /** The kind adds nothing to the rules for metadata that hold for all kinds (Events, PodDisruptionBudgets). */
  readonly skipsMetadataChecks?: boolean;
  /** Finalizers need no domain in front of their names (custom resources). */
  readonly freeFinalizers?: boolean;
  /** PUT to a name that does not exist creates it. */
  readonly createOnUpdate?: boolean;
  /** PUT must name the resourceVersion that it replaces. */
  readonly requiresResourceVersion?: boolean;
  /** Without a propagationPolicy, deleting leaves the dependents alone (Jobs). */
  readonly orphansByDefault?: boolean;
  /** Metadata fields that a write to `/status` does not change, beyond spec. */
  readonly statusKeepsMetadata?: readonly string[] | 'all';
  /** The status of a new object. Default: `{}` for built-in kinds, none for custom resources. */
  readonly emptyStatus?: Readonly<Record<string, unknown>>;
  /** A kind whose first write may carry a status (nodes). */
  readonly keepsStatusOnCreate?: boolean;

  /** Fills what the server fills in when a client leaves it out. Changes `object`. */
  setDefaults?(object: KubeObject): void;
  /** Before the first write: allocate, drop what clients may not set. Changes `object`. */
  prepareForCreate?(object: KubeObject, context: WriteContext): void;
  /** Before an update through the main resource (status was already carried over from `old`). Changes `object`. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  /** Before an update of `/status` (spec was already carried over from `old`). Changes `object`. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  validateCreate?(object: KubeObject): FieldError[];
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  validateStatusUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  /** Warnings for the client (`Warning` header). `old` is absent on create. */
  warnings?(object: KubeObject, old?: KubeObject): string[];
  /**
   * Which changes bump metadata.generation. Default: any change outside metadata and status.
   * A kind without generations (Secrets, ConfigMaps) says `never`.
   */
  readonly generation?: 'spec' | 'never' | ((object: KubeObject, old: KubeObject) => boolean);
  /** Deletion that waits for a grace period (pods). Default 0. `requested` is what the client asked for. */
  gracePeriodSeconds?(object: KubeObject, requested?: number): number;
}

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The eight verbs that stored kinds serve. */
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
