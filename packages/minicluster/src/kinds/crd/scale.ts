/** Reads and writes the scale subresource's fields of a custom resource. */
import { dig } from '../fields.ts';
import type { ScaleMapping } from '../kind.ts';
import type { Field } from '../validate/field.ts';

const MAX_INT32 = 2 ** 31 - 1;

export function validateScale(root: Field, scale: ScaleMapping, withSpec: boolean): void {
  const paths = withSpec ? [scale.specReplicasPath, scale.statusReplicasPath] : [scale.statusReplicasPath];
  for (const path of paths) {
    // Upstream uses the path itself, with its leading dot, as the field name.
    const keys = path.replace(/^\./, '').split('.');
    const wrong = misfit(root.value, keys);
    const replicas = root.named(path).as(dig(root.value, ...keys));
    if (wrong) {
      replicas.as(0).invalid(`${path} accessor error: ${wrong}`);
      continue;
    }
    if (replicas.number < 0) replicas.invalid('should be a non-negative integer');
    else if (replicas.number > MAX_INT32) replicas.invalid(`should be less than or equal to ${MAX_INT32}`);
  }
}

/** The first value on the path with a wrong type. */
function misfit(value: unknown, [key, ...rest]: readonly string[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (key === undefined) {
    if (Number.isInteger(value)) return undefined;
    return `${value} is of the type ${typeof value === 'number' ? 'float64' : goTypeOf(value)}, expected int64`;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return `${value} is of the type ${goTypeOf(value)}, expected map[string]interface{}`;
  }
  return misfit(Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined, rest);
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' ? 'float64' : typeof value;
}
