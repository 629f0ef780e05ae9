import { isAbsent, isRecord, same } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name } from '../../table.ts';
import { collect } from '../../validate/field.ts';
import { number } from '../cells.ts';
import { define } from '../define.ts';

export const controllerRevisions: Kind = define({
  group: 'apps',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  generation: 'never',
  checksMetadataTwice: true,
  columns: [
    name,
    column('Controller', (object) => {
      const owner = object.metadata.ownerReferences?.find((reference) => reference.controller);
      if (!owner) return '<none>';
      const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    }),
    column('Revision', number('revision')),
    age,
  ],
  validateCreate: (object) =>
    collect(object, (root) => {
      root.child('revision').notNegative();
      const data = root.child('data');
      if (isAbsent(data.value)) data.required('data is mandatory');
      else if (!isRecord(data.value)) data.required('data must be a valid JSON object');
    }),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      root.child('revision').notNegative();
      const data = root.child('data');
      if (!same(data.value, old.data)) data.invalid('field is immutable');
    }),
});
