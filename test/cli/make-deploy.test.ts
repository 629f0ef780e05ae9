/** The command finds the operator that `make deploy` installs, as well as that of the chart. */
import { readFileSync } from 'node:fs';
import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, discover, type KubernetesObject, kinds } from '@reloader/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installedSettings } from '../../packages/operator/src/cli/installed.ts';
import { operatorServices, podsOf } from '../../packages/operator/src/cli/operator-pods.ts';
import { ROOT } from '../docs/blocks.ts';

const HOME = 'reloader-operator-system';
const signal = new AbortController().signal;

async function deployed() {
  const cluster = await startMinicluster({ workloads: false });
  cluster.addToken('guest', { name: 'guest', groups: [] });
  const client = createClient({ transport: cluster.transport() });
  const guest = createClient({ transport: cluster.transport({ token: 'guest' }) });
  onTestFinished(async () => {
    await Promise.all([client.close(), guest.close()]);
    await cluster.stop();
  });
  const discovery = await discover(client);
  const documents = parseAllDocuments(readFileSync(`${ROOT}/manifests/install.yaml`, 'utf8'));
  const objects = documents.map((document) => document.toJS() as KubernetesObject & { spec?: never });
  for (const object of objects) {
    const { apiVersion = '', kind = '' } = object;
    if (!['Namespace', 'Deployment', 'Service'].includes(kind)) continue;
    await client.create(await discovery.resolveKind({ apiVersion, kind }), object);
  }
  const { spec } = (await client.get(kinds.Deployment, {
    namespace: HOME,
    name: 'reloader-operator-controller-manager',
  })) as { spec?: { template?: { metadata?: object; spec?: object } } };
  const metadata = { ...spec?.template?.metadata, namespace: HOME, name: 'manager-0' };
  await client.create(kinds.ServiceAccount, {
    metadata: { namespace: HOME, name: 'reloader-operator-controller-manager' },
  });
  await client.create(kinds.Pod, { metadata, spec: spec?.template?.spec } as never);
  const status = { status: { phase: 'Running' } };
  await client.patch(kinds.Pod, metadata, { type: 'merge', body: status }, { subresource: 'status' });
  return { client, guest };
}

async function whereTo(client: Client, namespace?: string) {
  const services = await operatorServices(client, namespace, signal);
  if (typeof services === 'string') return services;
  return Promise.all(services.map((service) => podsOf(service, client, signal)));
}

test('by its label, on the port where its API listens on loopback', async () => {
  const { client } = await deployed();
  expect(await whereTo(client)).toEqual([[{ namespace: HOME, name: 'manager-0', port: 9090 }]]);
  const { settings, isSeen, from } = await installedSettings(client, undefined, signal);
  expect(isSeen).toBe(true);
  expect(from).toBe(`the flags of Deployment ${HOME}/reloader-operator-controller-manager`);
  expect(settings.reloader.operatorNamespace).toBe(HOME);
});

test('by its name, for those who may look only there', async () => {
  const { client, guest } = await deployed();
  const metadata = { namespace: HOME, name: 'guest' };
  const verbs = ['get', 'list'];
  await client.create(kinds.Role, {
    metadata,
    rules: [
      { apiGroups: [''], resources: ['services', 'pods'], verbs },
      { apiGroups: ['apps'], resources: ['deployments'], verbs },
    ],
  } as never);
  await client.create(kinds.RoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'guest' },
    subjects: [{ kind: 'User', name: 'guest' }],
  } as never);
  expect(await whereTo(guest)).toEqual([[{ namespace: HOME, name: 'manager-0', port: 9090 }]]);
  expect((await installedSettings(guest, undefined, signal)).isSeen).toBe(true);
  expect(await whereTo(guest, 'elsewhere')).toContain(
    'none named elsewhere/reloader or elsewhere/reloader-operator-controller-manager can be seen',
  );
});
