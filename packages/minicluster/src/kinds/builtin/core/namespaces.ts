import { array, ensure, text } from '../../fields.ts';
import { type Kind, STORED_VERBS } from '../../kind.ts';
import { age, column, name } from '../../table.ts';
import { collect } from '../../validate/field.ts';
import { dnsLabel, qualifiedName } from '../../validate/names.ts';
import { define, notSupported, specOf, textAt } from '../define.ts';

const FINALIZER = 'kubernetes';

export const namespaces: Kind = define({
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  verbs: STORED_VERBS.filter((verb) => verb !== 'deletecollection'),
  nameRule: dnsLabel,
  hasStatus: true,
  emptyStatus: { phase: 'Active' },
  subresources: ['finalize'],
  generation: 'never',
  checksMetadataTwice: true,
  selectableFields: { 'status.phase': textAt('status', 'phase') },
  unknownFieldLabel: notSupported,
  columns: [name, column('Status', textAt('status', 'phase')), age],
  setDefaults(object) {
    if (object.metadata.name) {
      ensure(object.metadata as unknown as Record<string, unknown>, 'labels')['kubernetes.io/metadata.name'] =
        object.metadata.name;
    }
  },
  prepareForCreate(object) {
    object.metadata.labels = {
      ...object.metadata.labels,
      'kubernetes.io/metadata.name': object.metadata.name,
    };
    const spec = specOf(object);
    const finalizers = array(spec.finalizers);
    if (!finalizers.includes(FINALIZER)) spec.finalizers = [...finalizers, FINALIZER];
  },
  prepareForUpdate(object, old) {
    // Only `finalize` can remove finalizers.
    specOf(object).finalizers = array((old.spec as { finalizers?: unknown } | undefined)?.finalizers);
  },
  validateCreate: (object) =>
    collect(object, (root) => {
      const finalizers = root.child('spec', 'finalizers');
      for (const item of array(finalizers.value)) {
        finalizers.invalidAll(qualifiedName(text(item)), item);
        if (!text(item).includes('/') && item !== FINALIZER) {
          finalizers.invalid('name is neither a standard finalizer name nor is it fully qualified', item);
        }
      }
    }),
});
