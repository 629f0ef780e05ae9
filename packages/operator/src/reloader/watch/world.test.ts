import { kinds, parseSelector } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { PodStatuses, ProviderClasses, ReloaderConfigs, WORKLOAD_TYPES } from '../model/kinds.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceRef } from '../model/source.ts';
import {
  AUTO,
  configMap,
  createNamespace,
  Deployments,
  deployment,
  type Harness,
  installCrd,
  merge,
  newWatch,
  secret,
  startHarness,
  startWatch,
} from './watch.test.support.ts';

const settings: SourceRef = { kind: 'ConfigMap', namespace: 'default', name: 'settings' };
const key = { namespace: 'default', name: 'settings' };

async function watching(
  reloader: Partial<ReloaderSettings> = {},
  prepare?: (harness: Harness) => Promise<unknown>,
) {
  const harness = await startHarness();
  await prepare?.(harness);
  return { ...harness, watch: await startWatch(harness, reloader) };
}

describe('A source', () => {
  it('is present with its facts, gone when it is deleted, and back again', async () => {
    const { client, watch } = await watching();
    expect(watch.world.source(settings)).toEqual({ kind: 'gone' });
    const annotations = { 'reloader.stakater.com/match': 'true' };
    await client.create(
      kinds.ConfigMap,
      configMap('settings', { a: '1' }, { annotations, labels: { app: 'a' } }),
    );
    await watch.requested();
    expect(watch.world.source(settings)).toMatchObject({
      kind: 'present',
      facts: { kind: 'ConfigMap', annotations },
    });
    await client.delete(kinds.ConfigMap, key);
    await watch.requested();
    expect(watch.world.source(settings)).toEqual({
      kind: 'gone',
      last: { annotations, labels: { app: 'a' } },
    });
    await client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    await client.delete(kinds.ConfigMap, key);
    await watch.requested();
    expect(watch.world.source(settings)).toEqual({ kind: 'gone', last: { annotations: {}, labels: {} } });
  });

  it('of a kind that is ignored is unknown', async () => {
    const { watch } = await watching({ ignoredSources: new Set(['ConfigMap']) }, ({ client }) =>
      client.create(kinds.ConfigMap, configMap('settings', { a: '1' })),
    );
    expect(watch.world.source(settings)).toMatchObject({ kind: 'unknown' });
    expect([...watch.world.sourcesIn('default', 'ConfigMap')]).toEqual([]);
    expect(watch.world.source({ ...settings, kind: 'Secret' })).toEqual({ kind: 'gone' });
  });

  it('in a namespace that is being deleted is unknown', async () => {
    const { client, watch } = await watching({}, async (harness) => {
      await createNamespace(harness, 'ending');
      const blocked = configMap('settings', { a: '1' }, { namespace: 'ending', finalizers: ['test/hold'] });
      await harness.client.create(kinds.ConfigMap, blocked);
    });
    const missing: SourceRef = { ...settings, namespace: 'ending', name: 'missing' };
    expect(watch.world.source(missing)).toEqual({ kind: 'gone' });
    await client.delete(kinds.Namespace, { name: 'ending' });
    await watch.requested();
    expect(watch.world.source(missing)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('being deleted'),
    });
  });

  it('in a namespace that does not exist is unknown', async () => {
    const { watch } = await watching();
    expect(watch.world.source({ ...settings, namespace: 'nowhere' })).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('does not exist'),
    });
  });

  it('is never gone where only selected labels are watched', async () => {
    const { client, watch } = await watching(
      { resourceLabelSelector: 'app=web' },
      async ({ client: admin }) => {
        await admin.create(kinds.ConfigMap, configMap('settings', { a: '1' }, { labels: { app: 'web' } }));
        await admin.create(kinds.ConfigMap, configMap('unselected', { a: '1' }));
      },
    );
    const state = (name: string) => watch.world.source({ ...settings, name }).kind;
    expect([state('settings'), state('unselected')]).toEqual(['present', 'unknown']);
    await client.patch(kinds.ConfigMap, key, merge({ metadata: { labels: { app: null } } }));
    await watch.requested();
    expect(state('settings')).toBe('unknown');
  });

  it('is unknown before the first list', async () => {
    const watch = await newWatch(await startHarness());
    expect(watch.world.source(settings)).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('sync'),
    });
    expect(watch.world.knows('Deployment')).toBe(false);
  });
});

describe('Namespaces', () => {
  const inNamespaces = async (harness: Harness) => {
    for (const name of ['blue', 'red']) {
      await createNamespace(harness, name, { team: name });
      await harness.client.create(kinds.ConfigMap, configMap('settings', { a: '1' }, { namespace: name }));
      await harness.client.create(
        Deployments,
        deployment('web', {
          namespace: name,
          annotations: AUTO,
          envFrom: [{ configMapRef: { name: 'settings' } }],
        }),
      );
    }
  };
  const stateIn = (watch: { world: { source(ref: SourceRef): { kind: string } } }, namespace: string) =>
    watch.world.source({ ...settings, namespace }).kind;

  it('that are listed are watched, and no other', async () => {
    const { watch } = await watching({ namespaces: ['blue'] }, inNamespaces);
    expect([stateIn(watch, 'blue'), stateIn(watch, 'red')]).toEqual(['present', 'unknown']);
    expect(watch.world.workload({ kind: 'Deployment', namespace: 'red', name: 'web' })).toBeUndefined();
    expect([...watch.world.namespaces()]).toEqual(['blue']);
    expect(await watch.requested()).toEqual(['Deployment/blue/web']);
  });

  it('that are ignored are left out', async () => {
    const { client, watch } = await watching({ namespacesToIgnore: new Set(['red']) }, inNamespaces);
    expect([stateIn(watch, 'blue'), stateIn(watch, 'red')]).toEqual(['present', 'unknown']);
    expect(await watch.requested()).toEqual(['Deployment/blue/web']);
    await client.patch(kinds.ConfigMap, { namespace: 'red', name: 'settings' }, merge({ data: { a: '2' } }));
    expect(await watch.requested()).toEqual([]);
    expect(watch.world.inScope('red')).toBe(false);
  });

  it('come into scope and leave it with their labels', async () => {
    const { client, watch } = await watching({ namespaceSelector: parseSelector('team=blue') }, inNamespaces);
    expect([stateIn(watch, 'blue'), stateIn(watch, 'red')]).toEqual(['present', 'unknown']);
    await watch.requested();
    await client.patch(kinds.Namespace, { name: 'red' }, merge({ metadata: { labels: { team: 'blue' } } }));
    expect(await watch.requested()).toEqual(['Deployment/red/web']);
    expect(stateIn(watch, 'red')).toBe('present');
    await client.patch(kinds.Namespace, { name: 'blue' }, merge({ metadata: { labels: { team: null } } }));
    expect(await watch.requested()).toEqual([]);
    expect(stateIn(watch, 'blue')).toBe('unknown');
    expect([...watch.world.namespaces()]).toEqual(['red']);
  });

  it('have labels, and our annotations', async () => {
    const { client, watch } = await watching({}, inNamespaces);
    const annotations = { 'reloader.stakater.com/freeze': 'true', other: 'x' };
    await client.patch(kinds.Namespace, { name: 'blue' }, merge({ metadata: { annotations } }));
    expect(await watch.requested()).toContain('Deployment/blue/web');
    expect(watch.world.namespace('blue')).toMatchObject({
      labels: { team: 'blue' },
      annotations: { 'reloader.stakater.com/freeze': 'true' },
      deleting: false,
    });
  });
});

describe('ReloaderConfigs', () => {
  const config = (name: string, spec: object, metadata: object = {}) => ({
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { namespace: 'default', name, ...metadata },
    spec,
  });
  const web = { kind: 'Deployment', namespace: 'default', name: 'web' } as const;
  const naming = { targets: [{ kind: 'Deployment', name: 'web' }] };

  it('are found by their targets, the oldest first and without ignored ones', async () => {
    const { client, clock, watch } = await watching({}, (harness) => installCrd(harness, ReloaderConfigs));
    await client.create(ReloaderConfigs, config('z-old', naming));
    await clock.advance(5000);
    await client.create(ReloaderConfigs, config('a-new', naming));
    const annotations = { 'reloader.stakater.com/ignore': 'true' };
    await client.create(ReloaderConfigs, config('ignored', naming, { annotations }));
    await client.create(ReloaderConfigs, config('other', { targets: [{ kind: 'Deployment', name: 'db' }] }));
    expect(await watch.requested()).toEqual(['Deployment/default/db', 'Deployment/default/web']);
    expect(watch.world.configsFor(web).map(({ metadata }) => metadata.name)).toEqual(['z-old', 'a-new']);
    expect(watch.world.config({ namespace: 'default', name: 'other' })).toBeDefined();
  });

  it('ask for their targets when they change and when they go, and not when their status does', async () => {
    const { client, watch } = await watching({}, (harness) => installCrd(harness, ReloaderConfigs));
    await client.create(ReloaderConfigs, config('rules', naming));
    await watch.requested();
    const rules = { namespace: 'default', name: 'rules' };
    const targets = [{ kind: 'Deployment', name: 'db' }];
    await client.patch(ReloaderConfigs, rules, merge({ spec: { targets } }));
    expect(await watch.requested()).toEqual(['Deployment/default/db', 'Deployment/default/web']);
    await client.patch(ReloaderConfigs, rules, merge({ metadata: { labels: { a: 'b' } } }));
    expect(await watch.requested()).toEqual([]);
    await client.delete(ReloaderConfigs, rules);
    expect(await watch.requested()).toEqual(['Deployment/default/db']);
  });

  it('are picked up when their definition is installed later', async () => {
    const { client, clock, watch, ...rest } = await watching();
    expect(watch.health().has('reloaderconfigs.reloader.stakater.com')).toBe(false);
    await installCrd({ client, clock, ...rest }, ReloaderConfigs);
    await client.create(ReloaderConfigs, config('rules', naming));
    await clock.advance(120_000);
    expect(watch.world.configsFor(web)).toHaveLength(1);
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    expect(watch.health().get('reloaderconfigs.reloader.stakater.com')?.synced).toBe(true);
  });
});

describe('Workloads', () => {
  it('of a kind that is ignored are unknown', async () => {
    const { watch } = await watching({ ignoredWorkloads: new Set(['Job']) });
    expect(watch.world.knows('Job')).toBe(false);
    expect(watch.world.knows('Deployment')).toBe(true);
  });

  it('of a kind that is not installed are unknown until it is, and nobody is warned', async () => {
    const { watch, client, clock, logger, ...rest } = await watching();
    expect(watch.world.knows('Rollout')).toBe(false);
    expect(logger.messages('warn')).toEqual([]);
    await installCrd({ client, clock, logger, ...rest }, WORKLOAD_TYPES.Rollout);
    const rollout = {
      ...deployment('web', { annotations: AUTO }),
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
    };
    await client.create(WORKLOAD_TYPES.Rollout, rollout);
    await clock.advance(120_000);
    expect(watch.world.knows('Rollout')).toBe(true);
    expect(await watch.requested()).toEqual(['Rollout/default/web']);
  });
});

describe('SecretProviderClasses', () => {
  const ref: SourceRef = { kind: 'SecretProviderClass', namespace: 'default', name: 'vault' };
  const podStatus = (pod: string, version: string) => ({
    apiVersion: 'secrets-store.csi.x-k8s.io/v1',
    kind: 'SecretProviderClassPodStatus',
    metadata: { namespace: 'default', name: pod },
    status: { podName: pod, secretProviderClassName: 'vault', objects: [{ id: 'a', version }] },
  });
  const installed = async (harness: Harness) => {
    await installCrd(harness, PodStatuses);
    await installCrd(harness, ProviderClasses);
    const csi = { driver: 'secrets-store.csi.k8s.io', volumeAttributes: { secretProviderClass: 'vault' } };
    const volumes = [{ name: 'vault', csi }];
    await harness.client.create(Deployments, deployment('web', { annotations: AUTO, volumes }));
  };
  const digestOf = (watch: { world: { source(each: SourceRef): unknown } }): unknown =>
    (watch.world.source(ref) as { facts?: { digest: string } }).facts?.digest;

  it('are watched only where asked for', async () => {
    const { client, watch } = await watching({}, installed);
    await client.create(PodStatuses, podStatus('pod-1', '1'));
    await watch.requested();
    expect(watch.world.source(ref).kind).toBe('unknown');
  });

  it('change when a pod gets something new, once for all its pods', async () => {
    const { client, clock, watch } = await watching({ csi: true }, installed);
    expect(watch.world.source(ref)).toMatchObject({ kind: 'unknown' });
    await client.create(PodStatuses, podStatus('pod-1', '1'));
    await client.create(PodStatuses, podStatus('pod-2', '1'));
    await watch.requested();
    const first = digestOf(watch);
    await clock.advance(2000);
    const objects = [{ id: 'a', version: '2' }];
    await client.patch(PodStatuses, { namespace: 'default', name: 'pod-1' }, merge({ status: { objects } }));
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    const second = digestOf(watch);
    expect(second).not.toBe(first);
    await client.patch(PodStatuses, { namespace: 'default', name: 'pod-2' }, merge({ status: { objects } }));
    await watch.requested();
    expect(digestOf(watch)).toBe(second);
  });

  it('keep the newest content when its pod ends', async () => {
    const { client, clock, watch } = await watching({ csi: true }, installed);
    await client.create(PodStatuses, podStatus('pod-1', '1'));
    await clock.advance(2000);
    await watch.requested();
    await client.create(PodStatuses, podStatus('pod-2', '2'));
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    const newest = digestOf(watch);
    await client.delete(PodStatuses, { namespace: 'default', name: 'pod-2' });
    expect(await watch.requested()).toEqual([]);
    expect(digestOf(watch)).toBe(newest);
  });

  it('have the annotations of the class', async () => {
    const { client, watch } = await watching({ csi: true }, installed);
    await client.create(PodStatuses, podStatus('pod-1', '1'));
    const annotations = { 'reloader.stakater.com/ignore': 'true' };
    await client.create(ProviderClasses, {
      apiVersion: 'secrets-store.csi.x-k8s.io/v1',
      kind: 'SecretProviderClass',
      metadata: { namespace: 'default', name: 'vault', annotations },
    });
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    expect(watch.world.source(ref)).toMatchObject({ kind: 'present', facts: { annotations } });
    expect([...watch.world.sourcesIn('default', 'SecretProviderClass')]).toHaveLength(1);
  });
});

describe('Secrets', () => {
  it('are digested with the key unless plain hashes are asked for', async () => {
    const ref: SourceRef = { kind: 'Secret', namespace: 'default', name: 'password' };
    const slotWith = async (digest: ReloaderSettings['digest']) => {
      const { watch } = await watching({ digest }, ({ client }) =>
        client.create(kinds.Secret, secret('password', { test: 'test' })),
      );
      return watch.world.source(ref) as { facts?: { slot: string; sha1: string } };
    };
    const [keyed, plain] = [await slotWith('keyed'), await slotWith('sha1')];
    expect(plain.facts?.slot).toBe('b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db');
    expect(keyed.facts?.slot).not.toBe(plain.facts?.slot);
    expect(keyed.facts?.sha1).toBe(plain.facts?.sha1);
  });
});
