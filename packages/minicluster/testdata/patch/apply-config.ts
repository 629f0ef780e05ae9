/** Ownership of the keys of a ConfigMap. */
import { type Scenario, SUBJECT } from './case.ts';
import { apply, config, create, lastApplied, merge, replace } from './steps.ts';

export const configScenarios: readonly Scenario[] = [
  {
    name: 'apply creates, and again changes nothing',
    kind: 'ConfigMap',
    steps: [apply('one', config({ a: '1' })), apply('one', config({ a: '1' }))],
  },
  {
    name: 'two managers share a field',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1' })),
      apply('two', config({ a: '1', b: '2' })),
      apply('one', config({})),
      apply('two', config({ b: '2' })),
    ],
  },
  {
    name: 'a conflict and its force',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1', b: '1' })),
      apply('two', config({ a: '2' })),
      apply('two', config({ a: '2', b: '2' })),
      apply('two', config({ a: '2', b: '2' }), true),
      apply('one', config({ a: '1' })),
    ],
  },
  {
    name: 'what is no longer applied goes',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1', b: '1' }, { labels: { x: 'y' } })),
      apply('one', config({ b: '1' })),
      apply('one', config(undefined)),
      apply('one', config({ c: '1' })),
    ],
  },
  {
    name: 'conflicts with several managers',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1' })),
      apply('two', config({ b: '1' })),
      merge({ data: { c: '1' } }),
      apply('three', config({ a: '2', b: '2', c: '2' })),
    ],
  },
  {
    name: 'an update takes fields from an applier',
    kind: 'ConfigMap',
    steps: [
      apply('one', config({ a: '1', b: '1' })),
      merge({ data: { a: '2' } }),
      apply('one', config({ a: '1', b: '1' })),
      apply('one', config({ b: '1' })),
    ],
  },
  {
    name: 'an update with the same values owns nothing',
    kind: 'ConfigMap',
    steps: [apply('one', config({ a: '1' })), replace({}), merge({ data: { a: '1' } })],
  },
  {
    name: 'one manager updates twice',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' }), 'one'),
      merge({ data: { b: '2' } }, 'one'),
      merge({ data: { a: null } }, 'one'),
      merge({ data: null }, 'two'),
    ],
  },
  {
    name: 'labels and annotations are owned key by key',
    kind: 'ConfigMap',
    steps: [
      create(
        config({ a: '1' }, { labels: { x: '1' }, annotations: { n: '1' }, finalizers: ['example.org/f'] }),
      ),
      merge({ metadata: { labels: { y: '2' }, finalizers: ['example.org/f', 'example.org/g'] } }),
      merge({ metadata: { labels: null, finalizers: null } }),
    ],
  },
  {
    name: 'before the first apply there was an owner',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' })),
      replace({ metadata: { managedFields: [] } }),
      merge({ data: { c: '1' } }),
      apply('one', config({ a: '1' })),
      apply('one', config({ a: '2' })),
    ],
  },
  {
    name: 'managedFields are reset by an empty entry',
    kind: 'ConfigMap',
    steps: [create(config({ a: '1' })), merge({ metadata: { managedFields: [{}] }, data: { b: '1' } })],
  },
  {
    name: 'managedFields that a client sends',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' })),
      merge({
        metadata: {
          managedFields: [
            {
              manager: 'other',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
      }),
    ],
  },
  {
    name: 'managedFields that make no sense',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' })),
      merge({
        metadata: {
          managedFields: [
            { manager: 'x', operation: 'Guess', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
          ],
        },
        data: { b: '1' },
      }),
    ],
  },
  {
    name: 'kubectl takes over from its client-side apply',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' }, lastApplied({ a: '1', b: '1' })), 'kubectl-client-side-apply'),
      apply('kubectl', config({ a: '2', b: '1' })),
      apply('kubectl', config({ a: '2' })),
    ],
  },
  {
    name: 'kubectl does not take what has changed since',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1', b: '1' }, lastApplied({ a: '1', b: '1' })), 'kubectl-client-side-apply'),
      merge({ data: { a: 'x' } }, 'other'),
      apply('kubectl', config({ a: '2', b: '2' })),
    ],
  },
  {
    name: 'another manager does not take over',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' }, lastApplied({ a: '1' })), 'kubectl-client-side-apply'),
      apply('helm', config({ a: '2' })),
    ],
  },
  {
    name: 'an apply with nothing in it',
    kind: 'ConfigMap',
    steps: [apply('one', config(undefined)), apply('one', config({}))],
  },
  {
    name: 'nulls in an applied map',
    kind: 'ConfigMap',
    steps: [
      create(config({ a: '1' })),
      apply('one', { ...config(undefined), data: null, metadata: { name: SUBJECT, labels: null } }),
    ],
  },
  {
    name: 'more than ten updaters',
    kind: 'ConfigMap',
    steps: [
      create(config({ k0: '0' }), 'm0'),
      ...Array.from({ length: 12 }, (_, i) => merge({ data: { [`k${i + 1}`]: '1' } }, `m${i + 1}`)),
    ],
  },
];
