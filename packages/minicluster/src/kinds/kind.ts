/**
 * What the server must know of a kind. Built-in kinds are entries of `kinds/builtin/`; a CRD makes one at run
 * time. A further kind is one more entry; a further verb is one more function in `api/verbs/`.
 */
import type { FieldError } from '../api/status.ts';
import type { KubeObject } from '../object.ts';
import type { Schema } from '../schema/schema.ts';

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

/** Where a scale subresource finds its numbers, as dotted paths. */
export interface ScaleMapping {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface Kind extends KindNames {
  /** Verbs beyond the usual eight are not served; a kind may serve fewer (reviews: create only). */
  readonly verbs: readonly string[];
  readonly schema?: Schema;
  /** `/status` exists: it alone writes status, and everything else leaves status alone. */
  readonly hasStatus?: boolean;
  readonly scale?: ScaleMapping;
  /** Names of further subresources that `api/subresources/` serves (eviction, token, binding, log …). */
  readonly subresources?: readonly string[];
  readonly columns?: readonly Column[];
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (object: KubeObject) => string>>;

  /** Fills what the server fills in when a client leaves it out. Changes `object`. */
  setDefaults?(object: KubeObject): void;
  /** Before the first write: allocate, drop what clients may not set. Changes `object`. */
  prepareForCreate?(object: KubeObject, context: { readonly now: number }): void;
  /** Before an update through the main resource (status was already carried over from `old`). Changes `object`. */
  prepareForUpdate?(object: KubeObject, old: KubeObject): void;
  validateCreate?(object: KubeObject): FieldError[];
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  validateStatusUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  /** Warnings for the client (`Warning` header). */
  warnings?(object: KubeObject): string[];
  /**
   * Which changes bump metadata.generation. Default: any change outside metadata and status.
   * A kind without generations (Secrets, ConfigMaps) says `never`.
   */
  readonly generation?: 'spec' | 'never' | ((object: KubeObject, old: KubeObject) => boolean);
  /** Deletion that waits for a grace period (pods). Default 0. */
  gracePeriodSeconds?(object: KubeObject): number;
}
