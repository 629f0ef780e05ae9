/** storage.k8s.io: StorageClasses. Nothing is provisioned. */
import { fill, same } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, column } from '../table.ts';
import { collect } from '../validate/field.ts';
import { qualifiedName } from '../validate/names.ts';
import { textOr } from './cells.ts';
import { define, textAt } from './define.ts';

export const storageClasses: Kind = define({
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  namespaced: false,
  generation: 'never',
  checksMetadataTwice: true,
  columns: [
    column(
      'Name',
      (object) => {
        const annotations = object.metadata.annotations ?? {};
        const isDefault = annotations['storageclass.kubernetes.io/is-default-class'] === 'true';
        return `${object.metadata.name}${isDefault ? ' (default)' : ''}`;
      },
      { format: 'name' },
    ),
    column('Provisioner', textAt('provisioner')),
    column('ReclaimPolicy', textOr('Delete', 'reclaimPolicy')),
    column('VolumeBindingMode', textOr('Immediate', 'volumeBindingMode')),
    column('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
    age,
  ],
  setDefaults: (object) => fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validateCreate: (object) =>
    collect(object, (root) => {
      const provisioner = root.child('provisioner');
      if (provisioner.empty) provisioner.required();
      else provisioner.invalidAll(qualifiedName(provisioner.text.toLowerCase()));
      const policy = root.child('reclaimPolicy');
      if (!['Delete', 'Retain'].includes(policy.text)) policy.notSupported(['Delete', 'Retain']);
      const mode = root.child('volumeBindingMode');
      if (!['Immediate', 'WaitForFirstConsumer'].includes(mode.text)) {
        mode.notSupported(['Immediate', 'WaitForFirstConsumer']);
      }
    }),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
        if (!same(object[field], old[field])) root.child(field).invalid('field is immutable');
      }
    }),
});
