import type { KubeObject } from '../../../model/object.ts';
import { array, dig, integer, record, same, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { admitPod, qosClass } from '../../pod/admission.ts';
import { podColumns, podRowConditions } from '../../pod/columns.ts';
import { applyPodDefaults, applyPodSpecDefaults } from '../../pod/defaults.ts';
import { validatePodSpec } from '../../pod/spec.ts';
import { validatePodUpdate } from '../../pod/update.ts';
import { podSpecWarnings } from '../../pod/warnings.ts';
import { column, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { applyTemplateDefaults } from '../apps/workload.ts';
import { containerColumns, labelsText } from '../cells.ts';
import { define, notSupported, specOf, textAt } from '../define.ts';

export const pods: Kind = define({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  hasStatus: true,
  subresources: [
    ...['attach', 'binding', 'ephemeralcontainers', 'eviction', 'exec', 'log', 'portforward', 'proxy'],
    'resize',
  ],
  generation: 'spec',
  checksMetadataTwice: true,
  selectableFields: {
    'spec.nodeName': textAt('spec', 'nodeName'),
    // Its field selector in the first API versions.
    'spec.host': textAt('spec', 'nodeName'),
    'spec.restartPolicy': textAt('spec', 'restartPolicy'),
    'spec.schedulerName': textAt('spec', 'schedulerName'),
    'spec.serviceAccountName': textAt('spec', 'serviceAccountName'),
    'spec.hostNetwork': (pod) => String(dig(pod, 'spec', 'hostNetwork') === true),
    'status.phase': textAt('status', 'phase'),
    'status.podIP': firstAddress,
    'status.podIPs': firstAddress,
    'status.nominatedNodeName': textAt('status', 'nominatedNodeName'),
  },
  unknownFieldLabel: notSupported,
  columns: podColumns,
  rowConditions: podRowConditions,
  setDefaults(pod) {
    const spec = specOf(pod);
    applyPodSpecDefaults(spec);
    applyPodDefaults(spec);
  },
  prepareForCreate(pod, context) {
    admitPod(pod, context);
    const spec = record(pod.spec);
    if (integer(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
    pod.status = { phase: 'Pending', qosClass: qosClass(spec) };
    if (array(dig(pod, 'spec', 'schedulingGates')).length > 0) {
      record(pod.status).conditions = [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: new Date(context.now).toISOString().replace(/\.\d+Z$/, 'Z'),
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ];
    }
  },
  prepareForStatusUpdate(pod, old) {
    const status = record(pod.status);
    if (text(status.qosClass) === '') status.qosClass = dig(old, 'status', 'qosClass');
  },
  statusKeepsMetadata: ['ownerReferences'],
  validateCreate: (pod) =>
    collect(pod, (root) => {
      validatePod(root);
      const spec = root.child('spec');
      const ephemeral = spec.child('ephemeralContainers');
      if (ephemeral.count > 0) ephemeral.forbidden('cannot be set on create');
      if (!spec.child('nodeName').empty && spec.child('schedulingGates').count > 0) {
        spec.child('nodeName').forbidden('cannot be set until all schedulingGates have been cleared');
      }
    }),
  validateUpdate: (pod, old) =>
    collect(pod, (root) => {
      validatePod(root);
      validatePodUpdate(root, old);
    }),
  validateStatusUpdate: (pod, old) =>
    collect(pod, (root) => {
      const qos = root.child('status', 'qosClass');
      if (!same(qos.value, dig(old, 'status', 'qosClass'))) qos.invalid('field is immutable');
    }),
  warnings: (pod, old) => (old && same(pod.spec, old.spec) ? [] : podSpecWarnings(pod.spec, 'spec')),
  gracePeriodSeconds(pod, requested) {
    if (!text(dig(pod, 'spec', 'nodeName'))) return 0;
    if (['Succeeded', 'Failed'].includes(text(dig(pod, 'status', 'phase')))) return 0;
    const own = dig(pod, 'spec', 'terminationGracePeriodSeconds');
    const seconds = requested ?? (typeof own === 'number' ? own : 0);
    return seconds < 0 ? 1 : seconds;
  },
});

function firstAddress(pod: KubeObject): string {
  return text(record(array(dig(pod, 'status', 'podIPs'))[0]).ip);
}

function validatePod(root: Field): void {
  const spec = root.child('spec');
  validatePodSpec(spec);
  for (const list of ['containers', 'initContainers']) {
    for (const container of spec.child(list).items()) {
      const image = container.child('image');
      if (image.text !== image.text.trim()) image.invalid('must not have leading or trailing whitespace');
    }
  }
}

export const podTemplates: Kind = define({
  kind: 'PodTemplate',
  plural: 'podtemplates',
  generation: 'spec',
  columns: [
    name,
    ...containerColumns('template').map((shown) => ({ ...shown, priority: 0 })),
    column('Pod Labels', (object) => labelsText(dig(object, 'template', 'metadata', 'labels'))),
  ],
  setDefaults: (object) => applyTemplateDefaults(object),
  validateCreate: (object) => collect(object, (root) => validatePodSpec(root.child('template', 'spec'))),
  validateUpdate: (object) => collect(object, (root) => validatePodSpec(root.child('template', 'spec'))),
});

/** A pod is bound to a node through its `binding` subresource, or through this older form. */
export const bindings: Kind = define({
  kind: 'Binding',
  plural: 'bindings',
  verbs: ['create'],
  virtual: true,
  generation: 'never',
});
