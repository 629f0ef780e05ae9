import { expect, test } from 'vitest';
import type { KubeObject } from '../../model/object.ts';
import { podColumns, podRowConditions } from './columns.ts';

// Other pod states are compared with a real server in testdata/kinds/tables.yaml.
const pod = (phase: string, deletionTimestamp?: string, reason?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
    ...(deletionTimestamp && { deletionTimestamp }),
  },
  spec: { containers: [{ name: 'a' }] },
  status: { phase, ...(reason && { reason }) },
});

const status = (object: KubeObject): unknown =>
  podColumns.find(({ name }) => name === 'Status')?.value(object, 0);

test.each([
  ['Running', 'Terminating'],
  ['Pending', 'Terminating'],
  ['Succeeded', 'Succeeded'],
  ['Failed', 'Failed'],
])('a pod that is being deleted in phase %s shows %s', (phase, shown) => {
  expect(status(pod(phase, '2026-01-01T00:00:00Z'))).toBe(shown);
});

test('a pod on a lost node is of unknown state', () => {
  expect(status(pod('Running', '2026-01-01T00:00:00Z', 'NodeLost'))).toBe('Unknown');
});

test('only pods that have ended can be hidden', () => {
  expect(podRowConditions(pod('Succeeded'))).toMatchObject([{ type: 'Completed', reason: 'Succeeded' }]);
  expect(podRowConditions(pod('Failed'))).toMatchObject([{ type: 'Completed', reason: 'Failed' }]);
  expect(podRowConditions(pod('Running'))).toEqual([]);
});
