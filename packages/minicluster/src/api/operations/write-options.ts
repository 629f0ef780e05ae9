/** Options of every write besides the object. */
import { apiVersionOf, type Kind, resetFields } from '../../kinds/index.ts';
import type { KubeObject } from '../../model/object.ts';
import type { QualifiedResource } from '../../model/status.ts';
import { trackUpdate, type Writer } from '../../patch/managed-fields.ts';
import { customResourceSchema, schemaFor } from '../../schema/definitions.ts';
import type { Schema } from '../../schema/schema.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { gapWarnings } from '../gaps.ts';

export interface WriteOptions {
  /** The field manager. */
  readonly manager: string;
  /** Dry run: everything but the write itself. */
  readonly dryRun: boolean;
  /** `status`, `scale`, …; empty for the object itself. */
  readonly subresource: string;
  /** Collects warnings for the client. */
  readonly warn: (text: string) => void;
  /** A final check of the object to be written; throws to refuse it. */
  readonly admit?: ((object: KubeObject, live: KubeObject | undefined) => void) | undefined;
  /** The object already has its managedFields: apply sets them itself. */
  readonly fieldsTracked?: boolean;
}

export const resourceOf = (kind: Kind): QualifiedResource => ({ group: kind.group, resource: kind.plural });

/** The schema by which fields are owned and merged. */
export function fieldSchema(kind: Kind): Schema | undefined {
  return kind.definition !== undefined ? schemaFor(kind) : customResourceSchema(kind.schema);
}

export function writerOf(cluster: Cluster, kind: Kind, options: WriteOptions): Writer {
  return {
    manager: options.manager,
    apiVersion: apiVersionOf(kind),
    // Writes through `scale` are recorded without a time.
    time: options.subresource === 'scale' ? '' : timestamp(cluster.clock),
    ...(options.subresource && { subresource: options.subresource }),
  };
}

/** Adds warnings about an object that is about to be written. */
export function warnOf(
  kind: Kind,
  object: KubeObject,
  live: KubeObject | undefined,
  { warn }: WriteOptions,
): void {
  for (const text of kind.warnings?.(object, live) ?? []) warn(text);
  for (const text of gapWarnings(kind, object)) warn(text);
}

/** Sets metadata.managedFields of `object`, which is about to replace `live`. */
export function trackFields(
  cluster: Cluster,
  kind: Kind,
  object: KubeObject,
  live: KubeObject | undefined,
  options: WriteOptions,
): void {
  if (options.fieldsTracked) return;
  const writer = writerOf(cluster, kind, options);
  const fields = trackUpdate(live, object, fieldSchema(kind), writer, {
    resetFields: resetFieldsOf(kind, options.subresource),
  });
  if (fields) object.metadata.managedFields = fields;
  else delete object.metadata.managedFields;
}

const resetFieldCache = new WeakMap<Kind, Map<string, string[][]>>();

/**
 * Paths that a write through this endpoint cannot change. Always the same array, because field sets are cached by it.
 */
export function resetFieldsOf(kind: Kind, subresource: string): string[][] {
  const known = resetFieldCache.get(kind) ?? new Map<string, string[][]>();
  resetFieldCache.set(kind, known);
  let paths = known.get(subresource);
  if (!paths) {
    paths = resetFields(kind, subresource);
    known.set(subresource, paths);
  }
  return paths;
}
