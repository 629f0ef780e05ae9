import { container, deployment, type Scenario, type Step, SUBJECT } from './case.ts';

const config: Step = {
  verb: 'create',
  body: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: SUBJECT, labels: { 'a/b': 'x' } },
    data: { a: '1', b: '2' },
  },
};
const two: Step = { verb: 'create', body: deployment([container('a'), container('b')]) };
const CONTAINERS = '/spec/template/spec/containers';

const onConfig = (name: string, ...operations: unknown[]): Scenario => ({
  name: `json patch: ${name}`,
  kind: 'ConfigMap',
  steps: [config, { verb: 'json', body: operations }],
});
const onDeployment = (name: string, ...operations: unknown[]): Scenario => ({
  name: `json patch: ${name}`,
  kind: 'Deployment',
  steps: [two, { verb: 'json', body: operations }],
});
const merge = (name: string, body: unknown): Scenario => ({
  name: `merge patch: ${name}`,
  kind: 'ConfigMap',
  steps: [config, { verb: 'merge', body }],
});

export const jsonScenarios: readonly Scenario[] = [
  onConfig(
    'a test that holds',
    { op: 'test', path: '/data/a', value: '1' },
    { op: 'add', path: '/data/c', value: '3' },
  ),
  onConfig('a test that fails', { op: 'test', path: '/data/a', value: 'x' }),
  onConfig('a test for null of an absent key', { op: 'test', path: '/data/zz', value: null }),
  onConfig('a test for null below an absent map', { op: 'test', path: '/nope/zz', value: null }),
  onConfig('a test without a value', { op: 'test', path: '/data/a' }),
  onConfig('a removal', { op: 'remove', path: '/data/a' }),
  onConfig('a removal of what is absent', { op: 'remove', path: '/data/zz' }),
  onConfig('a replacement of what is absent', { op: 'replace', path: '/data/zz', value: 'new' }),
  onConfig('a replacement below an absent map', { op: 'replace', path: '/nope/zz', value: '1' }),
  onConfig('an addition below an absent map', { op: 'add', path: '/nope/zz', value: '1' }),
  onConfig('an addition below a string', { op: 'add', path: '/data/a/b', value: '1' }),
  onConfig('an addition without a value', { op: 'add', path: '/data/c' }),
  onConfig('a path without a slash', { op: 'add', path: 'data', value: '1' }),
  onConfig('an addition at the root', { op: 'add', path: '', value: {} }),
  onConfig('a removal of the root', { op: 'remove', path: '' }),
  onConfig('no path', { op: 'add', value: {} }),
  onConfig('an unknown operation', { op: 'bogus', path: '/data/c', value: '5' }),
  onConfig('no operation', { path: '/data/c', value: '5' }),
  onConfig('a move', { op: 'move', from: '/data/a', path: '/data/c' }),
  onConfig('a move of what is absent', { op: 'move', from: '/data/zz', path: '/data/c' }),
  onConfig('a move without from', { op: 'move', path: '/data/c' }),
  onConfig('a copy', { op: 'copy', from: '/data/a', path: '/data/c' }),
  onConfig('a copy of what is absent', { op: 'copy', from: '/data/zz', path: '/data/c' }),
  onConfig('escaped keys', { op: 'replace', path: '/metadata/labels/a~1b', value: 'z' }),
  onConfig('no operations'),
  onConfig('a number as operation', 5),
  onConfig('a number as op', { op: 5, path: '/data/c', value: '5' }),
  onConfig('a number as path', { op: 'add', path: 5, value: '5' }),
  onConfig('a value of the wrong type', { op: 'add', path: '/data/c', value: 5 }),
  {
    name: 'json patch: an object',
    kind: 'ConfigMap',
    steps: [config, { verb: 'json', body: { op: 'add' } }],
  },
  { name: 'json patch: null', kind: 'ConfigMap', steps: [config, { verb: 'json', body: null }] },
  onDeployment('an index beyond the end', { op: 'add', path: `${CONTAINERS}/5`, value: container('n') }),
  onDeployment('an addition at the end', { op: 'add', path: `${CONTAINERS}/-`, value: container('n') }),
  onDeployment('an addition in between', { op: 'add', path: `${CONTAINERS}/1`, value: container('n') }),
  onDeployment('an addition at a negative index', {
    op: 'add',
    path: `${CONTAINERS}/-1`,
    value: container('n'),
  }),
  onDeployment('an addition at a negative index in between', {
    op: 'add',
    path: `${CONTAINERS}/-2`,
    value: container('n'),
  }),
  onDeployment('an addition at no index', { op: 'add', path: `${CONTAINERS}/x`, value: container('n') }),
  onDeployment('a replacement by index', { op: 'replace', path: `${CONTAINERS}/1/image`, value: 'b:2' }),
  onDeployment('a replacement at a negative index', {
    op: 'replace',
    path: `${CONTAINERS}/-1/image`,
    value: 'b:2',
  }),
  onDeployment('a replacement beyond the end', {
    op: 'replace',
    path: `${CONTAINERS}/2`,
    value: container('n'),
  }),
  onDeployment('a removal by index', { op: 'remove', path: `${CONTAINERS}/0` }),
  onDeployment('a removal at a negative index', { op: 'remove', path: `${CONTAINERS}/-1` }),
  onDeployment('a removal beyond the start', { op: 'remove', path: `${CONTAINERS}/-3` }),
  onDeployment('a test of a number', { op: 'test', path: '/spec/replicas', value: 2 }),
  onDeployment('a test of a number as text', { op: 'test', path: '/spec/replicas', value: '2' }),
  onDeployment('a test of an object', {
    op: 'test',
    path: '/spec/selector',
    value: { matchLabels: { app: SUBJECT } },
  }),
  onDeployment('a move into itself', { op: 'move', from: '/spec/template', path: '/spec/template/x' }),
  onDeployment(
    'several operations',
    { op: 'test', path: `${CONTAINERS}/0/name`, value: 'a' },
    { op: 'add', path: `${CONTAINERS}/0/env`, value: [{ name: 'X', value: '1' }] },
    { op: 'add', path: '/metadata/annotations', value: { k: 'v' } },
  ),
  merge('values', { data: { a: '2', c: '3' }, metadata: { labels: { 'a/b': null, n: 'm' } } }),
  merge('a map goes', { data: null }),
  merge('nulls in a new map', { metadata: { annotations: { a: null, b: 'c' } } }),
  merge('a wrong type', { data: { a: 5 } }),
  merge('a wrong type for a map', { data: 'x' }),
  merge('a list', []),
  merge('a string', 'x'),
  merge('null', null),
  merge('empty', {}),
];
