/** Field selectors: which fields a kind offers, and what an object answers for them. */
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

/** What a client is told that selects by a field which this kind does not offer. */
export const unknownFieldLabelText = (kind: Kind, label: string): string =>
  kind.unknownFieldLabel?.(label) ??
  `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
