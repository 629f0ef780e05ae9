/** policy: PodDisruptionBudgets. Evictions are a subresource of pods. */
import { dig, isAbsent } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, column, count, name } from '../table.ts';
import { collect, type Field } from '../validate/field.ts';
import { Struct } from '../validate/go-format.ts';
import { printableSelector, validateLabelSelector } from '../validate/selector.ts';
import { validateCounts } from './apps/workload.ts';
import { number } from './cells.ts';
import { define, specOf } from './define.ts';
import { validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.ts';

const bound = (field: string) => (object: object) => {
  const value = dig(object, 'spec', field);
  return isAbsent(value) ? 'N/A' : String(value);
};

export const podDisruptionBudgets: Kind = define({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  hasStatus: true,
  emptyStatus: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  generation: 'spec',
  requiresResourceVersion: true,
  skipsMetadataChecks: true,
  columns: [
    name,
    column('Min Available', bound('minAvailable')),
    column('Max Unavailable', bound('maxUnavailable')),
    count('Allowed Disruptions', number('status', 'disruptionsAllowed')),
    age,
  ],
  setDefaults(object) {
    specOf(object);
  },
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateStatusUpdate: (object) =>
    collect(object, (root) =>
      validateCounts(
        root.child('status'),
        ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
        [],
      ),
    ),
});

function validateSpec(spec: Field): void {
  const least = spec.child('minAvailable');
  const most = spec.child('maxUnavailable');
  if (!least.absent && !most.absent) {
    const shown = new Struct({
      MinAvailable: least.value,
      Selector: printableSelector(spec.child('selector').value),
      MaxUnavailable: most.value,
      UnhealthyPodEvictionPolicy: spec.child('unhealthyPodEvictionPolicy').value ?? null,
    });
    spec.invalid('minAvailable and maxUnavailable cannot be both set', shown);
  }
  for (const field of [least, most]) {
    if (field.absent) continue;
    validateIntOrPercent(field);
    validateAtMost100Percent(field);
  }
  validateLabelSelector(spec.child('selector'));
  const policy = spec.child('unhealthyPodEvictionPolicy');
  if (!policy.absent && !['AlwaysAllow', 'IfHealthyBudget'].includes(policy.text)) {
    policy.notSupported(['AlwaysAllow', 'IfHealthyBudget']);
  }
}
