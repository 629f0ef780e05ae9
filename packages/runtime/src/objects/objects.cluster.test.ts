import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import {
  type Client,
  createClient,
  kinds,
  loadConfig,
  NotFoundError,
  type ResourceType,
} from '../client/index.ts';
import { sleep, systemClock } from '../clock/clock.ts';
import type { KubernetesObject } from '../model/types.ts';
import {
  addFinalizer,
  applyIfChanged,
  createOrUpdate,
  deleteIfOwned,
  removeFinalizer,
  rolloutStatus,
  setCondition,
  setControllerReference,
  writeStatus,
} from './index.ts';
import type { WorkloadLike } from './rollout-facts.ts';
import type { WithStatus } from './status.ts';

const cluster = useControlPlane({ workloads: true });
let client: Client;
beforeAll(async () => {
  client = createClient({
    config: await loadConfig({ kubeconfig: cluster().kubeconfig }),
    userAgent: 'objects-test/1',
  });
});
afterAll(() => client.close());

interface Deployment extends WorkloadLike, WithStatus<NonNullable<WorkloadLike['status']>> {
  spec?: NonNullable<WorkloadLike['spec']> & Record<string, unknown>;
}
const DEPLOYMENTS: ResourceType<Deployment> = { ...kinds.Deployment } as ResourceType<Deployment>;
const key = (name: string) => ({ namespace: 'default', name });

const deploymentSpec = (image: string, cpu = '1000m') => ({
  replicas: 1,
  selector: { matchLabels: { app: 'web' } },
  template: {
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [
        {
          name: 'main',
          image,
          ports: [{ containerPort: 80 }],
          env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          resources: { limits: { cpu } },
        },
      ],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
  },
});

/** How many requests of this verb the server received during `work`. */
async function counted(verb: string, work: () => Promise<unknown>): Promise<number> {
  const mark = await cluster().audit.mark();
  await work();
  const entries = await cluster().audit.since(mark);
  return entries.filter((entry) => entry.verb === verb && entry.userAgent?.startsWith('objects-test/'))
    .length;
}

test('createOrUpdate does not fight the defaults that the server fills in', async () => {
  const target = key('createorupdate');
  const want = (image: string) =>
    createOrUpdate(client, DEPLOYMENTS, target, (draft) => {
      // The server would normalise 1000m to 1; a desired state has to use the server's form.
      draft.spec = deploymentSpec(image, '1');
    });
  expect((await want('nginx:1')).operation).toBe('created');
  expect((await want('nginx:1')).operation).toBe('none');
  expect((await want('nginx:2')).operation).toBe('updated');
  expect((await want('nginx:2')).operation).toBe('none');
});

test('createOrUpdate removes data keys that are not wanted any more', async () => {
  const target = key('data');
  const want = (data: Record<string, string>) =>
    createOrUpdate(client, kinds.ConfigMap, target, (draft) => {
      draft.data = data;
    });
  await want({ a: '1', b: '2' });
  expect((await want({ a: '1' })).object.data).toEqual({ a: '1' });
});

test('applyIfChanged sends nothing while the object holds what we own, and notices drift, wishes and leftovers', async () => {
  const intent = (change: Partial<ReturnType<typeof deploymentSpec>> = {}): Deployment => {
    const spec = { ...deploymentSpec('nginx:1'), ...change };
    delete (spec.template.spec.containers[0] as { env?: unknown }).env;
    delete (spec.template.spec.containers[0] as { resources?: unknown }).resources;
    return { metadata: { ...key('applied'), labels: { app: 'web' } }, spec };
  };
  const apply = (wanted: Deployment) => applyIfChanged(client, DEPLOYMENTS, wanted, { fieldManager: 'test' });
  expect((await apply(intent())).operation).toBe('created');
  // A new client remembers nothing, so only field ownership can tell.
  const fresh = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  try {
    const live = await fresh.get(DEPLOYMENTS, key('applied'));
    const patches = await counted('patch', () =>
      applyIfChanged(client, DEPLOYMENTS, intent(), { fieldManager: 'test', live }),
    );
    expect(patches).toBe(0);
    const again = await applyIfChanged(fresh, DEPLOYMENTS, intent(), { fieldManager: 'test' });
    expect(again.operation).toBe('none');
    await cluster().kubectl(['scale', 'deployment', 'applied', '--replicas', '3']);
    expect((await apply(intent())).object.spec?.replicas).toBe(1);
    await cluster().kubectl(['label', 'deployment', 'applied', 'added-by=somebody']);
    expect((await apply(intent())).operation).toBe('none');
    const { replicas: _, ...withoutReplicas } = intent().spec ?? {};
    expect((await apply({ ...intent(), spec: withoutReplicas })).operation).toBe('applied');
  } finally {
    await fresh.close();
  }
});

test('where the server writes values in its own way, one apply is sent and then no more', async () => {
  const intent: Deployment = { metadata: { ...key('quantity') }, spec: deploymentSpec('nginx:1') };
  const apply = () => applyIfChanged(client, DEPLOYMENTS, intent, { fieldManager: 'test' });
  await apply();
  expect(await counted('patch', apply)).toBe(0);
});

test('the server refuses a patch whose finalizer has moved, and we recover', async () => {
  const created = await client.create(kinds.ConfigMap, { metadata: key('finalized') });
  const both = await addFinalizer(client, kinds.ConfigMap, created, 'example.com/ours');
  const stale = await addFinalizer(client, kinds.ConfigMap, both, 'example.com/theirs');
  await removeFinalizer(client, kinds.ConfigMap, stale, 'example.com/ours');
  // `stale` still has theirs at index 1, which no longer exists.
  await removeFinalizer(client, kinds.ConfigMap, stale, 'example.com/theirs');
  const { metadata } = await client.get(kinds.ConfigMap, key('finalized'));
  expect(metadata.finalizers ?? []).toEqual([]);
});

test('two controllers add their finalizers at the same time; a deleted object waits for both', async () => {
  const created = await client.create(kinds.ConfigMap, { metadata: key('shared') });
  const names = ['example.com/a', 'example.com/b', 'example.com/c'];
  await Promise.all(names.map((name) => addFinalizer(client, kinds.ConfigMap, created, name)));
  await client.delete(kinds.ConfigMap, key('shared'));
  const deleting = await client.get(kinds.ConfigMap, key('shared'));
  expect([...(deleting.metadata.finalizers ?? [])].sort()).toEqual(names);
  await Promise.all(names.map((name) => removeFinalizer(client, kinds.ConfigMap, deleting, name)));
  await expect(client.get(kinds.ConfigMap, key('shared'))).rejects.toBeInstanceOf(NotFoundError);
});

test('a status is patched through its subresource, conditions included, and only when it differs', async () => {
  const pod = await client.create(kinds.Pod, {
    metadata: key('status'),
    spec: { containers: [{ name: 'main', image: 'nginx' }], nodeName: 'nowhere' },
  });
  const compute = (live: KubernetesObject & { status?: Record<string, unknown> }) => ({
    ...live.status,
    message: 'set by us',
    conditions: setCondition(
      [],
      { type: 'example.com/Checked', status: 'True', reason: 'Done' },
      1_900_000_000_000,
    ),
  });
  expect((await writeStatus(client, kinds.Pod, pod, compute)).operation).toBe('patched');
  const live = await client.get(kinds.Pod, key('status'));
  expect(live.status).toMatchObject({ message: 'set by us' });
  expect((await writeStatus(client, kinds.Pod, live, (same) => same.status)).operation).toBe('none');
});

test('controlled objects are garbage collected with their owner, others are not deleted', async () => {
  const owner = await client.create(kinds.ConfigMap, { metadata: key('owner') });
  const child: kinds.ConfigMapObject = { metadata: { ...key('child') } };
  setControllerReference(child, kinds.ConfigMap, owner);
  await client.create(kinds.ConfigMap, child);
  await client.create(kinds.ConfigMap, { metadata: key('stranger') });
  expect(await deleteIfOwned(client, kinds.ConfigMap, key('stranger'), owner)).toBe('foreign');
  expect(await deleteIfOwned(client, kinds.ConfigMap, key('child'), owner)).toBe('deleted');
  await client.create(kinds.ConfigMap, child);
  await client.delete(kinds.ConfigMap, key('owner'));
  await eventually(async () => !(await exists('child')), 'the child is collected');
  expect(await exists('stranger')).toBe(true);
});

test('a rollout is seen to progress and to be done', async () => {
  const target = key('rollout');
  await createOrUpdate(client, DEPLOYMENTS, target, (draft) => {
    draft.spec = deploymentSpec('nginx:1');
  });
  const state = async () => rolloutStatus(await client.get(DEPLOYMENTS, target)).state;
  await eventually(async () => (await state()) === 'done', 'the rollout is done');
});

async function exists(name: string): Promise<boolean> {
  return client.get(kinds.ConfigMap, key(name)).then(
    () => true,
    () => false,
  );
}

async function eventually(check: () => Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.monotonic() + 60_000;
  while (!(await check())) {
    if (systemClock.monotonic() > end) throw new Error(`Not within a minute: ${what}`);
    await sleep(systemClock, 100);
  }
}
