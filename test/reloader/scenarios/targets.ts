/** Rows 9, 10, 11, 19 and 39: the kinds of workloads, and how each is reloaded. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { ChronicleObject, Ref } from '../chronicle.ts';
import { installForeignKinds } from '../definitions.ts';
import { SecretProviderClass, SecretProviderClassPodStatus } from '../kinds.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;
const watching = (targets: readonly object[], more: object = {}): object => ({
  watchedResources: { secrets: ['db'] },
  targets,
  ...more,
});

function podsOf(s: Scene, { name, namespace }: Ref): ChronicleObject[] {
  return s.stage.chronicle
    .all('Pod', namespace)
    .filter(({ metadata }) => metadata.labels?.app === name && metadata.ownerReferences !== undefined)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

const uids = (pods: readonly ChronicleObject[]): string[] => pods.map(({ metadata }) => metadata.uid).sort();

export const targets = [
  scenario('row 9: Deployment, StatefulSet and DaemonSet reload, by annotation and by config', async (s) => {
    await s.secret('db', { a: '1' });
    const all = ['Deployment', 'StatefulSet', 'DaemonSet'];
    const annotated = await Promise.all(
      all.map((kind) => s.workload(kind, `annotated-${kind.toLowerCase()}`, { annotations: auto, uses })),
    );
    const targeted = await Promise.all(
      all.map((kind) => s.workload(kind, `target-${kind.toLowerCase()}`, { uses })),
    );
    const config = await s.config('config', watching(targeted.map(({ kind, name }) => ({ kind, name }))));
    await s.operator();
    await s.adopted(...annotated, ...targeted);
    await s.secret('db', { a: '2' });
    await s.rolled(...[...annotated, ...targeted].map((ref) => [ref, 1] as const));
    for (const ref of [...annotated, ...targeted]) await s.running(ref);
    await s.counted(config, 3);
  }),

  scenario(
    'row 10: an Argo Rollout reloads by its template, and by restartAt where it asks for that',
    async (s) => {
      await installForeignKinds(s.stage.client);
      await s.stage.quiet(2_000);
      await s.secret('db', { a: '1' });
      const byTemplate = await s.workload('Rollout', 'by-template', { annotations: auto, uses });
      const byRestart = await s.workload('Rollout', 'by-restart', {
        annotations: { ...auto, 'rollout-strategy': 'restart' },
        uses,
      });
      await s.operator({ args: ['--is-Argo-Rollouts=true'] });
      await s.adopted(byTemplate, byRestart);
      await s.secret('db', { a: '2' });
      await s.rolled([byTemplate, 1], [byRestart, 0]);
      expect(s.env(byTemplate)).toHaveProperty('STAKATER_DB_SECRET');
      expect(s.live(byRestart).spec?.restartAt).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(s.record(byRestart)?.seq).toBe(1);
    },
  ),

  scenario('row 10: a DeploymentConfig is a target like others', async (s) => {
    await installForeignKinds(s.stage.client);
    await s.stage.quiet(2_000);
    await s.secret('db', { a: '1' });
    const web = await s.workload('DeploymentConfig', 'web', { uses });
    await s.config('config', watching([{ kind: 'DeploymentConfig', name: 'web' }]));
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    expect(s.env(web)).toHaveProperty('STAKATER_DB_SECRET');
  }),

  scenario('row 10: a Rollout that borrows its template has it changed where it stands, once', async (s) => {
    await installForeignKinds(s.stage.client);
    await s.stage.quiet(2_000);
    await s.secret('db', { a: '1' });
    const borrowed = await s.deployment('borrowed', { uses, replicas: 0 });
    const rollout = await s.workload('Rollout', 'rollout', {
      annotations: auto,
      spec: {
        template: undefined,
        selector: undefined,
        workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'borrowed' },
      },
    });
    await s.operator({ args: ['--is-Argo-Rollouts=true'] });
    await s.adopted(rollout);
    await s.secret('db', { a: '2' });
    await s.rolled([borrowed, 1]);
    expect(s.env(borrowed)).toHaveProperty('STAKATER_DB_SECRET');
  }),

  scenario(
    'kinds: a rotation by the CSI driver reloads the workloads that mount the class, once for all their pods',
    async (s) => {
      await installForeignKinds(s.stage.client);
      await s.stage.quiet(2_000);
      const pods = ['web-1', 'web-2', 'web-3'];
      const statusOf = (pod: string, version: string): object => ({
        status: {
          podName: pod,
          secretProviderClassName: 'vault',
          mounted: true,
          objects: [{ id: 'secret/a', version }],
        },
      });
      const { client } = s.stage;
      await client.create(SecretProviderClass, {
        metadata: { name: 'vault', namespace: s.namespace },
        spec: { provider: 'vault' },
      });
      for (const name of pods)
        await client.create(SecretProviderClassPodStatus, {
          metadata: { name, namespace: s.namespace },
          ...statusOf(name, '1'),
        });
      const web = await s.deployment('web', { annotations: auto, uses: [{ providerClass: 'vault' }] });
      const other = await s.deployment('other', { annotations: { 'secretproviderclass/auto': 'true' } });
      await s.operator({ args: ['--enable-csi-integration'] });
      await s.adopted(web);
      for (const name of pods)
        await client.patch(
          SecretProviderClassPodStatus,
          { namespace: s.namespace, name },
          { type: 'merge', body: statusOf(name, '2') },
        );
      await s.rolled([web, 1], [other, 0]);
      expect(s.env(web)).toHaveProperty('STAKATER_VAULT_SECRETPROVIDERCLASS');
    },
  ),

  scenario('kinds: with reload-on-create the first mount of a class restarts nothing', async (s) => {
    await installForeignKinds(s.stage.client);
    await s.stage.quiet(2_000);
    await s.configMap('settings', { mode: 'slow' });
    await s.operator({ args: ['--enable-csi-integration', '--reload-on-create=true'] });
    const mounting = [{ providerClass: 'vault' }, { configMap: 'settings' }];
    const web = await s.deployment('web', { annotations: auto, uses: mounting });
    await s.adopted(web);
    await s.stage.quiet(2_000);
    await s.stage.client.create(SecretProviderClassPodStatus, {
      metadata: { name: 'web-1', namespace: s.namespace },
      status: { secretProviderClassName: 'vault', objects: [{ id: 'secret/a', version: '1' }] },
    });
    await s.rolled([web, 0]);
  }),

  scenario('row 11: an annotated CronJob gets one Job per change, and stays as it is', async (s) => {
    await s.secret('db', { a: '1' });
    const nightly = await s.workload('CronJob', 'nightly', { annotations: auto, uses });
    const first = await s.operator();
    await s.adopted(nightly);
    expect(s.jobsOf(nightly)).toEqual([]);
    await s.secret('db', { a: '2' });
    await s.stage.until('a Job', () => s.jobsOf(nightly).length === 1);
    await s.rolled([nightly, 0]);
    expect(s.jobsOf(nightly)).toHaveLength(1);
    expect(s.jobsOf(nightly)[0]?.metadata.annotations).toMatchObject({
      'cronjob.kubernetes.io/instantiate': 'manual',
    });
    await first.kill();
    await s.operator();
    await s.stage.quiet();
    expect(s.jobsOf(nightly)).toHaveLength(1);
    await s.secret('db', { a: '3' });
    await s.stage.until('a second Job', () => s.jobsOf(nightly).length === 2);
    await s.stage.quiet();
    expect(s.jobsOf(nightly)).toHaveLength(2);
  }),

  scenario('row 11: a CronJob as a target waits for its next run, unless told to run', async (s) => {
    await s.secret('db', { a: '1' });
    const nightly = await s.workload('CronJob', 'nightly', { uses });
    const config = await s.config('config', watching([{ kind: 'CronJob', name: 'nightly' }]));
    const first = await s.operator();
    await s.adopted(nightly);
    await s.secret('db', { a: '2' });
    await s.stage.quiet();
    expect(s.jobsOf(nightly)).toEqual([]);
    await s.counted(config, 0);
    await first.stop();
    await s.operator({ args: ['--cronjob-strategy=run'] });
    await s.stage.quiet();
    expect(s.jobsOf(nightly), 'what was recorded before is no change').toEqual([]);
    await s.secret('db', { a: '3' });
    await s.stage.until('a Job', () => s.jobsOf(nightly).length === 1);
    await s.stage.quiet();
    await s.counted(config, 1);
  }),

  scenario(
    'row 11: an annotated Job runs again, with --finished-jobs=skip only while it is unfinished',
    async (s) => {
      await s.secret('db', { a: '1' });
      const job = await s.workload('Job', 'once', { annotations: auto, uses });
      const finished = () =>
        Number((s.live(job).status as { succeeded?: number } | undefined)?.succeeded ?? 0) > 0;
      await s.stage.until('the Job to end', finished);
      const first = await s.operator();
      await s.adopted(job);
      await s.secret('db', { a: '2' });
      await s.rolled([job, 1]);
      await s.stage.until('the Job to end again', finished);
      await first.stop();
      await s.operator({ args: ['--finished-jobs=skip'] });
      await s.stage.quiet();
      await s.secret('db', { a: '3' });
      await s.rolled([job, 1]);
    },
  ),

  scenario('row 19: restart evicts the pods, and leaves template and generation alone', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { uses, replicas: 3 });
    await s.stage.client.create(kinds.Pod, {
      metadata: { name: 'stray', namespace: s.namespace, labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'registry.test/app:1' }] },
    });
    await s.config('config', watching([{ kind: 'Deployment', name: 'web' }], { rolloutStrategy: 'restart' }));
    await s.operator();
    await s.adopted(web);
    const before = uids(podsOf(s, web));
    await s.secret('db', { a: '2' });
    await s.stage.until(
      'new pods',
      () =>
        podsOf(s, web).length === 3 && podsOf(s, web).every(({ metadata }) => !before.includes(metadata.uid)),
    );
    await s.rolled([web, 0]);
    expect(s.record(web)?.seq).toBe(1);
    expect(s.exists(s.ref('Pod', 'stray')), 'its selector fits, but it is not its own').toBe(true);
    const requests = await s.stage.requests();
    const evicted = requests.filter(
      ({ resource, subresource, code }) => resource === 'pods' && subresource === 'eviction' && code < 300,
    );
    expect(evicted).toHaveLength(3);
  }),

  scenario('row 19: an annotated workload may ask for restart, and a budget is honoured', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', {
      annotations: { ...auto, 'rollout-strategy': 'restart' },
      uses,
      replicas: 2,
    });
    await s.stage.client.create(kinds.PodDisruptionBudget, {
      metadata: { name: 'web', namespace: s.namespace },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await s.operator();
    await s.adopted(web);
    const before = uids(podsOf(s, web));
    await s.secret('db', { a: '2' });
    await s.stage.quiet();
    await s.stage.quiet();
    expect(uids(podsOf(s, web)), 'the budget allows no eviction').toEqual(before);
    await s.stage.client.patch(
      kinds.PodDisruptionBudget,
      { namespace: s.namespace, name: 'web' },
      {
        type: 'merge',
        body: { spec: { minAvailable: 1 } },
      },
    );
    await s.stage.until(
      'new pods',
      () =>
        podsOf(s, web).length === 2 && podsOf(s, web).every(({ metadata }) => !before.includes(metadata.uid)),
      120_000,
    );
    await s.rolled([web, 0]);
  }),

  scenario('row 39: a StatefulSet rolls in order, and its partition is respected and reported', async (s) => {
    await s.secret('db', { a: '1' });
    const db = await s.workload('StatefulSet', 'db', {
      uses,
      replicas: 3,
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    });
    const config = await s.config('config', watching([{ kind: 'StatefulSet', name: 'db' }]));
    await s.operator();
    await s.adopted(db);
    const before = new Map(podsOf(s, db).map(({ metadata }) => [metadata.name, metadata.uid]));
    await s.secret('db', { a: '2' });
    await s.rolled([db, 1]);
    await s.stage.until('the last pod to be new', () =>
      podsOf(s, db).some(({ metadata }) => metadata.name === 'db-2' && metadata.uid !== before.get('db-2')),
    );
    await s.stage.quiet();
    const after = new Map(podsOf(s, db).map(({ metadata }) => [metadata.name, metadata.uid]));
    expect([after.get('db-0'), after.get('db-1')]).toEqual([before.get('db-0'), before.get('db-1')]);
    expect(s.live(db).spec?.updateStrategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { partition: 2 },
    });
    await s.stage.until('a note about the partition', () =>
      /WaitingForWorkload/.test(JSON.stringify(s.status(config))),
    );
  }),

  scenario('row 39: OnDelete is respected and reported', async (s) => {
    await s.secret('db', { a: '1' });
    const agent = await s.workload('DaemonSet', 'agent', {
      uses,
      spec: { updateStrategy: { type: 'OnDelete' } },
    });
    const config = await s.config('config', watching([{ kind: 'DaemonSet', name: 'agent' }]));
    await s.operator();
    await s.adopted(agent);
    const before = uids(podsOf(s, agent));
    await s.secret('db', { a: '2' });
    await s.rolled([agent, 1]);
    expect(uids(podsOf(s, agent))).toEqual(before);
    await s.stage.until('a note about OnDelete', () =>
      /WaitingForWorkload/.test(JSON.stringify(s.status(config))),
    );
  }),
];
