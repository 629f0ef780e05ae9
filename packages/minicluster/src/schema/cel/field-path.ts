/** The `fieldPath` of a rule: `.a.b['c-d'].e`, relative to the rule's schema. */
import type { Schema } from '../schema.ts';

const STEP = /^(?:\.([^.[\]']+)|\['([^']+)'\])/;

/** The field names of the path; undefined if it cannot be parsed. */
export function parseFieldPath(path: string): string[] | undefined {
  const names: string[] = [];
  let rest = path;
  while (rest !== '') {
    const found = STEP.exec(rest);
    if (!found) return undefined;
    names.push(found[1] ?? found[2] ?? '');
    rest = rest.slice(found[0].length);
  }
  return names.length > 0 ? names : undefined;
}

/** Whether the path leads to a field that the schema declares. */
export function isFieldPath(path: string, schema: Schema): boolean {
  const names = parseFieldPath(path);
  if (!names) return false;
  let current = schema;
  for (const name of names) {
    const next = fieldOf(current, name);
    if (typeof next !== 'object') return false;
    current = next;
  }
  return true;
}

function fieldOf({ properties, additionalProperties }: Schema, name: string): Schema | boolean | undefined {
  return properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}
