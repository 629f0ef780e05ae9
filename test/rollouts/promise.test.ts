import { describe, expect, test } from 'vitest';
import type { WorkloadKind } from './plan.ts';
import { type Pod, promised, type Spec, suspendsPromise } from './promise.ts';

const NOW = Date.parse('2030-01-01T00:01:00Z');

function pod(
  name: string,
  options: { ready?: boolean; since?: string; node?: string; hash?: string } = {},
): Pod {
  const { ready = true, since = '2030-01-01T00:00:00Z', node = 'n', hash = 'one' } = options;
  return {
    metadata: { name, uid: name, labels: { 'pod-template-hash': hash } },
    spec: { nodeName: node },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
    },
  };
}

const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});
const judge = (kind: WorkloadKind, spec: Spec, gone: Pod, others: Pod[]) =>
  promised(spec, { kind, gone, others }, NOW);

describe('a Deployment', () => {
  const others = [pod('b'), pod('c', { ready: false }), pod('d')];

  test('promises its replicas less maxUnavailable, a percentage of it rounded down', () => {
    expect(judge('Deployment', { replicas: 4, strategy: rolling(1) }, pod('a'), others)).toEqual({
      left: 2,
      least: 3,
    });
    expect(judge('Deployment', { replicas: 4, strategy: rolling('49%', 1) }, pod('a'), others)?.least).toBe(
      3,
    );
    expect(judge('Deployment', { replicas: 4, strategy: rolling('20%') }, pod('a'), others)?.least).toBe(3);
  });

  test('promises nothing about a pod that does not serve, or not long enough', () => {
    const spec = { replicas: 4, strategy: rolling(1), minReadySeconds: 30 };
    expect(judge('Deployment', spec, pod('a', { ready: false }), others)).toBeUndefined();
    expect(judge('Deployment', spec, pod('a', { since: '2030-01-01T00:00:40Z' }), others)).toBeUndefined();
    expect(judge('Deployment', spec, pod('a', { since: '2030-01-01T00:00:30Z' }), others)).toBeDefined();
  });

  test('promises nothing with Recreate, and nothing while it is paused', () => {
    expect(
      judge('Deployment', { replicas: 4, strategy: { type: 'Recreate' } }, pod('a'), []),
    ).toBeUndefined();
    expect(
      judge('Deployment', { replicas: 4, paused: true, strategy: rolling(1) }, pod('a'), []),
    ).toBeUndefined();
  });

  test('is not held to it when it is scaled with pods of two versions', () => {
    const mixed = { kind: 'Deployment', gone: pod('a'), others: [pod('b', { hash: 'two' })] } as const;
    expect(suspendsPromise({ replicas: 4 }, { replicas: 2 }, mixed)).toBe(true);
    expect(suspendsPromise({ replicas: 4 }, { replicas: 4 }, mixed)).toBe(false);
    expect(suspendsPromise({ replicas: 4 }, { replicas: 2 }, { ...mixed, others })).toBe(false);
  });
});

describe('a StatefulSet', () => {
  const spec = { replicas: 3, ordinals: { start: 2 }, updateStrategy: rolling(1) };

  test('promises all but one of its own ordinals', () => {
    expect(judge('StatefulSet', spec, pod('s-4'), [pod('s-2'), pod('s-3'), pod('s-5')])).toEqual({
      left: 2,
      least: 2,
    });
    expect(judge('StatefulSet', spec, pod('s-5'), [])).toBeUndefined();
  });

  test('in parallel promises those above the one that goes', () => {
    const parallel = { ...spec, podManagementPolicy: 'Parallel' };
    expect(judge('StatefulSet', parallel, pod('s-3'), [pod('s-2', { ready: false }), pod('s-4')])).toEqual({
      left: 1,
      least: 1,
    });
  });
});

describe('a DaemonSet', () => {
  test('promises nodes with a pod that serves, a percentage of maxUnavailable rounded up', () => {
    const others = [pod('b', { node: '2' }), pod('c', { node: '2' }), pod('d', { node: '3' })];
    expect(judge('DaemonSet', { updateStrategy: rolling('30%') }, pod('a'), others)).toEqual({
      left: 2,
      least: 2,
    });
  });

  test('is not held to it when it stops to surge', () => {
    const deletion = { kind: 'DaemonSet', gone: pod('a'), others: [] } as const;
    const surge = { updateStrategy: rolling(0, 1) };
    const plain = { updateStrategy: rolling(1) };
    expect(suspendsPromise(surge, plain, deletion)).toBe(true);
    expect(suspendsPromise(plain, surge, deletion)).toBe(false);
    expect(suspendsPromise(plain, plain, deletion)).toBe(false);
  });
});
