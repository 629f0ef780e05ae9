/** What the scale subresource of a custom resource needs of its object. */
import { dig } from '../fields.ts';
import type { ScaleMapping } from '../kind.ts';
import type { Field } from '../validate/field.ts';

const MAX_INT32 = 2 ** 31 - 1;

export function validateScale(root: Field, scale: ScaleMapping, withSpec: boolean): void {
  const paths = withSpec ? [scale.specReplicasPath, scale.statusReplicasPath] : [scale.statusReplicasPath];
  for (const path of paths) {
    // The path itself, with its leading dot, is what upstream calls the field.
    const replicas = root.named(path).as(dig(root.value, ...path.replace(/^\./, '').split('.')));
    if (replicas.number < 0) replicas.invalid('should be a non-negative integer');
    else if (replicas.number > MAX_INT32) replicas.invalid(`should be less than or equal to ${MAX_INT32}`);
  }
}
