import { createController, type KindKey, kindKeys, kinds, Manager, trackWrites } from '@reloader/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import {
  AUTO,
  configMap,
  Deployments,
  deployment,
  installCrd,
  merge,
  newWatch,
  secret,
  settled,
  startHarness,
  startWatch,
} from './watch.test.support.ts';

const settings = { namespace: 'default', name: 'settings' };
const usesSettings = { annotations: AUTO, envFrom: [{ configMapRef: { name: 'settings' } }] };
const web = { kind: 'Deployment', namespace: 'default', name: 'web' } as const;

describe('A watch on a cluster', () => {
  it('asks for every workload that asks for reloads, at low priority, when it begins', async () => {
    const harness = await startHarness();
    await harness.client.create(Deployments, deployment('web', { annotations: AUTO }));
    await harness.client.create(Deployments, deployment('other'));
    const watch = await startWatch(harness);
    expect(await watch.requests()).toEqual([
      { key: 'Deployment/default/web', cause: 'add Deployment', low: true },
    ]);
  });

  it('asks for the workloads that use a source when its content changes', async () => {
    const harness = await startHarness();
    const { client } = harness;
    await client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    const uses = { annotations: AUTO, envFrom: [{ configMapRef: { name: 'settings' } }] };
    await client.create(Deployments, deployment('web', uses));
    await client.create(Deployments, deployment('unrelated', { annotations: AUTO }));
    const watch = await startWatch(harness);
    await watch.requested();
    await client.patch(
      kinds.ConfigMap,
      { namespace: 'default', name: 'settings' },
      merge({ data: { a: '2' } }),
    );
    expect(await watch.requests()).toEqual([
      { key: 'Deployment/default/web', cause: 'update ConfigMap', low: false },
    ]);
  });

  it('shows our own writes at once and does not ask for a workload because of them', async () => {
    const harness = await startHarness();
    await harness.client.create(Deployments, deployment('web', { annotations: AUTO }));
    const watch = await startWatch(harness);
    await watch.requested();
    const writer = trackWrites(harness.client, watch.tracker);
    const ledger = { 'reloader.stakater.com/ledger': '{}' };
    await writer.patch(Deployments, web, merge({ metadata: { annotations: ledger } }));
    expect(watch.world.workload(web)?.annotations).toEqual({ ...AUTO, ...ledger });
    expect(await watch.requested()).toEqual([]);
  });

  it('keeps digests of a Secret and nothing of its values', async () => {
    const harness = await startHarness();
    await harness.client.create(kinds.Secret, secret('password', { key: 'hunter2-hunter2' }));
    const watch = await startWatch(harness);
    const state = watch.world.source({ kind: 'Secret', namespace: 'default', name: 'password' });
    expect(state.kind).toBe('present');
    const text = JSON.stringify(state);
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(Buffer.from('hunter2-hunter2').toString('base64'));
  });

  it.each<[string, object]>([
    ['annotations that are not ours', { metadata: { annotations: { 'acme.com/note': 'x' } } }],
    ['nothing that is read', { immutable: false }],
    ['the same content again', { data: { a: '1' } }],
  ])('asks for nobody when a source changes %s', async (_, body) => {
    const harness = await startHarness();
    const { client } = harness;
    await client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    await client.create(Deployments, deployment('web', usesSettings));
    const watch = await startWatch(harness);
    await watch.requested();
    await client.patch(kinds.ConfigMap, settings, merge(body));
    expect(await watch.requested()).toEqual([]);
  });

  it.each<[string, object]>([
    ['its labels', { metadata: { labels: { app: 'x' } } }],
    ['an annotation of ours', { metadata: { annotations: { 'reloader.stakater.com/ignore': 'true' } } }],
    ['another key', { data: { b: '' } }],
    ['binary data', { binaryData: { c: 'YQ==' } }],
  ])('asks for its users when a source changes %s', async (_, body) => {
    const harness = await startHarness();
    const { client } = harness;
    await client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    await client.create(Deployments, deployment('web', usesSettings));
    const watch = await startWatch(harness);
    await watch.requested();
    await client.patch(kinds.ConfigMap, settings, merge(body));
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
  });

  it('asks for its users when a source is created and when it is deleted', async () => {
    const harness = await startHarness();
    const { client } = harness;
    await client.create(Deployments, deployment('web', usesSettings));
    const watch = await startWatch(harness);
    await watch.requested();
    await client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    await client.delete(kinds.ConfigMap, settings);
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
  });

  it.each<[string, object, boolean]>([
    [
      'an annotation of ours',
      { metadata: { annotations: { 'reloader.stakater.com/search': 'true' } } },
      true,
    ],
    ['that it asks no more', { metadata: { annotations: { 'reloader.stakater.com/auto': null } } }, true],
    ['its template', { spec: { template: { metadata: { labels: { a: 'b' } } } } }, true],
    ['the number of its pods', { spec: { replicas: 3 } }, true],
    ['that it is paused', { spec: { paused: true } }, true],
    ['labels, which conditions ask for', { metadata: { labels: { a: 'b' } } }, true],
    ['a finalizer', { metadata: { finalizers: ['example.com/kept'] } }, false],
  ])('hears of a workload that changes %s', async (_, body, heard) => {
    const harness = await startHarness();
    const { client } = harness;
    await client.create(Deployments, deployment('web', usesSettings));
    const watch = await startWatch(harness);
    await watch.requested();
    await client.patch(Deployments, web, merge(body));
    expect(await watch.requested()).toEqual(heard ? ['Deployment/default/web'] : []);
  });

  it('asks for a workload that was deleted', async () => {
    const harness = await startHarness();
    await harness.client.create(Deployments, deployment('web', usesSettings));
    const watch = await startWatch(harness);
    await watch.requested();
    await harness.client.delete(Deployments, web);
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    expect(watch.world.workload(web)).toBeUndefined();
  });

  it('asks for a Rollout when the workload changes whose template it uses', async () => {
    const harness = await startHarness();
    const { client } = harness;
    await installCrd(harness, WORKLOAD_TYPES.Rollout);
    await client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    await client.create(Deployments, deployment('base', { envFrom: usesSettings.envFrom }));
    await client.create(WORKLOAD_TYPES.Rollout, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { namespace: 'default', name: 'canary', annotations: AUTO },
      spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' } },
    });
    const watch = await startWatch(harness);
    await watch.requested();
    await client.patch(Deployments, { namespace: 'default', name: 'base' }, merge({ spec: { replicas: 2 } }));
    expect(await watch.requested()).toEqual(['Rollout/default/canary']);
    await client.patch(kinds.ConfigMap, settings, merge({ data: { a: '2' } }));
    expect(await watch.requested()).toEqual(['Rollout/default/canary']);
  });

  it('is alive when everything is in sync', async () => {
    const watch = await startWatch(await startHarness());
    const health = [...watch.health().values()];
    expect(health.length).toBeGreaterThan(5);
    expect(health.every(({ synced, state }) => synced && state.phase === 'watching')).toBe(true);
  });

  it('runs a controller', async () => {
    const harness = await startHarness();
    const { client, clock } = harness;
    await client.create(Deployments, deployment('web', usesSettings));
    const watch = await newWatch(harness);
    const seen: string[] = [];
    const controller = createController<KindKey>({
      name: 'test',
      keys: kindKeys,
      sources: watch.sources,
      clock,
      needsLeaderElection: false,
      reconcile: async (request) => {
        const { kind, namespace = '', name } = request;
        const facts = watch.world.workload({ kind: kind as 'Deployment', namespace, name });
        seen.push(`${kindKeys.encode(request)} ${facts?.metadata.name}`);
      },
    });
    const manager = new Manager({ clock, logger: harness.logger.logger });
    manager.add(...watch.runnables, controller);
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await settled(clock, running);
    });
    await clock.advance(1000);
    expect(seen).toEqual(['Deployment/default/web web']);
  });
});
