import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minicluster, startMinicluster } from '../../minicluster.ts';
import type { SimulatedWorkloads } from '../index.ts';
import { CONFIG_MAPS, DEPLOYMENTS, PODS, REPLICA_SETS } from '../kind-refs.ts';
import type { Deployment, Pod, ReplicaSet } from '../types.ts';

let clock: VirtualClock;
let cluster: Minicluster;
let workloads: SimulatedWorkloads;

const ref = { namespace: 'default', name: 'web' };
const live = (): Deployment => cluster.api.get(DEPLOYMENTS, ref) as Deployment;
const pods = (): Pod[] => cluster.api.list(PODS, 'default') as Pod[];
const sets = (): ReplicaSet[] => cluster.api.list(REPLICA_SETS, 'default') as ReplicaSet[];
/** Images of the pods that are not terminating. */
const images = (): (string | undefined)[] =>
  pods()
    .filter((pod) => !pod.metadata.deletionTimestamp)
    .map((pod) => pod.spec.containers[0]?.image);
const condition = (type: string) => live().status?.conditions?.find((one) => one.type === type);
const isDone = (): boolean => {
  const { status, spec, metadata } = live();
  return (
    status?.observedGeneration === metadata.generation &&
    (status?.updatedReplicas ?? 0) === spec.replicas &&
    (status?.replicas ?? 0) === spec.replicas &&
    (status?.availableReplicas ?? 0) === spec.replicas
  );
};

function create(spec: Partial<Deployment['spec']> = {}): void {
  cluster.api.create(DEPLOYMENTS, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: ref,
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1' }] },
      },
      ...spec,
    },
  });
}

function change(spec: Partial<Deployment['spec']>): void {
  cluster.api.update(DEPLOYMENTS, { ...live(), spec: { ...live().spec, ...spec } });
}

function setImage(image: string): void {
  const { template } = live().spec;
  change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
}

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startMinicluster({ clock, seed: 1 });
  workloads = cluster.workloads as SimulatedWorkloads;
  return () => cluster.stop();
});

describe('a Deployment', () => {
  test('gets its pods and says when they are available', async () => {
    create();
    await clock.runUntil(isDone);
    expect(pods()).toHaveLength(4);
    expect(condition('Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
    expect(condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
    expect(live().metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '1' });
  });

  test('rolls within maxSurge and maxUnavailable', async () => {
    create({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } });
    await clock.runUntil(isDone);
    let fewest = 4;
    let most = 4;
    cluster.api.subscribe(() => {
      const active = pods().filter((pod) => !pod.metadata.deletionTimestamp);
      // As in a real cluster the limit applies to the ReplicaSets' sizes: a pod may be deleted slightly later.
      const asked = sets().reduce((sum, set) => sum + (set.spec.replicas ?? 0), 0);
      const ready = active.filter((pod) =>
        pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
      );
      fewest = Math.min(fewest, ready.length);
      most = Math.max(most, asked);
    });
    setImage('web:2');
    await clock.runUntil(isDone);
    expect({ fewest, most }).toEqual({ fewest: 3, most: 5 });
    expect(images()).toEqual(['web:2', 'web:2', 'web:2', 'web:2']);
    expect(
      sets()
        .map((set) => set.spec.replicas)
        .sort(),
    ).toEqual([0, 4]);
    expect(live().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
  });

  test('goes back to an earlier template with its old ReplicaSet and a new revision', async () => {
    create();
    await clock.runUntil(isDone);
    setImage('web:2');
    await clock.runUntil(isDone);
    setImage('web:1');
    await clock.runUntil(isDone);
    expect(sets()).toHaveLength(2);
    expect(live().metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  test('with Recreate has no two versions at once', async () => {
    create({ strategy: { type: 'Recreate' } });
    await clock.runUntil(isDone);
    let mixed = false;
    cluster.api.subscribe(() => {
      mixed ||= new Set(pods().map((pod) => pod.spec.containers[0]?.image)).size > 1;
    });
    setImage('web:2');
    await clock.runUntil(isDone);
    expect(mixed).toBe(false);
    expect(images()).toEqual(['web:2', 'web:2', 'web:2', 'web:2']);
  });

  test('that is paused does not roll, and scales', async () => {
    create();
    await clock.runUntil(isDone);
    change({ paused: true });
    setImage('web:2');
    await clock.advance(60_000);
    expect(sets()).toHaveLength(1);
    expect(condition('Progressing')).toMatchObject({ reason: 'DeploymentPaused' });
    change({ replicas: 6 });
    await clock.runUntil(() => pods().length === 6);
    expect(new Set(images())).toEqual(new Set(['web:1']));
    change({ paused: false });
    await clock.runUntil(isDone);
    expect(new Set(images())).toEqual(new Set(['web:2']));
  });

  test('that is scaled in the middle of a rollout finishes it', async () => {
    create();
    await clock.runUntil(isDone);
    setImage('web:2');
    await clock.advance(25);
    change({ replicas: 2 });
    await clock.runUntil(isDone);
    expect(images()).toEqual(['web:2', 'web:2']);
  });

  test('reports a missed progress deadline, and recovers', async () => {
    create({ progressDeadlineSeconds: 30 });
    await clock.runUntil(isDone);
    const undo = workloads.script({ labels: { app: 'web' }, behaviour: { fault: 'never-ready' } });
    setImage('web:2');
    await clock.advance(29_000);
    expect(condition('Progressing')).toMatchObject({ status: 'True' });
    await clock.advance(5_000);
    expect(condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    expect(pods().filter((pod) => pod.spec.containers[0]?.image === 'web:1')).toHaveLength(3);
    undo();
    setImage('web:3');
    await clock.runUntil(isDone);
    expect(condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });

  test('forgets ReplicaSets beyond its history limit', async () => {
    create({ revisionHistoryLimit: 1 });
    for (const image of ['web:2', 'web:3', 'web:4']) {
      await clock.runUntil(isDone);
      setImage(image);
    }
    await clock.runUntil(isDone);
    await clock.advance(1_000);
    expect(sets()).toHaveLength(2);
  });

  test('takes its pods along when it is deleted', async () => {
    create();
    await clock.runUntil(isDone);
    cluster.api.delete(DEPLOYMENTS, ref);
    await clock.runUntil(() => pods().length === 0 && sets().length === 0);
  });

  test('breaks when a key of its ConfigMap has a bad value, and heals with a good one', async () => {
    cluster.api.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'settings' },
      data: { mode: 'fast' },
    });
    workloads.script({
      labels: { app: 'web' },
      behaviour: { fault: 'crash' },
      when: { kind: 'ConfigMap', name: 'settings', key: 'mode', value: 'broken' },
    });
    create({ replicas: 1 });
    await clock.runUntil(isDone);
    const setMode = (mode: string): void => {
      const map = cluster.api.get(CONFIG_MAPS, { namespace: 'default', name: 'settings' });
      if (map) cluster.api.update(CONFIG_MAPS, { ...map, data: { mode } });
    };
    setMode('broken');
    await clock.advance(5_000);
    expect(isDone()).toBe(true);
    setImage('web:2');
    await clock.advance(5_000);
    const fresh = pods().find((pod) => pod.spec.containers[0]?.image === 'web:2');
    expect(fresh?.status?.containerStatuses?.[0]).toMatchObject({
      ready: false,
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    });
    setMode('fast');
    await clock.runUntil(isDone);
  });

  test('waits for a Secret that its pods need', async () => {
    const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }];
    create({
      replicas: 1,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'web:1', env }] },
      },
    });
    await clock.advance(5_000);
    expect(pods()[0]?.status?.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' },
    });
    cluster.api.create(
      { group: '', plural: 'secrets' },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'default', name: 'db' },
        data: { password: 'eA==' },
      },
    );
    await clock.runUntil(isDone);
  });
});
