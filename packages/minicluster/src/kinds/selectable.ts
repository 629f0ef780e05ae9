/** Field selectors: the fields of a kind, and their values in an object. */
import type { KubeObject } from '../model/object.ts';
import type { Kind } from './kind.ts';

export function isFieldLabel(kind: Kind, label: string): boolean {
  if (label === 'metadata.name') return true;
  if (label === 'metadata.namespace') return kind.namespaced || !kind.unknownFieldLabel;
  return kind.selectableFields !== undefined && Object.hasOwn(kind.selectableFields, label);
}

/** All selectable fields of `object`, with its name and namespace. */
export function fieldsOf(kind: Kind, object: KubeObject): Record<string, string> {
  const fields: Record<string, string> = { 'metadata.name': object.metadata.name };
  if (kind.namespaced) fields['metadata.namespace'] = object.metadata.namespace ?? '';
  for (const [label, read] of Object.entries(kind.selectableFields ?? {})) fields[label] = read(object);
  return fields;
}

/** The error for a field selector that this kind does not support. */
export const unknownFieldLabelText = (kind: Kind, label: string): string =>
  kind.unknownFieldLabel?.(label) ??
  `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
