import { dig, fill } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, count, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { containerColumns, number, selectorColumn } from '../cells.ts';
import { specOf } from '../define.ts';
import { validateCounts, validateImmutableSelector, validateReplicated, workload } from './workload.ts';

export const replicaSets: Kind = workload({
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  emptyStatus: { replicas: 0 },
  generation: 'spec',
  columns: [
    name,
    count('Desired', number('spec', 'replicas')),
    count('Current', number('status', 'replicas')),
    count('Ready', number('status', 'readyReplicas')),
    age,
    ...containerColumns('spec', 'template'),
    selectorColumn('spec', 'selector'),
  ],
  setDefaults: (object) => fill(specOf(object), { replicas: 1 }),
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateSpec(root.child('spec'));
      validateImmutableSelector(root.child('spec'), dig(old, 'spec', 'selector'));
    }),
  validateStatusUpdate: (object) =>
    collect(object, (root) =>
      validateCounts(
        root.child('status'),
        ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
        [
          ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
          ['readyReplicas', 'replicas', 'status.replicas'],
          ['availableReplicas', 'replicas', 'status.replicas'],
          ['availableReplicas', 'readyReplicas', 'readyReplicas'],
        ],
      ),
    ),
});

function validateSpec(spec: Field): void {
  spec.child('replicas').notNegative();
  spec.child('minReadySeconds').notNegative();
  validateReplicated(spec);
}
