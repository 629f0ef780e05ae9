import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minicluster, startMinicluster } from '../minicluster.ts';
import type { KindRef } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import {
  BUDGETS,
  CONFIG_MAPS,
  CRON_JOBS,
  DAEMON_SETS,
  JOBS,
  NAMESPACES,
  PODS,
  REVISIONS,
  SERVICE_ACCOUNTS,
  STATEFUL_SETS,
} from './kind-refs.ts';
import type { CronJob, DaemonSet, Job, Pod, StatefulSet } from './types.ts';

let clock: VirtualClock;
let cluster: Minicluster;

const at = (name: string, namespace = 'default') => ({ namespace, name });
const pods = (): Pod[] => cluster.api.list(PODS, 'default') as Pod[];
const names = (): string[] => pods().map((pod) => pod.metadata.name);
const imagesByName = (): Record<string, string | undefined> =>
  Object.fromEntries(pods().map((pod) => [pod.metadata.name, pod.spec.containers[0]?.image]));
const template = (app: string, image: string, spec: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image }], ...spec },
});

function update<T extends KubeObject>(kind: KindRef, name: string, change: (object: T) => object): void {
  const live = cluster.api.get(kind, at(name)) as T;
  cluster.api.update(kind, { ...live, ...change(live) });
}

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startMinicluster({ clock, seed: 1, workloads: { nodes: 3 } });
  await clock.advance(100);
  return () => cluster.stop();
});

describe('a StatefulSet', () => {
  const create = (spec: object = {}): void => {
    cluster.api.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: at('db'),
      spec: {
        replicas: 3,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: template('db', 'db:1'),
        ...spec,
      },
    });
  };
  const live = (): StatefulSet => cluster.api.get(STATEFUL_SETS, at('db')) as StatefulSet;
  const setImage = (image: string): void =>
    update<StatefulSet>(STATEFUL_SETS, 'db', ({ spec }) => ({
      spec: { ...spec, template: template('db', image) },
    }));
  const settled = (): boolean =>
    live().status?.observedGeneration === live().metadata.generation &&
    live().status?.readyReplicas === live().spec.replicas &&
    live().status?.currentRevision === live().status?.updateRevision;

  test('starts its pods in order, each after the one before is ready', async () => {
    const seen: string[][] = [];
    cluster.api.subscribe(({ type, kind, object }) => {
      if (kind.plural === 'pods' && type === 'ADDED') {
        const ready = pods().filter((pod) =>
          pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
        );
        seen.push([object.metadata.name, ...ready.map((pod) => pod.metadata.name)]);
      }
    });
    create();
    await clock.runUntil(settled);
    expect(seen).toEqual([['db-0'], ['db-1', 'db-0'], ['db-2', 'db-0', 'db-1']]);
  });

  test('replaces its pods from the last to the first', async () => {
    create();
    await clock.runUntil(settled);
    const replaced: string[] = [];
    cluster.api.subscribe(({ type, kind, object }) => {
      if (kind.plural === 'pods' && type === 'DELETED') replaced.push(object.metadata.name);
    });
    setImage('db:2');
    await clock.runUntil(settled);
    expect(replaced).toEqual(['db-2', 'db-1', 'db-0']);
    expect(imagesByName()).toEqual({ 'db-0': 'db:2', 'db-1': 'db:2', 'db-2': 'db:2' });
    expect(cluster.api.list(REVISIONS, 'default')).toHaveLength(2);
  });

  test('leaves pods below the partition on their revision, also when they come back', async () => {
    create({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await clock.runUntil(settled);
    setImage('db:2');
    await clock.runUntil(() => live().status?.updatedReplicas === 1 && live().status?.readyReplicas === 3);
    cluster.api.delete(PODS, at('db-0'));
    await clock.advance(5_000);
    expect(imagesByName()).toEqual({ 'db-0': 'db:1', 'db-1': 'db:1', 'db-2': 'db:2' });
    expect(live().status?.currentRevision).not.toBe(live().status?.updateRevision);
  });

  test('with OnDelete changes only pods that somebody deletes', async () => {
    create({ updateStrategy: { type: 'OnDelete' } });
    await clock.runUntil(() => live().status?.readyReplicas === 3);
    setImage('db:2');
    await clock.advance(60_000);
    expect(new Set(Object.values(imagesByName()))).toEqual(new Set(['db:1']));
    cluster.api.delete(PODS, at('db-1'));
    await clock.advance(5_000);
    expect(imagesByName()).toEqual({ 'db-0': 'db:1', 'db-1': 'db:2', 'db-2': 'db:1' });
  });

  test('stops at a pod that never becomes ready', async () => {
    create();
    await clock.runUntil(settled);
    cluster.workloads?.script({ labels: { app: 'db' }, behaviour: { fault: 'never-ready' } });
    setImage('db:2');
    await clock.advance(120_000);
    expect(imagesByName()).toEqual({ 'db-0': 'db:1', 'db-1': 'db:1', 'db-2': 'db:2' });
  });

  test('scales down from the highest ordinal and keeps its claims', async () => {
    create({
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    });
    await clock.runUntil(settled);
    update<StatefulSet>(STATEFUL_SETS, 'db', ({ spec }) => ({ spec: { ...spec, replicas: 1 } }));
    await clock.runUntil(() => pods().length === 1);
    expect(names()).toEqual(['db-0']);
    expect(cluster.api.list({ group: '', plural: 'persistentvolumeclaims' }, 'default')).toHaveLength(3);
  });
});

describe('a DaemonSet', () => {
  const create = (updateStrategy?: object): void => {
    cluster.api.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: at('agent'),
      spec: {
        selector: { matchLabels: { app: 'agent' } },
        template: template('agent', 'agent:1'),
        ...(updateStrategy && { updateStrategy }),
      },
    });
  };
  const live = (): DaemonSet => cluster.api.get(DAEMON_SETS, at('agent')) as DaemonSet;
  const updated = (count: number): boolean =>
    live().status?.observedGeneration === live().metadata.generation &&
    live().status?.updatedNumberScheduled === count &&
    live().status?.numberAvailable === 3;
  const setImage = (image: string): void =>
    update<DaemonSet>(DAEMON_SETS, 'agent', ({ spec }) => ({
      spec: { ...spec, template: template('agent', image) },
    }));

  test('has one pod on every node and replaces them one by one', async () => {
    create();
    await clock.runUntil(() => updated(3));
    expect(new Set(pods().map((pod) => pod.spec.nodeName)).size).toBe(3);
    let fewest = 3;
    cluster.api.subscribe(() => {
      fewest = Math.min(fewest, (live().status?.numberAvailable as number | undefined) ?? 0);
    });
    setImage('agent:2');
    await clock.runUntil(() => updated(3));
    expect(fewest).toBe(2);
  });

  test('with maxSurge never has a node without an available pod', async () => {
    create({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
    await clock.runUntil(() => updated(3));
    const ready = (pod: Pod): boolean =>
      pod.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true;
    let fewest = 3;
    cluster.api.subscribe(() => {
      fewest = Math.min(
        fewest,
        new Set(
          pods()
            .filter(ready)
            .map((pod) => pod.spec.nodeName),
        ).size,
      );
    });
    setImage('agent:2');
    await clock.runUntil(() => updated(3));
    expect(fewest).toBe(3);
  });
});

describe('a Job', () => {
  const create = (spec: object = {}, pod: object = {}): void => {
    cluster.api.create(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: at('once'),
      spec: { template: template('once', 'job:1', { restartPolicy: 'Never', ...pod }), ...spec },
    });
  };
  const live = (): Job | undefined => cluster.api.get(JOBS, at('once')) as Job | undefined;
  const outcome = (): string | undefined =>
    live()?.status?.conditions?.find(
      ({ type, status }) => ['Complete', 'Failed'].includes(type) && status === 'True',
    )?.type;

  test('completes', async () => {
    create({ completions: 3, parallelism: 2 });
    let most = 0;
    cluster.api.subscribe(() => {
      most = Math.max(most, live()?.status?.active ?? 0);
    });
    await clock.runUntil(() => outcome() === 'Complete');
    expect(live()?.status).toMatchObject({ succeeded: 3 });
    expect(most).toBe(2);
  });

  test('fails after its backoff limit', async () => {
    cluster.workloads?.script({ labels: { app: 'once' }, behaviour: { fault: 'fail' } });
    create({ backoffLimit: 2 });
    await clock.runUntil(() => outcome() === 'Failed');
    expect(live()?.status).toMatchObject({ failed: 3 });
  });

  test('that is suspended does not start, and goes on when it is resumed', async () => {
    create({ suspend: true });
    await clock.advance(10_000);
    expect(pods()).toEqual([]);
    update<Job>(JOBS, 'once', ({ spec }) => ({ spec: { ...spec, suspend: false } }));
    await clock.runUntil(() => outcome() === 'Complete');
  });

  test('goes by itself after its time to live', async () => {
    create({ ttlSecondsAfterFinished: 60 });
    await clock.runUntil(() => outcome() === 'Complete');
    await clock.advance(50_000);
    expect(live()).toBeDefined();
    await clock.runUntil(() => live() === undefined && pods().length === 0);
  });
});

describe('a CronJob', () => {
  const create = (spec: object = {}): void => {
    cluster.api.create(CRON_JOBS, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: at('nightly'),
      spec: {
        schedule: '*/10 * * * *',
        jobTemplate: { spec: { template: template('nightly', 'job:1', { restartPolicy: 'Never' }) } },
        ...spec,
      },
    });
  };
  const jobs = (): Job[] => cluster.api.list(JOBS, 'default') as Job[];

  test('makes a Job at each scheduled time and keeps three finished ones', async () => {
    create();
    await clock.advance(9 * 60_000);
    expect(jobs()).toHaveLength(0);
    await clock.advance(2 * 60_000);
    expect(jobs()).toHaveLength(1);
    await clock.advance(60 * 60_000);
    expect(jobs()).toHaveLength(3);
    const { status } = cluster.api.get(CRON_JOBS, at('nightly')) as CronJob;
    expect(status?.lastScheduleTime).toBe('2030-01-01T01:10:00Z');
  });

  test('with Forbid waits for the running Job, and suspended it waits for ever', async () => {
    cluster.workloads?.script({ labels: { app: 'nightly' }, behaviour: { runMs: 25 * 60_000 } });
    create({ concurrencyPolicy: 'Forbid' });
    await clock.advance(21 * 60_000);
    expect(jobs()).toHaveLength(1);
    update<CronJob>(CRON_JOBS, 'nightly', ({ spec }) => ({ spec: { ...spec, suspend: true } }));
    await clock.advance(120 * 60_000);
    expect(jobs()).toHaveLength(1);
  });
});

test('a budget counts the pods that may go', async () => {
  for (const name of ['a', 'b', 'c']) {
    cluster.api.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...at(name), labels: { app: 'kept' } },
      spec: { containers: [{ name: 'main', image: 'x:1' }] },
    });
  }
  cluster.api.create(BUDGETS, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: at('keep'),
    spec: { minAvailable: 2, selector: { matchLabels: { app: 'kept' } } },
  });
  await clock.advance(1_000);
  const status = () => cluster.api.get(BUDGETS, at('keep'))?.status;
  expect(status()).toMatchObject({
    currentHealthy: 3,
    desiredHealthy: 2,
    disruptionsAllowed: 1,
    expectedPods: 3,
  });
  cluster.api.delete(PODS, at('a'));
  await clock.advance(1_000);
  expect(status()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
});

describe('a namespace', () => {
  const create = (): void => {
    cluster.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  };

  test('gets its ServiceAccount and the cluster CA, and gets them back', async () => {
    create();
    await clock.advance(100);
    expect(cluster.api.get(SERVICE_ACCOUNTS, at('default', 'team'))).toBeDefined();
    cluster.api.delete(CONFIG_MAPS, at('kube-root-ca.crt', 'team'));
    await clock.advance(100);
    expect(cluster.api.get(CONFIG_MAPS, at('kube-root-ca.crt', 'team'))).toBeDefined();
  });

  test('waits for finalizers of what it holds, and says so', async () => {
    create();
    await clock.advance(100);
    cluster.api.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...at('held', 'team'), finalizers: ['example.org/hold'] },
    });
    cluster.api.delete(NAMESPACES, { name: 'team' });
    await clock.advance(10_000);
    expect(cluster.api.get(NAMESPACES, { name: 'team' })?.status).toMatchObject({
      phase: 'Terminating',
      conditions: [
        { type: 'NamespaceContentRemaining', message: expect.stringContaining('configmaps has 1 resource') },
      ],
    });
    const held = cluster.api.get(CONFIG_MAPS, at('held', 'team'));
    if (held) cluster.api.update(CONFIG_MAPS, { ...held, metadata: { ...held.metadata, finalizers: [] } });
    await clock.runUntil(() => cluster.api.get(NAMESPACES, { name: 'team' }) === undefined);
  });
});
