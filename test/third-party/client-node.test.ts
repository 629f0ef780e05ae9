/** The official JavaScript client on minicluster: its own requests, and its informer. */
import { AppsV1Api, CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from '@kubernetes/client-node';
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { afterAll, beforeAll, expect, test } from 'vitest';

let cluster: Minicluster;
let config: KubeConfig;

beforeAll(async () => {
  cluster = await startMinicluster({ listen: {} });
  config = new KubeConfig();
  config.loadFromString(cluster.kubeconfig());
});
afterAll(() => cluster.stop());

test('creates, reads, replaces, lists and deletes', async () => {
  const api = config.makeApiClient(CoreV1Api);
  const namespace = 'default';
  await api.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a' }, data: { x: '1' } } });
  const read = await api.readNamespacedConfigMap({ namespace, name: 'a' });
  await api.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...read, data: { x: '2' } } });
  const { items } = await api.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=a' });
  expect(items.map(({ data }) => data)).toEqual([{ x: '2' }]);
  await api.deleteNamespacedConfigMap({ namespace, name: 'a' });
  await expect(api.readNamespacedConfigMap({ namespace, name: 'a' })).rejects.toMatchObject({ code: 404 });
});

test('its informer sees what exists and every change', async () => {
  const api = config.makeApiClient(CoreV1Api);
  const namespace = 'default';
  const seen: string[] = [];
  let wake: () => void = () => undefined;
  const saw = (what: string) => (object: V1ConfigMap) => {
    if (!object.metadata?.name?.startsWith('seen')) return;
    seen.push(`${what} ${object.metadata.name} ${object.data?.x}`);
    wake();
  };
  const until = async (count: number): Promise<void> => {
    while (seen.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  await api.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'seen-1' }, data: { x: '1' } },
  });
  const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
    api.listNamespacedConfigMap({ namespace }),
  );
  informer.on('add', saw('add'));
  informer.on('update', saw('update'));
  informer.on('delete', saw('delete'));
  await informer.start();
  await until(1);
  await api.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: 'seen-2' }, data: { x: '1' } },
  });
  await until(2);
  const read = await api.readNamespacedConfigMap({ namespace, name: 'seen-2' });
  await api.replaceNamespacedConfigMap({ namespace, name: 'seen-2', body: { ...read, data: { x: '2' } } });
  await until(3);
  await api.deleteNamespacedConfigMap({ namespace, name: 'seen-1' });
  await until(4);
  await informer.stop();
  expect(seen).toEqual(['add seen-1 1', 'add seen-2 1', 'update seen-2 2', 'delete seen-1 1']);
});

test('a Deployment becomes available', async () => {
  const api = config.makeApiClient(AppsV1Api);
  const labels = { app: 'web' };
  const body = {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
    },
  };
  await api.createNamespacedDeployment({ namespace: 'default', body });
  await expect
    .poll(
      async () =>
        (await api.readNamespacedDeploymentStatus({ namespace: 'default', name: 'web' })).status
          ?.availableReplicas,
    )
    .toBe(2);
});
