import { expect, test } from 'vitest';
import type { KubeObject } from '../../model/object.ts';
import { admitPod, qosClass } from './admission.ts';

const stored = (kind: string, name: string, fields: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'n', uid: name, resourceVersion: '1', creationTimestamp: '' },
  ...fields,
});

function admitted(
  spec: object,
  objects: { serviceaccounts?: KubeObject[]; priorityclasses?: KubeObject[] } = {},
) {
  const pod = stored('Pod', 'p', { spec: { containers: [{ name: 'a' }], ...spec } });
  const list = ({ plural }: { plural: string }): KubeObject[] =>
    objects[plural as keyof typeof objects] ?? [];
  admitPod(pod, { now: 0, list, random: () => 0 });
  return pod.spec as Record<string, unknown>;
}

test('a pod may come before the default service account', () => {
  expect(admitted({})).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
});

test('any other service account must be there', () => {
  expect(() => admitted({ serviceAccountName: 'robot' })).toThrow('serviceaccount "robot" not found');
  const serviceaccounts = [stored('ServiceAccount', 'robot', {})];
  expect(admitted({ serviceAccountName: 'robot' }, { serviceaccounts }).serviceAccount).toBe('robot');
});

test('a service account lends its pull secrets to pods that have none', () => {
  const serviceaccounts = [stored('ServiceAccount', 'default', { imagePullSecrets: [{ name: 'registry' }] })];
  expect(admitted({}, { serviceaccounts }).imagePullSecrets).toEqual([{ name: 'registry' }]);
  expect(admitted({ imagePullSecrets: [{ name: 'own' }] }, { serviceaccounts }).imagePullSecrets).toEqual([
    { name: 'own' },
  ]);
});

test('a service account can keep its token to itself, and a pod can insist', () => {
  const serviceaccounts = [stored('ServiceAccount', 'default', { automountServiceAccountToken: false })];
  expect(admitted({}, { serviceaccounts }).volumes).toBeUndefined();
  expect(admitted({ automountServiceAccountToken: true }, { serviceaccounts }).volumes).toHaveLength(1);
});

test('a priority class gives its value, by name or by being the default', () => {
  const priorityclasses = [
    stored('PriorityClass', 'high', { value: 100, preemptionPolicy: 'Never' }),
    stored('PriorityClass', 'usual', { value: 5, globalDefault: true }),
  ];
  expect(admitted({ priorityClassName: 'high' }, { priorityclasses })).toMatchObject({
    priority: 100,
    preemptionPolicy: 'Never',
  });
  expect(admitted({}, { priorityclasses })).toMatchObject({ priority: 5, priorityClassName: 'usual' });
});

test('no other class is', () => {
  expect(() => admitted({ priorityClassName: 'constructor' })).toThrow(
    'no PriorityClass with name constructor was found',
  );
});

test('the classes of the system are always there', () => {
  expect(admitted({ priorityClassName: 'system-node-critical' }).priority).toBe(2_000_001_000);
});

test.each([
  ['BestEffort', [{}]],
  ['Burstable', [{ requests: { cpu: '1' } }]],
  ['Burstable', [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } }, {}]],
  ['Burstable', [{ limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } }]],
  ['Guaranteed', [{ limits: { cpu: '1000m', memory: '1Gi' }, requests: { cpu: '1', memory: '1024Mi' } }]],
])('%s is the class of %j', (expected, resources) => {
  expect(qosClass({ containers: resources.map((entry) => ({ resources: entry })) })).toBe(expected);
});
