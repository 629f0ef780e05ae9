/** Sets and keyed lists of a custom resource must have unique items. */
import type { FieldError } from '../../model/status.ts';
import { goJson, isRecord, own } from '../json.ts';
import type { Schema } from '../schema.ts';
import { duplicate, invalidValue } from './errors.ts';
import { walk } from './walk.ts';

export function checkListTypes(object: unknown, schema: Schema): FieldError[] {
  const errors: FieldError[] = [];
  walk(
    object,
    schema,
    (value, { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys }, path) => {
      if (!Array.isArray(value)) return;
      if (type === 'set') errors.push(...repeated(value, path, (item) => item));
      else if (type === 'map') errors.push(...checkKeyed(value, keys ?? [], path));
    },
  );
  return errors;
}

function checkKeyed(items: readonly unknown[], keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  items.forEach((item, index) => {
    if (!isRecord(item)) {
      errors.push(invalidValue(`${path}[${index}]`, item, 'must be an object for an array of list-type map'));
    }
  });
  const keysOf = (item: unknown): unknown =>
    isRecord(item)
      ? Object.fromEntries(
          [...keys].sort().flatMap((key) => (own(item, key) === undefined ? [] : [[key, own(item, key)]])),
        )
      : undefined;
  return errors.length > 0 ? errors : repeated(items, path, keysOf);
}

/** Each duplicate is reported at its first repetition. */
function repeated(
  items: readonly unknown[],
  path: string,
  identity: (item: unknown) => unknown,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    const id = identity(item);
    const text = goJson(id);
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    if (count === 1) errors.push(duplicate(`${path}[${index}]`, id));
  });
  return errors;
}
