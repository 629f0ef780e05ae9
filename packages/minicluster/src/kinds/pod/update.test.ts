import { expect, test } from 'vitest';
import type { KubeObject } from '../../model/object.ts';
import { collect } from '../validate/field.ts';
import { validatePodUpdate } from './update.ts';

const pod = (spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [{ name: 'a', image: 'x' }], terminationGracePeriodSeconds: 30, ...spec },
});

const fieldsRefused = (old: object, next: object): string[] =>
  collect(pod(next), (root) => validatePodUpdate(root, pod(old))).map(({ field }) => field);

const gate = (name: string) => ({ schedulingGates: [{ name }] });

test.each([
  ['an image', {}, { containers: [{ name: 'a', image: 'y' }] }],
  ['a shorter deadline', { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 4 }],
  ['a first deadline', {}, { activeDeadlineSeconds: 4 }],
  ['a toleration more', { tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'a' }, { key: 'b' }] }],
  [
    'the seconds of a toleration',
    { tolerations: [{ key: 'a' }] },
    { tolerations: [{ key: 'a', tolerationSeconds: 5 }] },
  ],
  ['a gate less', gate('a'), { schedulingGates: [] }],
  ['a node selector while a gate is closed', gate('a'), { ...gate('a'), nodeSelector: { disk: 'ssd' } }],
  [
    'a negative grace period made one',
    { terminationGracePeriodSeconds: -1 },
    { terminationGracePeriodSeconds: 1 },
  ],
])('a pod may get %s', (_, old, next) => {
  expect(fieldsRefused(old, next)).toEqual([]);
});

test.each([
  ['a command', {}, { containers: [{ name: 'a', image: 'x', command: ['b'] }] }, ['spec']],
  ['a node', {}, { nodeName: 'n' }, ['spec']],
  ['a container more', {}, { containers: [{ name: 'a' }, { name: 'b' }] }, ['spec.containers']],
  ['an init container more', {}, { initContainers: [{ name: 'i' }] }, ['spec.initContainers']],
  [
    'a longer deadline',
    { activeDeadlineSeconds: 5 },
    { activeDeadlineSeconds: 6 },
    ['spec.activeDeadlineSeconds'],
  ],
  ['no deadline any more', { activeDeadlineSeconds: 5 }, {}, ['spec.activeDeadlineSeconds']],
  ['a toleration less', { tolerations: [{ key: 'a' }] }, {}, ['spec.tolerations']],
  ['a gate more', {}, gate('a'), ['spec.schedulingGates']],
  ['another grace period', {}, { terminationGracePeriodSeconds: 1 }, ['spec']],
  ['a node selector once it is on its way', {}, { nodeSelector: { disk: 'ssd' } }, ['spec']],
])('a pod may not get %s', (_, old, next, fields) => {
  expect(fieldsRefused(old, next)).toEqual(fields);
});
