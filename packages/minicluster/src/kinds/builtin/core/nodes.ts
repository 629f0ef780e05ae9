import type { KubeObject } from '../../../model/object.ts';
import { dig, isAbsent, isRecord, records, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name, wide } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { labelValue, qualifiedName } from '../../validate/names.ts';
import { textOr } from '../cells.ts';
import { define, notSupported, textAt } from '../define.ts';

export const nodes: Kind = define({
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  hasStatus: true,
  keepsStatusOnCreate: true,
  subresources: ['proxy'],
  generation: 'never',
  checksMetadataTwice: true,
  selectableFields: {
    'spec.unschedulable': (object) => String(dig(object, 'spec', 'unschedulable') === true),
  },
  unknownFieldLabel: notSupported,
  columns: [
    name,
    column('Status', statusText),
    column('Roles', rolesText),
    age,
    column('Version', textAt('status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', addressOf('InternalIP')),
    wide('External-IP', addressOf('ExternalIP')),
    wide('OS-Image', textOr('<unknown>', 'status', 'nodeInfo', 'osImage')),
    wide('Kernel-Version', (object) => {
      const architecture = textAt('status', 'nodeInfo', 'architecture')(object);
      const kernel = textOr('<unknown>', 'status', 'nodeInfo', 'kernelVersion')(object);
      return architecture ? `${kernel} (${architecture})` : kernel;
    }),
    wide('Container-Runtime', textOr('<unknown>', 'status', 'nodeInfo', 'containerRuntimeVersion')),
  ],
  setDefaults(object) {
    const { status } = object;
    if (isRecord(status) && isAbsent(status.allocatable) && isRecord(status.capacity)) {
      status.allocatable = { ...status.capacity };
    }
  },
  validateCreate: (object) => collect(object, validateTaints),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      const providerId = textAt('spec', 'providerID')(old);
      if (providerId && root.child('spec', 'providerID').text !== providerId) {
        root
          .child('spec', 'providerID')
          .forbidden('node updates may not change providerID except from "" to valid');
      }
      validateTaints(root);
    }),
});

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints(root: Field): void {
  const seen = new Set<string>();
  // Upstream reports taints under metadata.
  const taints = root.child('metadata', 'taints').as(dig(root.value, 'spec', 'taints'));
  for (const taint of taints.items()) {
    const key = taint.child('key');
    key.invalidAll(qualifiedName(key.text), key.text);
    const value = taint.child('value').text;
    const reasons = labelValue(value);
    if (reasons.length > 0) taint.child('value').invalid(reasons.join(';'), value);
    taint.child('effect').oneOf(EFFECTS);
    const id = `${key.text}:${taint.child('effect').text}`;
    if (seen.has(id)) taint.child('effect').duplicate('taints must be unique by key and effect pair');
    seen.add(id);
  }
}

function statusText(object: KubeObject): string {
  const ready = records(dig(object, 'status', 'conditions')).find((condition) => condition.type === 'Ready');
  const status = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  return dig(object, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function rolesText(object: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(object.metadata.labels ?? {})) {
    if (key.startsWith('node-role.kubernetes.io/')) roles.add(key.slice('node-role.kubernetes.io/'.length));
    else if (key === 'kubernetes.io/role') roles.add(value);
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
}

function addressOf(type: string): (object: KubeObject) => string {
  return (object) => {
    const address = records(dig(object, 'status', 'addresses')).find((entry) => entry.type === type);
    return text(address?.address) || '<none>';
  };
}
