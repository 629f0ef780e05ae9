/** Rows 30, 32, 33 and 35: scope, and a correct status. */
import { expect } from 'vitest';
import { PRODUCT, without } from '../rbac.ts';
import { scenario } from '../scenario.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;

export const status = [
  scenario('row 30: a namespace selector follows labels as they change', async (s) => {
    const inside = await s.stage.createNamespace('inside', { labels: { reload: 'yes' } });
    const outside = await s.stage.createNamespace('outside');
    for (const namespace of [inside, outside]) await s.secret('db', { a: '1' }, { namespace });
    const web = await s.deployment('web', { namespace: inside, annotations: auto, uses });
    const other = await s.deployment('other', { namespace: outside, annotations: auto, uses });
    await s.operator({ args: ['--namespace-selector=reload=yes'] });
    await s.adopted(web);
    for (const namespace of [inside, outside]) await s.secret('db', { a: '2' }, { namespace });
    await s.rolled([web, 1], [other, 0]);
    await s.merge(
      { kind: 'Namespace', namespace: '', name: outside },
      { metadata: { labels: { reload: 'yes' } } },
    );
    await s.adopted(other);
    await s.rolled([other, 0]);
    await s.secret('db', { a: '3' }, { namespace: outside });
    await s.rolled([web, 1], [other, 1]);
    await s.merge(
      { kind: 'Namespace', namespace: '', name: outside },
      { metadata: { labels: { reload: null } } },
    );
    await s.stage.quiet();
    await s.secret('db', { a: '4' }, { namespace: outside });
    await s.rolled([web, 1], [other, 1]);
    s.allow.pending = true;
  }),

  scenario('row 30: ignored namespaces stay as they are', async (s) => {
    const ignored = await s.stage.createNamespace('ignored');
    await s.secret('db', { a: '1' });
    await s.secret('db', { a: '1' }, { namespace: ignored });
    const web = await s.deployment('web', { annotations: auto, uses });
    const other = await s.deployment('other', { namespace: ignored, annotations: auto, uses });
    await s.operator({ args: [`--namespaces-to-ignore=${ignored},another`] });
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.secret('db', { a: '2' }, { namespace: ignored });
    await s.rolled([web, 1], [other, 0]);
  }),

  scenario('row 30: --namespaces watches only these', async (s) => {
    const listed = await s.stage.createNamespace('listed');
    await s.secret('db', { a: '1' });
    await s.secret('db', { a: '1' }, { namespace: listed });
    const web = await s.deployment('web', { annotations: auto, uses });
    const other = await s.deployment('other', { namespace: listed, annotations: auto, uses });
    const { user } = await s.operator({ args: [`--namespaces=${listed}`] });
    await s.adopted(other);
    await s.secret('db', { a: '2' });
    await s.secret('db', { a: '2' }, { namespace: listed });
    await s.rolled([web, 0], [other, 1]);
    const reads = (await s.stage.requests()).filter(
      ({ verb, resource }) => resource === 'secrets' && (verb === 'list' || verb === 'watch'),
    );
    const watches = reads.filter(({ verb }) => verb === 'watch');
    expect(new Set(watches.map(({ namespace }) => namespace)), user).toEqual(new Set([listed]));
    // The operator lists its own namespace once, for Jobs that a crash left half re-created.
    const [, , own = ''] = user.split(':');
    expect(new Set(reads.map(({ namespace }) => namespace)), user).toEqual(new Set([listed, own]));
  }),

  scenario('row 30: two installations with scopes of their own leave each other alone', async (s) => {
    const one = await s.stage.createNamespace('one', { labels: { team: 'one' } });
    const two = await s.stage.createNamespace('two', { labels: { team: 'two' } });
    const refs = [];
    for (const namespace of [one, two]) {
      await s.secret('db', { a: '1' }, { namespace });
      refs.push(await s.deployment('web', { namespace, uses }));
      await s.config(
        'config',
        { watchedResources: { secrets: ['db'] }, targets: [{ kind: 'Deployment', name: 'web' }] },
        { namespace },
      );
    }
    const operators = [
      await s.operator({ name: 'one', args: ['--namespace-selector=team=one'] }),
      await s.operator({ name: 'two', args: ['--namespace-selector=team=two'] }),
    ];
    await s.adopted(...refs);
    for (const namespace of [one, two]) await s.secret('db', { a: '2' }, { namespace });
    for (const ref of refs) await s.rolled([ref, 1]);
    const requests = await s.stage.requests();
    const writers = (namespace: string) => {
      const writes = requests.filter(
        ({ verb, namespace: where }) => where === namespace && (verb === 'patch' || verb === 'update'),
      );
      return new Set(writes.map(({ user }) => user));
    };
    expect([writers(one), writers(two)]).toEqual(operators.map(({ user }) => new Set([user])));
  }),

  scenario('row 32: counts, times and errors per target equal what happened', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { uses });
    const api = await s.workload('StatefulSet', 'api', { uses });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [
        { kind: 'Deployment', name: 'web' },
        { kind: 'StatefulSet', name: 'api' },
      ],
    });
    const first = await s.operator();
    await s.adopted(web, api);
    await s.counted(config, 0);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1], [api, 1]);
    await first.kill();
    await s.operator();
    await s.secret('db', { a: '3' });
    await s.rolled([web, 2], [api, 2]);
    await s.counted(config, 4);
    const { lastReloadTime, targetStatus = [], observedGeneration } = s.status(config);
    expect(observedGeneration).toBe(1);
    expect(Date.parse(lastReloadTime ?? '')).toBeGreaterThan(0);
    expect(
      targetStatus.map(({ kind, name, namespace, reloadCount }) => ({ kind, name, namespace, reloadCount })),
    ).toEqual([
      { kind: 'Deployment', name: 'web', namespace: s.namespace, reloadCount: 2 },
      { kind: 'StatefulSet', name: 'api', namespace: s.namespace, reloadCount: 2 },
    ]);
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.stage.until(
      'the entry of the removed target to go',
      () => s.status(config).targetStatus?.length === 1,
    );
    await s.counted(config, 4);
  }),

  scenario('row 33: conditions heal by themselves, and do not flap', async (s) => {
    await s.secret('db', { a: '1' });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'], configMaps: ['settings'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.operator();
    await s.conditionIs(config, 'Degraded', 'True', 'web');
    await s.conditionIs(config, 'Available', 'True');
    const web = await s.deployment('web', { uses });
    await s.conditionIs(config, 'Degraded', 'True', 'settings');
    await s.configMap('settings', { a: '1' });
    const healed = await s.conditionIs(config, 'Degraded', 'False');
    await s.adopted(web);
    const versions = s.stage.chronicle.of(config).length;
    await s.stage.quiet(10 * 60_000);
    expect(s.stage.chronicle.of(config).length, 'at rest nothing is written').toBe(versions);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    expect(s.condition(config, 'Degraded')).toMatchObject({
      status: 'False',
      lastTransitionTime: healed.lastTransitionTime,
    });
    for (const { observedGeneration } of s.status(config).conditions ?? [])
      expect(observedGeneration).toBe(1);
    await s.remove('Deployment', 'web');
    await s.conditionIs(config, 'Degraded', 'True', 'web');
    const changes = s.stage.chronicle.of(config).length - versions;
    expect(changes, 'a reload and a deletion are a few status writes').toBeLessThanOrEqual(8);
  }),

  scenario('row 35: a reload that fails is tried again until it works, and says so meanwhile', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses });
    const target = await s.deployment('target', { uses });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'target' }],
    });
    const operator = await s.operator();
    await s.adopted(web, target);
    await s.stage.permit(operator, without('deployments', 'patch'));
    await s.stage.quiet(1_000);
    await s.secret('db', { a: '2' });
    await s.stage.until(
      'the error to be shown',
      () => s.status(config).targetStatus?.[0]?.lastError !== undefined,
    );
    await s.stage.until('an Event', () =>
      s.events(web).some(({ type, reason }) => type === 'Warning' && reason === 'ReloadFail'),
    );
    await s.conditionIs(config, 'Available', 'False', 'ReloadsForbidden');
    await s.conditionIs(config, 'Ready', 'False', 'ReloadsForbidden');
    expect(s.rollouts(web) + s.rollouts(target)).toBe(0);
    await s.stage.permit(operator, PRODUCT);
    await s.stage.until('the retry', () => s.rollouts(web) + s.rollouts(target) === 2, 20 * 60_000);
    await s.rolled([web, 1], [target, 1]);
    expect(s.status(config).targetStatus?.[0]?.lastError, 'healed').toBeUndefined();
    await s.conditionIs(config, 'Ready', 'True');
  }),
];
