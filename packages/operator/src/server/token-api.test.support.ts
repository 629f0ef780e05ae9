/** The API for tokens, with an API server that knows a shopkeeper, who may read namespace shop, and a stranger. */
import { startMinicluster } from '@reloader/minicluster';
import { createClient, type KubernetesObject, kinds } from '@reloader/runtime';
import { onTestFinished } from 'vitest';
import { SecureServer } from './secure-server.ts';
import { type Asking, get, serve } from './serving.test.support.ts';

export async function serveApi(flag = '--api-bind-address') {
  const cluster = await startMinicluster({ workloads: false });
  onTestFinished(() => cluster.stop());
  const client = createClient({ transport: cluster.transport() });
  cluster.addToken('shopkeeper', { name: 'shopkeeper', groups: ['system:authenticated'] });
  cluster.addToken('stranger', { name: 'stranger', groups: ['system:authenticated'] });
  const labels = { apiVersion: 'rbac.authorization.k8s.io/v1' };
  const type = (kind: string, plural: string) => ({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind,
    plural,
    namespaced: true,
  });
  await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
  await client.create(type('Role', 'roles'), {
    ...labels,
    kind: 'Role',
    metadata: { name: 'reads', namespace: 'shop' },
    rules: [{ apiGroups: ['reloader.stakater.com'], resources: ['reloaderconfigs'], verbs: ['list'] }],
  } as KubernetesObject);
  await client.create(type('RoleBinding', 'rolebindings'), {
    ...labels,
    kind: 'RoleBinding',
    metadata: { name: 'reads', namespace: 'shop' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reads' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'shopkeeper' }],
  } as KubernetesObject);
  const { runnables, addApi } = await serve({ client, argv: [`${flag}=127.0.0.1:0`] });
  const server = runnables.find((each) => each instanceof SecureServer);
  if (!server) throw new Error('there is no secure server');
  await server.listening;
  const secret = await client.get(kinds.Secret, { namespace: 'default', name: 'reloader-api-cert' });
  const ca = Buffer.from(secret.data?.['ca.crt'] ?? '', 'base64').toString();
  const ask = (path: string, token?: string, headers: Readonly<Record<string, string>> = {}) =>
    get(`https://localhost:${server.port}${path}`, { ca, headers, ...(token !== undefined && { token }) });
  const post = (path: string, token: string | undefined, body: unknown, more: Asking = {}) =>
    get(`https://localhost:${server.port}${path}`, {
      ca,
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
      ...(token !== undefined && { token }),
      ...more,
    });
  return { ask, post, client, addApi, admin: cluster.adminToken };
}
