/**
 * A small company in three namespaces, with applications that reload at once, wait, or are frozen: the objects that the
 * demo creates, and the changes that it makes afterwards.
 */
import { type Client, kinds } from '@reloader/runtime';

const PREFIX = 'reloader.stakater.com';

interface App {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly envFrom?: readonly object[];
  readonly volumes?: readonly object[];
}

const APPS: readonly App[] = [
  {
    kind: 'Deployment',
    namespace: 'shop',
    name: 'storefront',
    replicas: 3,
    annotations: { [`${PREFIX}/auto`]: 'true' },
    envFrom: [{ configMapRef: { name: 'storefront' } }, { secretRef: { name: 'session-key' } }],
  },
  {
    kind: 'Deployment',
    namespace: 'shop',
    name: 'search',
    replicas: 2,
    annotations: { [`configmap.${PREFIX}/reload`]: 'search-.*' },
  },
  {
    kind: 'StatefulSet',
    namespace: 'payments',
    name: 'ledger-db',
    replicas: 2,
    annotations: { [`secret.${PREFIX}/reload`]: 'db-password' },
    volumes: [{ name: 'password', secret: { secretName: 'db-password' } }],
  },
  {
    kind: 'Deployment',
    namespace: 'payments',
    name: 'gateway',
    replicas: 2,
    annotations: {},
    envFrom: [{ secretRef: { name: 'db-password' } }],
  },
  {
    kind: 'Deployment',
    namespace: 'shop',
    name: 'mailer',
    replicas: 2,
    annotations: { [`${PREFIX}/auto`]: 'true', [`${PREFIX}/batch-window`]: '15s' },
    envFrom: [{ secretRef: { name: 'session-key' } }],
  },
  {
    kind: 'Deployment',
    namespace: 'shop',
    name: 'legacy',
    replicas: 1,
    annotations: { [`${PREFIX}/auto`]: 'true', [`${PREFIX}/freeze`]: 'true' },
    envFrom: [{ secretRef: { name: 'session-key' } }],
  },
  {
    kind: 'DaemonSet',
    namespace: 'platform',
    name: 'log-agent',
    replicas: 1,
    annotations: { [`${PREFIX}/auto`]: 'true' },
    volumes: [{ name: 'config', configMap: { name: 'log-agent' } }],
  },
];

const CONFIG_MAPS = [
  { namespace: 'shop', name: 'storefront', data: { BANNER: 'Autumn sale' } },
  { namespace: 'shop', name: 'search-synonyms', data: { coat: 'jacket' } },
  { namespace: 'platform', name: 'log-agent', data: { 'agent.conf': 'level=info' } },
];

const SECRETS = [
  { namespace: 'shop', name: 'session-key', stringData: { key: 'first-session-key' } },
  { namespace: 'payments', name: 'db-password', stringData: { password: 'first-password' } },
];

/** The gateway has no annotation: a ReloaderConfig opts it in. */
const RELOADER_CONFIG = {
  apiVersion: `${PREFIX}/v1alpha1`,
  kind: 'ReloaderConfig',
  metadata: { namespace: 'payments', name: 'gateway' },
  spec: {
    watchedResources: { secrets: ['db-password'] },
    targets: [{ kind: 'Deployment', name: 'gateway' }],
  },
};

export async function openShop(client: Client): Promise<void> {
  for (const name of new Set(APPS.map(({ namespace }) => namespace))) {
    await client.create(kinds.Namespace, { metadata: { name } });
  }
  for (const { namespace, name, data } of CONFIG_MAPS) {
    await client.create(kinds.ConfigMap, { metadata: { namespace, name }, data });
  }
  for (const { namespace, name, stringData } of SECRETS) {
    await client.create(kinds.Secret, { metadata: { namespace, name }, stringData } as kinds.SecretObject);
  }
  for (const app of APPS) await client.create(kinds[app.kind], workload(app));
  await client.raw({
    method: 'POST',
    path: `/apis/${PREFIX}/v1alpha1/namespaces/payments/reloaderconfigs`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(RELOADER_CONFIG),
  });
}

function workload({ kind, namespace, name, replicas, annotations, envFrom = [], volumes = [] }: App) {
  const labels = { app: name };
  const volumeMounts = volumes.map((volume) => ({
    name: (volume as { name: string }).name,
    mountPath: `/etc/${name}`,
  }));
  return {
    metadata: { namespace, name, annotations },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'app', image: `example.com/${name}:1`, envFrom, volumeMounts }],
          volumes,
        },
      },
    },
  };
}

export interface Step {
  readonly say: string;
  readonly make: (client: Client) => Promise<unknown>;
}

/** The steps of the demo, in order; each says in one line of 80 columns what it does and what should follow. */
export const STEPS: readonly Step[] = [
  {
    say: 'Change Secret db-password: ledger-db names it, a config adds gateway',
    make: (client) =>
      client.patch(
        kinds.Secret,
        { namespace: 'payments', name: 'db-password' },
        { type: 'merge', body: { stringData: { password: 'second-password' } } },
      ),
  },
  {
    say: 'Change only a label of Secret session-key: no value changed, nobody rolls',
    make: (client) =>
      client.patch(
        kinds.Secret,
        { namespace: 'shop', name: 'session-key' },
        { type: 'merge', body: { metadata: { labels: { owner: 'web' } } } },
      ),
  },
  {
    say: 'Change two sources of storefront: one rollout. mailer batches, legacy waits',
    make: async (client) => {
      await client.patch(
        kinds.ConfigMap,
        { namespace: 'shop', name: 'storefront' },
        { type: 'merge', body: { data: { BANNER: 'Winter sale' } } },
      );
      await client.patch(
        kinds.Secret,
        { namespace: 'shop', name: 'session-key' },
        { type: 'merge', body: { stringData: { key: 'second-session-key' } } },
      );
    },
  },
  {
    say: 'Unfreeze legacy: the change that was held back is rolled out now',
    make: (client) =>
      client.patch(
        kinds.Deployment,
        { namespace: 'shop', name: 'legacy' },
        { type: 'merge', body: { metadata: { annotations: { [`${PREFIX}/freeze`]: null } } } },
      ),
  },
];

/** Commands that a user may try afterwards. Each fits a terminal of 80 columns. */
export const NEXT: readonly string[] = [
  'npx reloader what-if secret/db-password -n payments',
  'npx reloader explain deployment/storefront -n shop',
  `kubectl patch secret session-key -n shop -p '{"stringData":{"key":"3"}}'`,
];
