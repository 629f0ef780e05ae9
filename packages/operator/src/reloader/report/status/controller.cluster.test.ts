/** The real API server stores our status as written, so that no second write is needed. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, createRegistry, kinds, loadConfig } from '@reloader/runtime';
import { createCapturingLogger, FakeInformer, recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../../../../../../test/control-plane/vitest.ts';
import { applyCrds } from '../../../crds/apply.ts';
import { ReloaderConfigs } from '../../../crds/reloader-config.ts';
import { DEFAULT_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { World } from '../../model/world.ts';
import { configFacts } from '../../project/config-projection.ts';
import { defaultSettings, fakeWorld, sourceFacts } from '../../want/world.test.support.ts';
import { fakeView, later, reloadedWorkload, START_S, viewOf } from '../report.test.support.ts';
import { ConfigStatuses } from './controller.ts';
import { ReloadTally } from './tally.ts';

const cluster = useControlPlane();
let client: Client;
beforeAll(async () => {
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  await applyCrds(client);
  await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
});
afterAll(() => client.close());

test('a status with everything in it is stored as computed, and written once', async () => {
  const key = { namespace: 'shop', name: 'rules' };
  await client.create(ReloaderConfigs, {
    metadata: key,
    spec: {
      watchedResources: { secrets: ['credentials', 'missing'] },
      targets: [
        { kind: 'Deployment', name: 'web' },
        { kind: 'Job', name: 'import' },
      ],
    },
  });
  const configs = new FakeInformer<ConfigFacts>(ReloaderConfigs);
  const clock = new VirtualClock();
  const now = START_S;
  const web = reloadedWorkload([{ at: now }, { at: now + 1 }]);
  const world = new Proxy({} as World, {
    get: (_, method: keyof World) =>
      fakeWorld({
        sources: [sourceFacts({ kind: 'Secret', name: 'credentials', digest: 'one' })],
        workloads: [web],
        configs: [...configs.store.list()],
      })[method],
  });
  const recording = recordWrites(client);
  const log = createCapturingLogger('warn');
  const statuses = new ConfigStatuses({
    client: recording.client,
    clock,
    logger: log.logger,
    metrics: createRegistry(),
    world,
    settings: defaultSettings(),
    tally: new ReloadTally(),
    configs,
  });
  const notes = [{ reason: 'Reverted', message: 'another tool put it back' }];
  const deferred = later('paused', (now + 3600) * 1000);
  const view = fakeView(viewOf(web, { deferred, notes, lastError: 'quota exceeded' }));
  statuses.attach(view);
  configs.sync();
  const stop = new AbortController();
  const running = statuses.controller.start({ stopping: stop.signal, abort: stop.signal });
  configs.set(configFacts(await client.get(ReloaderConfigs, key), DEFAULT_ANNOTATIONS));
  /** Advances the virtual clock by a second, then waits until the real API server has answered. */
  const aSecondLater = async (): Promise<void> => {
    await clock.advance(1000);
    while (statuses.controller.inspect().some(({ state }) => state === 'processing')) await delay(5);
  };
  await aSecondLater();
  expect(recording.writes).toHaveLength(1);
  // Two more passes: nothing changed, so nothing is written.
  for (const _ of [1, 2]) {
    view.show(viewOf(web, { deferred, notes, lastError: 'quota exceeded' }));
    await aSecondLater();
  }
  stop.abort();
  await running;
  expect(log.messages()).toEqual([]);
  expect(recording.writes).toHaveLength(1);
  const { status } = await client.get(ReloaderConfigs, key);
  expect(status).toMatchObject({
    observedGeneration: 1,
    reloadCount: 2,
    targetsFound: '1/2',
    watchedResourceHashes: { 'shop/Secret/credentials': 'one' },
    countedReloads: { 'uid-web': `2@${now + 1}` },
    targetStatus: [
      { name: 'web', reloadCount: 2, deferredReason: 'paused', lastError: 'quota exceeded' },
      { name: 'import', reloadCount: 0 },
    ],
  });
  expect(
    status?.conditions?.map(({ type, status: holds, reason }) => `${type}=${holds}/${reason}`).sort(),
  ).toEqual([
    'Available=True/Reconciled',
    'Degraded=True/TargetNotFound',
    'Progressing=True/Deferred',
    'Ready=False/TargetNotFound',
    'Reverted=True/Reverted',
    'Stalled=True/TargetNotFound',
  ]);
});
