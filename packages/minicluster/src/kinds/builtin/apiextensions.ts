/** apiextensions.k8s.io: CustomResourceDefinitions. `kinds/crd/` builds the kinds they define. */

import type { KubeObject } from '../../model/object.ts';
import { validateCrd, validateCrdUpdate } from '../crd/validate.ts';
import { array, dig, ensure, fillEmpty, isRecord, record, records, text } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { column, name } from '../table.ts';
import { collect } from '../validate/field.ts';
import { define, specOf } from './define.ts';

export const customResourceDefinitions: Kind = define({
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  hasStatus: true,
  requiresResourceVersion: true,
  freeFinalizers: true,
  generation: 'spec',
  columns: [name, column('Created At', (object) => object.metadata.creationTimestamp, { type: 'date' })],
  setDefaults(object) {
    const spec = specOf(object);
    const names = ensure(spec, 'names');
    const kind = text(names.kind);
    if (kind) fillEmpty(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
    fillEmpty(ensure(spec, 'conversion'), { strategy: 'None' });
    const service = dig(spec, 'conversion', 'webhook', 'clientConfig', 'service');
    if (isRecord(service)) fillEmpty(service, { port: 443 });
  },
  prepareForCreate(object) {
    object.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
    recordStorageVersion(object);
  },
  prepareForUpdate: recordStorageVersion,
  validateCreate: (object) => collect(object, validateCrd),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateCrdUpdate(root, old);
    }),
});

/** A version in `storedVersions` stays there until a client removes it. */
function recordStorageVersion(object: KubeObject): void {
  const status = record(object.status);
  const storage = records(dig(object, 'spec', 'versions')).find((version) => version.storage === true);
  const stored = array(status.storedVersions);
  if (storage && !stored.includes(storage.name)) {
    object.status = { ...status, storedVersions: [...stored, storage.name] };
  }
}
