/** PersistentVolumes and their claims: stored and validated, never bound. */
import type { KubeObject } from '../../../model/object.ts';
import { array, dig, type Fields, fill, fillEmpty, isRecord, record, same, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name, wide } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { dnsSubdomain } from '../../validate/names.ts';
import { quantity } from '../../validate/quantity.ts';
import { validateLabelSelector } from '../../validate/selector.ts';
import { textOr } from '../cells.ts';
import { define, specOf, textAt } from '../define.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const modesText = (modes: unknown): string =>
  Object.keys(SHORT_MODES)
    .filter((mode) => array(modes).includes(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',');

const phaseText = (object: KubeObject): string =>
  object.metadata.deletionTimestamp ? 'Terminating' : textAt('status', 'phase')(object);

export const persistentVolumeClaims: Kind = define({
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  hasStatus: true,
  emptyStatus: { phase: 'Pending' },
  generation: 'never',
  checksMetadataTwice: true,
  columns: [
    name,
    column('Status', phaseText),
    column('Volume', textAt('spec', 'volumeName')),
    column('Capacity', (object) =>
      textAt('spec', 'volumeName')(object) ? textOr('0', 'status', 'capacity', 'storage')(object) : '',
    ),
    column('Access Modes', (object) =>
      textAt('spec', 'volumeName')(object) ? modesText(dig(object, 'status', 'accessModes')) : '',
    ),
    column('StorageClass', textAt('spec', 'storageClassName')),
    column('VolumeAttributesClass', textOr('<unset>', 'spec', 'volumeAttributesClassName')),
    age,
    wide('VolumeMode', textOr('<unset>', 'spec', 'volumeMode')),
  ],
  setDefaults: (object) => fill(specOf(object), { volumeMode: 'Filesystem', resources: {} }),
  validateCreate: (object) => collect(object, (root) => validateClaimSpec(root.child('spec'))),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      const spec = root.child('spec');
      validateClaimSpec(spec);
      const before = record(old.spec);
      if (!same(fixedPart(record(spec.value), object, before), fixedPart(before, object, before))) {
        spec.forbidden(
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
        );
      }
    }),
});

/** A claim's spec is immutable, but a bound claim may grow and an unbound one may be bound. */
function fixedPart(spec: Fields, current: KubeObject, old: Fields): Fields {
  const fixed: Fields = { ...spec };
  if (text(old.volumeName) === '') delete fixed.volumeName;
  if (phaseText(current) === 'Bound') {
    delete fixed.volumeAttributesClassName;
    fixed.resources = { ...record(spec.resources), requests: undefined };
  }
  return fixed;
}

export function validateClaimSpec(spec: Field): void {
  const modes = spec.child('accessModes');
  if (modes.count === 0) modes.required('at least 1 access mode is required');
  if (!spec.child('selector').absent) validateLabelSelector(spec.child('selector'));
  for (const mode of array(modes.value)) {
    if (!ACCESS_MODES.includes(text(mode))) modes.notSupported(ACCESS_MODES, mode);
  }
  if (array(modes.value).includes('ReadWriteOncePod') && modes.count > 1) {
    modes.forbidden('may not use ReadWriteOncePod with other access modes');
  }
  const requested = dig(spec.value, 'resources', 'requests', 'storage');
  const storage = spec.child('resources').key('storage');
  const amount = quantity(requested);
  if (amount === undefined) storage.required();
  else if (amount <= 0n) storage.invalid('must be greater than zero', String(requested));
  const storageClass = spec.child('storageClassName');
  if (!storageClass.empty) storageClass.invalidAll(dnsSubdomain(storageClass.text));
  const mode = spec.child('volumeMode');
  if (!mode.absent && !['Block', 'Filesystem'].includes(mode.text))
    mode.notSupported(['Block', 'Filesystem']);
}

const NOT_SOURCES = [
  ...[
    'capacity',
    'accessModes',
    'claimRef',
    'persistentVolumeReclaimPolicy',
    'storageClassName',
    'mountOptions',
  ],
  ...['volumeMode', 'nodeAffinity', 'volumeAttributesClassName'],
];

export const persistentVolumes: Kind = define({
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  hasStatus: true,
  generation: 'never',
  checksMetadataTwice: true,
  columns: [
    name,
    column('Capacity', textOr('0', 'spec', 'capacity', 'storage')),
    column('Access Modes', (object) => modesText(dig(object, 'spec', 'accessModes'))),
    column('Reclaim Policy', textAt('spec', 'persistentVolumeReclaimPolicy')),
    column('Status', phaseText),
    column('Claim', (object) => {
      const claim = dig(object, 'spec', 'claimRef');
      return isRecord(claim) ? `${text(claim.namespace)}/${text(claim.name)}` : '';
    }),
    column('StorageClass', textAt('spec', 'storageClassName')),
    column('VolumeAttributesClass', textOr('<unset>', 'spec', 'volumeAttributesClassName')),
    column('Reason', textAt('status', 'reason')),
    age,
    wide('VolumeMode', textOr('<unset>', 'spec', 'volumeMode')),
  ],
  setDefaults(object) {
    const spec = specOf(object);
    fillEmpty(spec, { persistentVolumeReclaimPolicy: 'Retain' });
    fill(spec, { volumeMode: 'Filesystem' });
    if (isRecord(spec.hostPath)) fill(spec.hostPath, { type: '' });
  },
  prepareForCreate(object, { now }) {
    const seconds = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
    object.status = { phase: 'Pending', lastPhaseTransitionTime: seconds };
  },
  validateCreate: (object) => collect(object, validateVolume),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateVolume(root);
      const source = (spec: unknown): Fields =>
        Object.fromEntries(Object.entries(record(spec)).filter(([field]) => !NOT_SOURCES.includes(field)));
      if (!same(source(object.spec), source(old.spec))) {
        root
          .child('spec', 'persistentvolumesource')
          .forbidden('spec.persistentvolumesource is immutable after creation');
      }
    }),
});

function validateVolume(root: Field): void {
  const spec = root.child('spec');
  const modes = spec.child('accessModes');
  if (modes.count === 0) modes.required();
  for (const mode of array(modes.value)) {
    if (!ACCESS_MODES.includes(text(mode))) modes.notSupported(ACCESS_MODES, mode);
  }
  const capacity = spec.child('capacity');
  if (capacity.count === 0) capacity.required();
  if (capacity.count !== 1 || capacity.key('storage').absent)
    capacity.notSupported(['storage'], capacity.value ?? null);
  const sources = Object.keys(record(spec.value)).filter(
    (field) => !NOT_SOURCES.includes(field) && isRecord(record(spec.value)[field]),
  );
  if (sources.length === 0) spec.required('must specify a volume type');
  const policy = spec.child('persistentVolumeReclaimPolicy');
  if (!policy.empty && !['Delete', 'Recycle', 'Retain'].includes(policy.text)) {
    policy.notSupported(['Delete', 'Recycle', 'Retain']);
  }
}
