import { expect, test } from 'vitest';
import type { KubeObject } from '../../model/object.ts';
import { collect } from '../validate/field.ts';
import { validateCrdUpdate } from './validate.ts';

const ESTABLISHED = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));

const definition = (spec: object, status: object = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' },
    conversion: { strategy: 'None' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...spec,
  },
  status: { storedVersions: ['v1'], conditions: ESTABLISHED, ...status },
});

const refused = (old: KubeObject, next: KubeObject): string[] =>
  collect(next, (root) => validateCrdUpdate(root, old)).map(({ field, message }) => `${field}: ${message}`);

test('a definition can be updated', () => {
  expect(refused(definition({}), definition({}))).toEqual([]);
});

test('its group and plural never change', () => {
  const names = { plural: 'others', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' };
  expect(refused(definition({}), definition({ group: 'other.com', names }))).toEqual([
    'spec.group: Invalid value: "other.com": field is immutable',
    'spec.names.plural: Invalid value: "others": field is immutable',
  ]);
});

test('its scope and kind may change until it is established', () => {
  const changed = { scope: 'Cluster' };
  expect(refused(definition({}), definition(changed))).toEqual([
    'spec.scope: Invalid value: "Cluster": field is immutable',
  ]);
  expect(refused(definition({}, { conditions: [] }), definition(changed))).toEqual([]);
});

test('a version that objects may be stored in has to stay', () => {
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v2', served: true, storage: true, schema }];
  const [error] = refused(definition({}), definition({ versions }, { storedVersions: ['v1', 'v2'] }));
  expect(error).toMatch(
    /^status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions; v1 was previously/,
  );
});

test('a definition that always preserved unknown fields may go on', () => {
  const loose = definition({ preserveUnknownFields: true });
  expect(refused(loose, loose)).toEqual([]);
  expect(refused(definition({}), loose)).toHaveLength(1);
});
