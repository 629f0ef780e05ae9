/** coordination.k8s.io: Leases. */
import type { KubeObject } from '../../model/object.ts';
import type { Kind } from '../kind.ts';
import { age, column, name } from '../table.ts';
import { collect, type Field } from '../validate/field.ts';
import { define, specOf, textAt } from './define.ts';

export const leases: Kind = define({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  generation: 'never',
  createOnUpdate: true,
  requiresResourceVersion: true,
  freeFinalizers: true,
  columns: [name, column('Holder', textAt('spec', 'holderIdentity')), age],
  setDefaults(object) {
    specOf(object);
  },
  prepareForCreate: dropCoordination,
  prepareForUpdate: dropCoordination,
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
});

/** Fields of a feature gate that is off by default upstream too. */
function dropCoordination(object: KubeObject): void {
  const spec = specOf(object);
  for (const field of ['strategy', 'preferredHolder']) delete spec[field];
}

function validateSpec(spec: Field): void {
  const duration = spec.child('leaseDurationSeconds');
  if (!duration.absent && duration.number <= 0) duration.invalid('must be greater than 0');
  spec.child('leaseTransitions').notNegative();
}
