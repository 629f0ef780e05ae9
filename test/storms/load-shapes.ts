/**
 * O1: the thirteen load shapes by which reloaders are compared, here with exact counts. Each asserts how often every
 * workload is rolled out, and that no further request changed a template.
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../reloader/chronicle.ts';
import { installForeignKinds } from '../reloader/definitions.ts';
import { type WorkloadOptions, workload } from '../reloader/objects.ts';
import { type Scenario, scenario } from '../reloader/scenario.ts';
import type { Scene } from '../reloader/scene.ts';
import { changesTemplate } from './template-writes.ts';

const auto = { auto: 'true' };
const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Expects exactly these rollouts, and no further template-changing request. */
async function exactly(s: Scene, expected: readonly (readonly [Ref, number])[]): Promise<void> {
  await s.rolled(...expected);
  const wanted = expected.reduce((sum, [, count]) => sum + count, 0);
  const sent = async () => (await s.stage.requests()).filter(changesTemplate).length;
  // A real server writes its audit log a little later.
  await s.stage.until('the requests', async () => (await sent()) >= wanted, 5_000).catch(() => undefined);
  expect(await sent()).toBe(wanted);
}

/** On a real, busy machine a burst takes longer than the settling time of other scenarios. */
const patient = (s: Scene): readonly string[] => (s.isVirtual ? [] : ['--settle=3s', '--settle-max=30s']);

/** Creates all at once, and only then waits until they run. */
async function deployments(s: Scene, all: readonly (readonly [string, WorkloadOptions])[]): Promise<Ref[]> {
  const refs = await Promise.all(
    all.map(async ([name, options]) => {
      const { namespace = s.namespace } = options;
      const manifest = workload('Deployment', name, namespace, { annotations: auto, ...options });
      await s.stage.client.create(kinds.Deployment, manifest, { fieldManager: 'user' });
      return { kind: 'Deployment', namespace, name };
    }),
  );
  for (const ref of refs) await s.running(ref);
  return refs;
}

async function fleet(s: Scene, count: number, namespaces: readonly string[] = [s.namespace]): Promise<Ref[]> {
  const settings = names('settings', count);
  for (const namespace of namespaces) {
    await Promise.all(settings.map((name) => s.configMap(name, { step: '0' }, { namespace })));
  }
  const all = namespaces.flatMap((namespace) =>
    settings.map((configMap, index) => [`web-${index}`, { namespace, uses: [{ configMap }] }] as const),
  );
  return deployments(s, all);
}

export const loadShapes: readonly Scenario[] = [
  scenario('O1, shape 1: bursts of updates: each burst is one rollout of its own workload', async (s) => {
    const web = await fleet(s, 6);
    await s.operator({ args: patient(s) });
    await s.adopted(...web);
    for (let burst = 1; burst <= 2; burst++) {
      for (let update = 0; update < 4; update++) {
        await Promise.all(
          names('settings', 6).map((name) => s.configMap(name, { step: `${burst}.${update}` })),
        );
      }
      await exactly(
        s,
        web.map((ref) => [ref, burst]),
      );
    }
  }),

  scenario('O1, shape 2: one source with 50 users: 50 rollouts', async (s) => {
    await s.configMap('shared', { step: '0' });
    const uses = [{ configMap: 'shared' }];
    const web = await deployments(
      s,
      names('web', 50).map((name) => [name, { uses }]),
    );
    await s.operator();
    await s.adopted(...web);
    await s.configMap('shared', { step: '1' });
    await exactly(
      s,
      web.map((ref) => [ref, 1]),
    );
  }),

  scenario(
    'O1, shape 3: many namespaces with the same names: each reloads only its own workloads',
    async (s) => {
      const namespaces = await Promise.all(names('team', 8).map((name) => s.stage.createNamespace(name)));
      const web = await fleet(s, 1, namespaces);
      await s.operator();
      await s.adopted(...web);
      const even = namespaces.filter((_, index) => index % 2 === 0);
      await Promise.all(even.map((namespace) => s.configMap('settings-0', { step: '1' }, { namespace })));
      await exactly(
        s,
        web.map((ref) => [ref, even.includes(ref.namespace) ? 1 : 0]),
      );
    },
  ),

  scenario('O1, shape 4: updates that change no data: no rollout, and no request', async (s) => {
    const web = await fleet(s, 3);
    await s.secret('unused', { value: '0' });
    await s.operator();
    await s.adopted(...web);
    await s.stage.quiet();
    const before = (await s.stage.requests()).filter(({ verb }) => verb !== 'watch').length;
    for (let step = 0; step < 5; step++) {
      const body = { metadata: { labels: { step: String(step) }, annotations: { step: String(step) } } };
      await Promise.all(names('settings', 3).map((name) => s.merge(s.ref('ConfigMap', name), body)));
      await s.secret('unused', { value: String(step) });
    }
    await exactly(
      s,
      web.map((ref) => [ref, 0]),
    );
    const after = (await s.stage.requests()).filter(
      ({ verb, resource }) => verb !== 'watch' && !isSlow(resource),
    );
    expect(after.length).toBeLessThanOrEqual(before);
  }),

  scenario(
    'O1, shape 5: workloads are created and deleted meanwhile: each existing one is rolled out once',
    async (s) => {
      const web = await fleet(s, 6);
      await s.operator();
      await s.adopted(...web);
      const goers = web.filter((_, index) => index % 2 === 0);
      const stayers = web.filter((_, index) => index % 2 === 1);
      await Promise.all(names('settings', 6).map((name) => s.configMap(name, { step: '1' })));
      await Promise.all(goers.map(({ name }) => s.remove('Deployment', name)));
      const uses = [{ configMap: 'settings-1' }];
      const comers = await deployments(
        s,
        names('new', 3).map((name) => [name, { uses }]),
      );
      await s.rolled(...stayers.map((ref) => [ref, 1] as const));
      await s.adopted(...comers);
      await s.configMap('settings-1', { step: '2' });
      await s.rolled(
        ...stayers.map((ref) => [ref, ref.name === 'web-1' ? 2 : 1] as const),
        ...comers.map((ref) => [ref, 1] as const),
      );
    },
  ),

  scenario(
    'O1, shape 6: the operator is restarted under load: nothing is lost, nothing is repeated',
    async (s) => {
      const web = await fleet(s, 8);
      let operator = await s.operator();
      await s.adopted(...web);
      for (let step = 1; step <= 3; step++) {
        await Promise.all(names('settings', 8).map((name) => s.configMap(name, { step: String(step) })));
        await operator.kill();
        operator = await s.operator();
        // The server may carry out a request of a killed client without an entry in the log, so the templates are
        // counted.
        await s.rolled(...web.map((ref) => [ref, step] as const));
      }
    },
  ),

  scenario('O1, shape 7: many parallel writers: the final content is rolled out once', async (s) => {
    const web = await fleet(s, 5);
    await s.operator({ args: patient(s) });
    await s.adopted(...web);
    const writes = names('settings', 5).flatMap((name) =>
      names('writer', 10).map((writer) => () => s.configMap(name, { step: writer })),
    );
    await Promise.all(writes.map((write) => write()));
    await exactly(
      s,
      web.map((ref) => [ref, 1]),
    );
  }),

  scenario('O1, shape 8: objects over 100 KB are compared to the last byte', async (s) => {
    const large = (last: string): string => 'x'.repeat(150_000) + last;
    await s.configMap('large', { page: large('0') });
    await s.secret('keys', { chain: large('0') });
    const web = await s.deployment('web', { annotations: auto, uses: [{ configMap: 'large' }] });
    const vault = await s.deployment('vault', {
      annotations: auto,
      uses: [{ secret: 'keys', via: 'volume' }],
    });
    await s.operator();
    await s.adopted(web, vault);
    await s.configMap('large', { page: large('1') });
    await exactly(s, [
      [web, 1],
      [vault, 0],
    ]);
    await s.secret('keys', { chain: large('1') });
    await exactly(s, [
      [web, 1],
      [vault, 1],
    ]);
  }),

  scenario(
    'O1, shape 9: all kinds of workloads: each once, in its own way',
    async (s) => {
      await installForeignKinds(s.stage.client);
      await s.stage.quiet(2_000);
      await s.secret('db', { step: '0' });
      const uses = [{ secret: 'db' }] as const;
      const make = (kind: string) => s.workload(kind, kind.toLowerCase(), { annotations: auto, uses });
      const rolling = await Promise.all(['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout'].map(make));
      const [job, cronJob] = [await make('Job'), await make('CronJob')];
      const legacy = await s.workload('DeploymentConfig', 'legacy', { uses });
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'DeploymentConfig', name: 'legacy' }],
      });
      await s.operator({ args: ['--is-Argo-Rollouts=true'] });
      await s.adopted(...rolling, job, cronJob, legacy);
      for (let step = 1; step <= 2; step++) {
        await s.secret('db', { step: String(step) });
        await s.rolled(...[...rolling, legacy, job].map((ref) => [ref, step] as const), [cronJob, 0]);
        expect(s.jobsOf(cronJob)).toHaveLength(step);
      }
    },
    { only: 'minicluster' },
  ),

  scenario('O1, shape 10: Secrets and ConfigMaps mixed: both at once is one rollout', async (s) => {
    await s.configMap('settings', { step: '0' });
    await s.secret('db', { step: '0' });
    const one = await s.deployment('one', { annotations: auto, uses: [{ configMap: 'settings' }] });
    const other = await s.deployment('other', { annotations: auto, uses: [{ secret: 'db' }] });
    const both = await s.deployment('both', {
      annotations: auto,
      uses: [{ secret: 'db' }, { configMap: 'settings' }],
    });
    await s.operator({ args: patient(s) });
    await s.adopted(one, other, both);
    await s.secret('db', { step: '1' });
    await exactly(s, [
      [one, 0],
      [other, 1],
      [both, 1],
    ]);
    await Promise.all([s.secret('db', { step: '2' }), s.configMap('settings', { step: '2' })]);
    await exactly(s, [
      [one, 1],
      [other, 2],
      [both, 2],
    ]);
  }),

  scenario('O1, shape 11: the annotations strategy: as often as with variables', async (s) => {
    const web = await fleet(s, 4);
    await s.operator({ args: ['--reload-strategy=annotations'] });
    await s.adopted(...web);
    for (let step = 1; step <= 3; step++) {
      await Promise.all(names('settings', 4).map((name) => s.configMap(name, { step: String(step) })));
      await exactly(
        s,
        web.map((ref) => [ref, step]),
      );
    }
    for (const ref of web) expect(s.env(ref)).toEqual({});
  }),

  scenario('O1, shape 12: a pause under rapid updates: the first at once, the rest together', async (s) => {
    await s.configMap('settings', { step: '0' });
    const web = await s.workload('StatefulSet', 'web', {
      annotations: { ...auto, 'statefulset/pause-period': s.stage.span('1m', '12s') },
      uses: [{ configMap: 'settings' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.configMap('settings', { step: '1' });
    await s.stage.until('the first rollout', () => s.rollouts(web) === 1);
    for (let step = 2; step <= 8; step++) {
      await s.configMap('settings', { step: String(step) });
      await s.stage.quiet(3_000, 100);
    }
    expect(s.rollouts(web)).toBe(1);
    await s.stage.until('the second rollout', () => s.rollouts(web) === 2, 61_000);
    await exactly(s, [[web, 2]]);
  }),

  scenario(
    'O1, shape 13: init containers, valueFrom, volumes and projected volumes: all are uses',
    async (s) => {
      await s.configMap('settings', { key: '0' });
      await s.secret('db', { key: '0' });
      const ways = ['envFrom', 'env', 'volume', 'projected', 'init', 'init-volume'] as const;
      const web = await deployments(
        s,
        ways.flatMap((via) => [
          [`cm-${via.toLowerCase()}`, { uses: [{ configMap: 'settings', via }] }] as const,
          [`secret-${via.toLowerCase()}`, { uses: [{ secret: 'db', via }] }] as const,
        ]),
      );
      const not = await s.deployment('not', { annotations: auto });
      await s.operator();
      await s.adopted(...web);
      await Promise.all([s.configMap('settings', { key: '1' }), s.secret('db', { key: '1' })]);
      await exactly(s, [...web.map((ref) => [ref, 1] as const), [not, 0]]);
    },
  ),
];

/** Writes that happen periodically, without any change. */
function isSlow(resource: string): boolean {
  return resource === 'leases';
}
