import { dig, fill, isRecord, strings } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, count, name, wide } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { applyTemplateDefaults, validateWorkloadTemplate } from '../apps/workload.ts';
import { containerColumns, labelsText, number } from '../cells.ts';
import { define, notSupported, specOf } from '../define.ts';

/** Served so that the short name `rc` works; no controller runs them. */
export const replicationControllers: Kind = define({
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  hasStatus: true,
  emptyStatus: { replicas: 0 },
  generation: 'spec',
  orphansByDefault: true,
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  selectableFields: { 'status.replicas': (object) => String(number('status', 'replicas')(object)) },
  unknownFieldLabel: notSupported,
  columns: [
    name,
    count('Desired', number('spec', 'replicas')),
    count('Current', number('status', 'replicas')),
    count('Ready', number('status', 'readyReplicas')),
    age,
    ...containerColumns('spec', 'template'),
    wide('Selector', (object) => labelsText(dig(object, 'spec', 'selector'))),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fill(spec, { replicas: 1 });
    applyTemplateDefaults(spec);
    const labels = strings(dig(spec, 'template', 'metadata', 'labels'));
    if (Object.keys(labels).length === 0) return;
    if (!isRecord(spec.selector) || Object.keys(spec.selector).length === 0) spec.selector = { ...labels };
    if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
  },
  validateCreate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
  validateUpdate: (object) => collect(object, (root) => validateSpec(root.child('spec'))),
});

function validateSpec(spec: Field): void {
  spec.child('minReadySeconds').notNegative();
  const selector = spec.child('selector');
  if (selector.count === 0) selector.required();
  spec.child('replicas').notNegative();
  const labels = spec.child('template', 'metadata', 'labels');
  const carried = strings(labels.value);
  const matches = Object.entries(strings(selector.value)).every(([key, value]) => carried[key] === value);
  if (!matches) labels.invalid('`selector` does not match template `labels`', carried);
  validateWorkloadTemplate(spec, 'ReplicationController');
}
