/** The program of docs/operator-guides.md that also serves a webhook, and the types of built-in kinds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMinicluster } from '@reloader/minicluster';
import {
  createClient,
  createWebhookServer,
  deny,
  kinds,
  loadConfig,
  managedCertificates,
  type ObjectOf,
  operator,
  typed,
  validator,
  type WebhookServer,
} from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';
import { createCapturingLogger, installCrd } from '@reloader/runtime/testing';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { expect, test, vi } from 'vitest';

const Backups = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  description: 'Copies a database somewhere safe.',
  spec: Type.Object({ database: Type.String() }),
});
type Backup = ObjectOf<typeof Backups>;

const Deployments = typed<Deployment>(kinds.Deployment);

const backups = operator(Backups)
  .owns(Deployments)
  .reconcile(async ({ object, ensure }) => {
    const labels = { app: object.metadata.name };
    const { status: now } = await ensure(Deployments, object.metadata.name, (draft) => {
      const containers = [{ name: 'copy', image: 'copier', args: [object.spec.database] }];
      draft.spec = {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      };
    });
    return now?.readyReplicas ? undefined : { reconciling: { reason: 'Starting' } };
  });

test('a webhook server is a part of the same program, and ends with it', { timeout: 60_000 }, async () => {
  let server: WebhookServer | undefined;
  const folder = await mkdtemp(join(tmpdir(), 'program-'));
  const cluster = await startMinicluster({
    listen: {},
    serviceAddress: () => `https://127.0.0.1:${server?.port}`,
  });
  const client = createClient({ transport: cluster.transport() });
  const { logger } = createCapturingLogger();
  try {
    await installCrd(client, Backups.crd());
    const webhook = {
      name: 'keep.example.com',
      clientConfig: { service: { namespace: 'default', name: 'backups', path: '/keep' } },
      rules: [
        { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['backups'], operations: ['DELETE'] },
      ],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    };
    const configuration = { metadata: { name: 'backups' }, webhooks: [webhook] };
    await client.create(kinds.ValidatingWebhookConfiguration, configuration);
    await cluster.writeKubeconfig(join(folder, 'kubeconfig'));
    const config = await loadConfig({ kubeconfig: join(folder, 'kubeconfig') });
    const where = { namespace: 'default', name: 'backups' };
    const anyPort = { port: 0, host: '127.0.0.1' };
    const common = { config, logger, address: false, leaderElection: false } as const;

    const running = backups.run({
      ...common,
      add: ({ client, logger, metrics }) => {
        const configurations = [{ kind: 'ValidatingWebhookConfiguration', name: 'backups' }] as const;
        server = createWebhookServer({
          certificates: managedCertificates({ client, secret: where, service: where, configurations }),
          handlers: { '/keep': validator<Backup>({ delete: () => deny('backups are kept') }) },
          ...{ logger, metrics, ...anyPort },
        });
        return [server];
      },
    });

    const key = { namespace: 'default', name: 'shop' };
    await client.create(Backups, { metadata: key, spec: { database: 'shop' } });
    await vi.waitUntil(async () => (await client.list(kinds.Deployment)).items.length > 0, 30_000);
    await vi.waitUntil(async () => {
      const configured = await client.get(kinds.ValidatingWebhookConfiguration, { name: 'backups' });
      return JSON.stringify(configured).includes('caBundle');
    }, 30_000);
    await expect(client.delete(Backups, key)).rejects.toThrow('backups are kept');
    process.emit('SIGTERM', 'SIGTERM');
    await running;
    expect(server?.port).toBeUndefined();
  } finally {
    await client.close();
    await cluster.stop();
    await rm(folder, { recursive: true });
  }
});
