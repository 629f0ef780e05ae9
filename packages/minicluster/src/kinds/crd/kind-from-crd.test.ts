import { expect, test } from 'vitest';
import type { KubeObject } from '../../model/object.ts';
import { prepareStatusUpdate, prepareUpdate, resetFields } from '../strategy.ts';
import { kindFromCrd } from './kind-from-crd.ts';

const context = { now: 0, list: () => [], random: () => 0 };

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { color: { type: 'string' }, size: { type: 'integer', default: 3 } },
                'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'too large' }],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use something else',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} satisfies KubeObject;

const widget = (spec: object, more: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'w',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 4,
  },
  spec,
  ...more,
});

test('names, scope and subresources come from the definition', () => {
  expect(kindFromCrd(crd, 'v1')).toMatchObject({
    group: 'example.com',
    version: 'v1',
    kind: 'Widget',
    plural: 'widgets',
    singular: 'widget',
    namespaced: false,
    shortNames: ['w'],
    categories: ['all'],
    hasStatus: true,
    requiresResourceVersion: true,
  });
});

test('a version that is not there is an error', () => {
  expect(() => kindFromCrd(crd, 'v9')).toThrow('has no version v9');
});

test('what the schema does not know goes, what it knows is filled in', () => {
  const object = widget({ color: 'red', unknown: 1 }, { extra: true });
  kindFromCrd(crd, 'v1').setDefaults?.(object);
  expect(object.spec).toEqual({ color: 'red', size: 3 });
  expect(object).not.toHaveProperty('extra');
});

test('rules are checked', () => {
  const errors = kindFromCrd(crd, 'v1').validateCreate?.(widget({ size: 11 })) ?? [];
  expect(errors.map(({ field, message }) => [field, message])).toEqual([
    ['spec', 'Invalid value: too large'],
  ]);
});

test('rules are not checked while the shape is wrong', () => {
  const errors = kindFromCrd(crd, 'v1').validateCreate?.(widget({ size: 'many' })) ?? [];
  expect(errors.map(({ reason }) => reason)).toEqual(['FieldValueTypeInvalid', 'FieldValueInvalid']);
  expect(errors[1]?.message).toContain('some validation rules were not checked');
});

test('a declared field can be selected by', () => {
  const { selectableFields } = kindFromCrd(crd, 'v1');
  expect(selectableFields?.['spec.color']?.(widget({ color: 'red' }))).toBe('red');
  expect(selectableFields?.['spec.color']?.(widget({}))).toBe('');
});

test('a version that is not stored is converted by its name, with the defaults of the stored one', () => {
  const { storage } = kindFromCrd(crd, 'v1beta1');
  const stored = storage?.toStored(widget({ color: 'red' }, { apiVersion: 'example.com/v1beta1' }));
  expect(stored).toMatchObject({ apiVersion: 'example.com/v1', spec: { color: 'red', size: 3 } });
  expect(storage?.fromStored(stored as KubeObject).apiVersion).toBe('example.com/v1beta1');
});

test('a deprecated version warns in its own words', () => {
  expect(kindFromCrd(crd, 'v1beta1').deprecationWarning).toBe('use something else');
  expect(kindFromCrd(crd, 'v1').deprecationWarning).toBeUndefined();
});

test('a write of status leaves everything else, metadata too', () => {
  const kind = kindFromCrd(crd, 'v1');
  const old = widget({ color: 'red' }, { status: { a: 1 } });
  const object = widget({ color: 'blue' }, { status: { a: 2 } });
  object.metadata.labels = { new: 'label' };
  prepareStatusUpdate(kind, object, old, context);
  expect(object.spec).toEqual({ color: 'red' });
  expect(object.status).toEqual({ a: 2 });
  expect(object.metadata.labels).toBeUndefined();
  expect(resetFields(kind, 'status')).toEqual([['metadata'], ['spec']]);
});

test('a write of the rest leaves status, and counts as a generation when content changed', () => {
  const kind = kindFromCrd(crd, 'v1');
  const old = widget({ color: 'red' }, { status: { a: 1 } });
  const object = widget({ color: 'blue' }, { status: { a: 2 } });
  prepareUpdate(kind, object, old, context);
  expect(object.status).toEqual({ a: 1 });
  expect(object.metadata.generation).toBe(5);
});
