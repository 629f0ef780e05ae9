/** S2: if one permission is missing, the operator says so, does not crash, and never stops working silently. */
import { expect } from 'vitest';
import { DIGEST_KEY } from '../names.ts';
import { STAKATER, without, withoutOwn } from '../rbac.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { Permissions } from '../stage.ts';

const auto = { auto: 'true' };

interface Case {
  readonly name: string;
  readonly permissions: Permissions;
  /** The log or a status must match this. */
  readonly names: RegExp;
  /** The annotated Deployment on a Secret, and the one on a ConfigMap, still reload. */
  readonly secret: boolean;
  readonly configMap: boolean;
}

const CASES: readonly Case[] = [
  { name: 'secrets', permissions: without('secrets'), names: /secrets/, secret: false, configMap: true },
  {
    name: 'configmaps',
    permissions: without('configmaps'),
    names: /configmaps/,
    secret: true,
    configMap: false,
  },
  {
    name: 'namespaces',
    permissions: without('namespaces'),
    names: /namespaces/,
    secret: true,
    configMap: true,
  },
  {
    name: 'watching deployments',
    permissions: without('deployments', 'watch'),
    names: /not be watched.*Deployment|deployments/,
    secret: true,
    configMap: true,
  },
  {
    name: 'reading deployments',
    permissions: without('deployments', 'get', 'list', 'watch'),
    names: /deployments/,
    secret: false,
    configMap: false,
  },
  {
    name: 'patching deployments',
    permissions: without('deployments', 'patch'),
    names: /deployments/,
    secret: false,
    configMap: false,
  },
  {
    name: 'statefulsets',
    permissions: without('statefulsets'),
    names: /statefulsets/,
    secret: true,
    configMap: true,
  },
  { name: 'cronjobs', permissions: without('cronjobs'), names: /cronjobs/, secret: true, configMap: true },
  { name: 'jobs', permissions: without('jobs'), names: /jobs/, secret: true, configMap: true },
  {
    name: 'reloaderconfigs',
    permissions: without('reloaderconfigs'),
    names: /reloaderconfigs/,
    secret: true,
    configMap: true,
  },
  {
    name: 'the digest key',
    permissions: withoutOwn('secrets'),
    names: /reloader-digest-key|digest key|SHA-1/i,
    secret: true,
    configMap: true,
  },
];

async function tells(s: Scene, names: RegExp): Promise<void> {
  const loud = new Set(['info', 'warn', 'error', 'fatal']);
  const lines = () => s.stage.operators.flatMap(({ log }) => log.filter(({ level }) => loud.has(level)));
  await s.stage
    .until(`a line about ${names.source}`, () =>
      lines().some(({ message, values }) => names.test(`${message} ${JSON.stringify(values)}`)),
    )
    .catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(lines())}`);
    });
}

export const permissions = [
  ...CASES.map(({ name, permissions, names, secret, configMap }) =>
    scenario(`S2: without the permission for ${name}: said, no crash, the rest goes on`, async (s) => {
      s.allow.pending = true;
      s.allow.unexplained = true;
      await s.secret('db', { a: '1' });
      await s.configMap('settings', { a: '1' });
      const onSecret = await s.deployment('on-secret', { annotations: auto, uses: [{ secret: 'db' }] });
      const onConfigMap = await s.deployment('on-configmap', {
        annotations: auto,
        uses: [{ configMap: 'settings' }],
      });
      await s.operator({ permissions, unready: true });
      await tells(s, names);
      await s.stage.quiet(15_000, 2_500);
      await s.secret('db', { a: '2' });
      await s.configMap('settings', { a: '2' });
      await s.rolled([onSecret, secret ? 1 : 0], [onConfigMap, configMap ? 1 : 0]);
    }),
  ),

  scenario('S2: without listing pods a reload still happens', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator({ permissions: without('pods') });
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
  }),

  scenario(
    'S2: without permission to evict pods a restart is reported on its target, and retried',
    async (s) => {
      s.allow.pending = true;
      await s.secret('db', { a: '1' });
      const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        rolloutStrategy: 'restart',
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.operator({ permissions: without('pods/eviction') });
      await s.adopted(web);
      await s.secret('db', { a: '2' });
      await s.stage.until('the error', () =>
        /evict/i.test(s.status(config).targetStatus?.[0]?.lastError ?? ''),
      );
      await s.rolled([web, 0]);
    },
  ),

  scenario('S2: without Events and without writing statuses, reloads go on', async (s) => {
    s.allow.pending = true;
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { uses: [{ secret: 'db' }] });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    const { cluster, own } = without('events');
    const permissions = {
      cluster: cluster.filter(({ resources }) => !resources?.includes('reloaderconfigs/status')),
      own,
    };
    await s.operator({ permissions });
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    await tells(s, /reloaderconfigs\/status|status of ReloaderConfig|events/i);
  }),

  scenario('S2: without its own ConfigMaps, reloads go on', async (s) => {
    s.allow.unexplained = true;
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator({ permissions: withoutOwn('configmaps') });
    // The record is only in the operator's memory, which the test cannot read.
    await s.stage.until('it to be told', () => s.said('The notebook lives in memory'));
    expect(s.record(web)).toBeUndefined();
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    await tells(s, /configmaps|ConfigMap/);
  }),

  scenario(
    "compat: under exactly the permissions of Stakater's chart it reloads, once, across restarts",
    async (s) => {
      s.allow.unexplained = true;
      await s.secret('db', { a: '1' });
      await s.configMap('settings', { a: '1' });
      const web = await s.deployment('web', {
        annotations: auto,
        uses: [{ secret: 'db' }, { configMap: 'settings' }],
      });
      const set = await s.workload('StatefulSet', 'set', { annotations: { 'secret/reload': 'db' } });
      const nightly = await s.workload('CronJob', 'nightly', { annotations: auto, uses: [{ secret: 'db' }] });
      const options = { permissions: STAKATER, clusterWide: true };
      const first = await s.operator(options);
      await s.stage.quiet(15_000, 2_500);
      await s.secret('db', { a: '2' });
      await s.rolled([web, 1], [set, 1]);
      await s.stage.until('a Job', () => s.jobsOf(nightly).length === 1);
      await first.kill();
      await s.configMap('settings', { a: '2' });
      const second = await s.operator(options);
      await s.rolled([web, 2], [set, 1]);
      expect(s.jobsOf(nightly)).toHaveLength(1);
      expect(s.exists({ kind: 'Secret', namespace: second.namespace, name: DIGEST_KEY })).toBe(false);
      const late = await s.deployment('late', { annotations: auto, uses: [{ secret: 'db' }] });
      await s.stage.quiet(15_000, 2_500);
      await s.secret('db', { a: '3' });
      await s.rolled([web, 3], [set, 2], [late, 1]);
      expect(s.env(late).STAKATER_DB_SECRET).toMatch(/^[0-9a-f]{40}$/);
    },
    { alone: true },
  ),
];
