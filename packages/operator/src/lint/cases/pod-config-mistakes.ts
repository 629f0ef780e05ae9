/** Mistakes in PodConfigMapConfigs. */
import type { Mistake } from './objects.ts';

type Case = readonly [what: string, rule: string, spec: object];

const CASES: readonly Case[] = [
  [
    'a template that does not parse',
    'bad-template',
    { configMapDataTemplate: { name: '{{ .metadata.name' } },
  ],
  ...['podName', 'label_app', '..data'].map(
    (key): Case => [
      `a template for the key ${key}`,
      'bad-key',
      { configMapDataTemplate: { [key]: '{{ .metadata.name }}' } },
    ],
  ),
  [
    'more templates than there may be',
    'too-many',
    { configMapDataTemplate: Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`k${at}`, 'x'])) },
  ],
  [
    'an operator that is none',
    'unknown-value',
    { podSelector: { matchExpressions: [{ key: 'app', operator: 'Equals', values: ['web'] }] } },
  ],
  [
    'a requirement without its values',
    'bad-field',
    { podSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
  ],
  [
    'a requirement on a label that is none',
    'bad-field',
    { podSelector: { matchExpressions: [{ key: 'a b', operator: 'Exists' }] } },
  ],
  ['a label in a selector that is none', 'bad-field', { podSelector: { matchLabels: { 'a b': 'x' } } }],
  ['a value of a label that is none', 'bad-field', { podSelector: { matchLabels: { app: 'a b' } } }],
  ['nothing in a list of labels', 'bad-type', { labelsToInclude: [null] }],
];

const podConfig = (fields: object): object => ({
  apiVersion: 'podconfig.example.com/v1alpha1',
  kind: 'PodConfigMapConfig',
  metadata: { name: 'info', namespace: 'shop' },
  ...fields,
});

export const POD_CONFIG_MISTAKES: readonly Mistake[] = [
  ...CASES.map(([what, rule, spec]) => ({ what, rule, objects: [podConfig({ spec })] })),
  {
    what: 'a selector beside the spec',
    rule: 'unknown-field',
    objects: [podConfig({ podSelector: { matchLabels: { app: 'web' } } })],
  },
];
