import { kinds, trackWrites } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import {
  AUTO,
  configMap,
  Deployments,
  deployment,
  merge,
  secret,
  startHarness,
  startWatch,
} from './watch.test.support.ts';

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
});
