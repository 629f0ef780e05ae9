/** scheduling.k8s.io: PriorityClasses. */
import { fill, same } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, column, count, name } from '../table.ts';
import { collect } from '../validate/field.ts';
import { number } from './cells.ts';
import { define, textAt } from './define.ts';

const HIGHEST = 1_000_000_000;

export const priorityClasses: Kind = define({
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  namespaced: false,
  generation: () => false,
  columns: [
    name,
    count('Value', number('value')),
    column('Global-Default', (object) => object.globalDefault === true, { type: 'boolean' }),
    age,
    column('PreemptionPolicy', textAt('preemptionPolicy')),
  ],
  setDefaults: (object) => fill(object, { preemptionPolicy: 'PreemptLowerPriority', value: 0 }),
  validateCreate: (object) =>
    collect(object, (root) => {
      if (object.metadata.name.startsWith('system-')) {
        root
          .child('metadata', 'name')
          .forbidden(
            `priority class names with 'system-' prefix are reserved for system use only. error: ${object.metadata.name} is not a known system priority class`,
          );
      } else if (root.child('value').number > HIGHEST) {
        root.child('value').forbidden(`maximum allowed value of a user defined priority is ${HIGHEST}`);
      }
      root.child('preemptionPolicy').oneOf(['PreemptLowerPriority', 'Never']);
    }),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      if (object.value !== old.value) root.child('value').forbidden('may not be changed in an update.');
      const policy = root.child('preemptionPolicy');
      if (!same(policy.value, old.preemptionPolicy)) policy.invalid('field is immutable');
    }),
});
