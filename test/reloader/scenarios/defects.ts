/**
 * Defects of the earlier operator, by their number in its list, unless a row or rule covers them already (README.md has
 * the whole list).
 */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { ChronicleObject, Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

const auto = { auto: 'true' };
const deployment = (name: string, more: object = {}): object => ({ kind: 'Deployment', name, ...more });

function podsOf(s: Scene, { name, namespace }: Ref): ChronicleObject[] {
  return s.stage.chronicle
    .all('Pod', namespace)
    .filter(({ metadata }) => metadata.labels?.app === name && metadata.deletionTimestamp === undefined);
}

export const defects = [
  scenario('defect 1: a Secret, a ConfigMap and a config may share one name', async (s) => {
    await s.secret('shared', { a: '1' });
    await s.configMap('shared', { a: '1' });
    const onSecret = await s.deployment('on-secret');
    const onConfigMap = await s.deployment('on-configmap', {
      annotations: auto,
      uses: [{ configMap: 'shared' }],
    });
    const config = await s.config('shared', {
      watchedResources: { secrets: ['shared'] },
      reloadOnDelete: true,
      targets: [deployment('on-secret')],
    });
    await s.operator({ args: ['--reload-on-delete=true'] });
    await s.adopted(onSecret, onConfigMap);
    await s.secret('shared', { a: '2' });
    await s.rolled([onSecret, 1], [onConfigMap, 0]);
    await s.configMap('shared', { a: '2' });
    await s.rolled([onSecret, 1], [onConfigMap, 1]);
    await s.remove('ReloaderConfig', 'shared');
    await s.gone(config);
    await s.rolled([onSecret, 1], [onConfigMap, 1]);
  }),

  scenario('defect 6: a concurrent edit of the source causes no second reload', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator({ args: ['--reload-strategy=annotations'] });
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    for (let round = 0; round < 5; round++) {
      await s.merge(s.ref('Secret', 'db'), {
        metadata: { annotations: { 'example.com/round': String(round) } },
      });
      await s.stage.quiet(400, 100);
    }
    await s.rolled([web, 1]);
  }),

  scenario(
    'defect 7: two changes right after each other, without settling: the pause holds the second',
    async (s) => {
      await s.secret('db', { a: '1' });
      const web = await s.deployment('web');
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [deployment('web', { pausePeriod: s.stage.span('5m', '10s') })],
      });
      await s.operator({ args: ['--settle=0s'] });
      await s.adopted(web);
      await s.secret('db', { a: '2' });
      await s.secret('db', { a: '3' });
      await s.stage.until('the first reload', () => s.rollouts(web) >= 1);
      await s.secret('db', { a: '4' });
      await s.stage.quiet(10_000, 1_000);
      expect(s.rollouts(web)).toBe(1);
      await s.stage.until('the held one', () => s.rollouts(web) === 2, 10 * 60_000);
      await s.rolled([web, 2]);
    },
  ),

  scenario('defect 7: a pause applies to restarts of an annotated workload as well', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.workload('StatefulSet', 'web', {
      annotations: {
        ...auto,
        'rollout-strategy': 'restart',
        'statefulset/pause-period': s.stage.span('5m', '10s'),
      },
      uses: [{ secret: 'db' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.stage.until('the restart', () => s.record(web)?.seq === 1);
    await s.secret('db', { a: '3' });
    await s.stage.quiet(15_000, 1_500);
    expect(s.record(web)?.seq).toBe(1);
    await s.stage.until('the held one', () => s.record(web)?.seq === 2, 10 * 60_000);
    await s.rolled([web, 0]);
  }),

  scenario('defect 9: a target that is listed twice is one target', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web');
    const config = await s.config('config', {
      watchedResources: { secrets: ['db', 'db'] },
      targets: [deployment('web'), deployment('web')],
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    await s.counted(config, 1);
  }),

  scenario('defect 11: restart finds pods by matchExpressions, too', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', {
      replicas: 2,
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } },
    });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      rolloutStrategy: 'restart',
      targets: [deployment('web')],
    });
    await s.operator();
    await s.adopted(web);
    const before = podsOf(s, web).map(({ metadata }) => metadata.uid);
    await s.secret('db', { a: '2' });
    await s.stage.until(
      'new pods',
      () =>
        podsOf(s, web).length === 2 && podsOf(s, web).every(({ metadata }) => !before.includes(metadata.uid)),
      120_000,
    );
    await s.rolled([web, 0]);
  }),

  scenario('defect 12: names that share a variable are still two sources', async (s) => {
    await s.configMap('a-b', { x: '1' });
    await s.configMap('a.b', { x: '1' });
    const web = await s.deployment('web', {
      annotations: auto,
      uses: [{ configMap: 'a-b' }, { configMap: 'a.b' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.configMap('a-b', { x: '2' });
    await s.rolled([web, 1]);
    await s.configMap('a.b', { x: '2' });
    await s.rolled([web, 2]);
    await s.configMap('a-b', { x: '1' });
    await s.rolled([web, 3]);
  }),

  scenario('defect 13: what leaves the spec leaves the status', async (s) => {
    await s.secret('db', { a: '1' });
    await s.configMap('settings', { a: '1' });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'], configMaps: ['settings'] },
      targets: [deployment('web'), deployment('gone')],
    });
    await s.deployment('web');
    await s.operator();
    await s.stage.until(
      'both hashes',
      () => Object.keys(s.status(config).watchedResourceHashes ?? {}).length === 2,
    );
    await s.conditionIs(config, 'Degraded', 'True', 'gone');
    await s.config('config', { watchedResources: { secrets: ['db'] }, targets: [deployment('web')] });
    await s.stage.until(
      'one hash',
      () => Object.keys(s.status(config).watchedResourceHashes ?? {}).length === 1,
    );
    await s.conditionIs(config, 'Degraded', 'False');
    expect(s.status(config).observedGeneration).toBe(2);
  }),

  scenario('defect 15: creating and deleting without a reload counts nothing', async (s) => {
    const web = await s.deployment('web');
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [deployment('web')],
    });
    await s.operator();
    await s.secret('db', { a: '1' });
    await s.adopted(web);
    await s.remove('Secret', 'db');
    await s.rolled([web, 0]);
    await s.counted(config, 0);
  }),

  scenario('defect 17: replacing a Secret by itself reloads nothing', async (s) => {
    await s.secret('db', { a: '1' });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator();
    await s.adopted(web);
    const { data } = s.live(s.ref('Secret', 'db'));
    await s.stage.replace({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'db', namespace: s.namespace, labels: { new: 'yes' } },
      data,
    });
    await s.rolled([web, 0]);
  }),

  scenario('defect 20: a slow workload delays no other', async (s) => {
    await s.secret('db', { a: '1' });
    const stuck = await s.deployment('stuck', {
      annotations: { ...auto, 'rollout-strategy': 'restart' },
      uses: [{ secret: 'db' }],
    });
    await s.stage.client.create(kinds.PodDisruptionBudget, {
      metadata: { name: 'stuck', namespace: s.namespace },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'stuck' } } },
    });
    const web = await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }] });
    await s.operator();
    await s.adopted(stuck, web);
    await s.secret('db', { a: '2' });
    await s.rolled([web, 1]);
    await s.secret('db', { a: '3' });
    await s.rolled([web, 2]);
    expect(s.record(stuck)?.seq ?? 0).toBeLessThanOrEqual(1);
    s.allow.pending = true;
  }),
];
