/** coordination.k8s.io: Leases. */
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
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
});

function validateSpec(spec: Field): void {
  const duration = spec.child('leaseDurationSeconds');
  if (!duration.absent && duration.number <= 0) duration.invalid('must be greater than 0');
  spec.child('leaseTransitions').notNegative();
  const holder = spec.child('preferredHolder');
  if (!holder.empty && spec.child('strategy').empty) {
    holder.forbidden('may only be specified if `strategy` is defined');
  }
}
