import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, createRegistry, type Stored } from '@reloader/runtime';
import {
  createCapturingLogger,
  FakeInformer,
  metricValue,
  recordWrites,
  VirtualClock,
} from '@reloader/runtime/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AlertFailures } from '../../../alerts/failures.ts';
import { applyCrds } from '../../../crds/apply.ts';
import {
  type ReloaderConfigObject,
  type ReloaderConfigSpec,
  ReloaderConfigs,
} from '../../../crds/reloader-config.ts';
import { DEFAULT_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { SourceFacts } from '../../model/source-facts.ts';
import type { WorkloadFacts } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import { configFacts } from '../../project/config-projection.ts';
import { defaultSettings, fakeWorld, sourceFacts, workloadFacts } from '../../want/world.test.support.ts';
import {
  fakeView,
  reloadedWorkload,
  reloadReport,
  START,
  START_S,
  viewOf,
  wantOf,
} from '../report.test.support.ts';
import { ConfigStatuses } from './controller.ts';
import { ReloadTally } from './tally.ts';

const SPEC: ReloaderConfigSpec = {
  watchedResources: { secrets: ['credentials'] },
  targets: [{ kind: 'Deployment', name: 'web' }],
};

interface Stage {
  readonly clock: VirtualClock;
  readonly cluster: Minicluster;
  readonly client: Client;
  readonly statuses: ConfigStatuses;
  readonly tally: ReloadTally;
  readonly alertFailures: AlertFailures;
  readonly view: ReturnType<typeof fakeView>;
  readonly writes: readonly unknown[];
  readonly messages: () => string[];
  readonly passes: () => number;
  /** Replaces the world's workloads and sources. */
  show(parts: { sources?: readonly SourceFacts[]; workloads?: readonly WorkloadFacts[] }): void;
  create(name: string, spec?: ReloaderConfigSpec): Promise<void>;
  /** Updates the cache from the API server. */
  sync(name: string): Promise<void>;
  read(name?: string): Promise<Stored<ReloaderConfigObject>>;
}

let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

interface Situation {
  readonly forbidden?: boolean;
  /** The namespace is out of scope: ignored, or only not selected. */
  readonly leftOut?: 'ignored' | 'not selected';
}

async function setUp({ forbidden = false, leftOut }: Situation = {}): Promise<Stage> {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  const admin = createClient({ transport: cluster.transport(), clock });
  await applyCrds(admin, { clock });
  await admin.create(
    { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
    { metadata: { name: 'shop' } },
  );
  if (forbidden) cluster.addToken('nobody', { name: 'nobody', groups: [] });
  const own = createClient({ transport: cluster.transport(forbidden ? { token: 'nobody' } : {}), clock });
  const { client, writes } = recordWrites(own);
  const configs = new FakeInformer<ConfigFacts>(ReloaderConfigs);
  let shown: Parameters<Stage['show']>[0] = {};
  const world = new Proxy({} as World, {
    get: (_, method: keyof World) =>
      fakeWorld({
        sources: [],
        workloads: [],
        outOfScope: leftOut ? ['shop'] : [],
        ...shown,
        configs: [...configs.store.list()],
      })[method],
  });
  const log = createCapturingLogger();
  const metrics = createRegistry();
  const tally = new ReloadTally();
  const alertFailures = new AlertFailures(world);
  const view = fakeView();
  const statuses = new ConfigStatuses({
    client,
    clock,
    logger: log.logger,
    metrics,
    world,
    settings: { ...defaultSettings(), namespacesToIgnore: new Set(leftOut === 'ignored' ? ['shop'] : []) },
    tally,
    configs,
    alertFailures,
  });
  statuses.attach(view);
  configs.sync();
  const ending = new AbortController();
  const running = statuses.controller.start({ stopping: ending.signal, abort: ending.signal });
  stop = async () => {
    ending.abort();
    await running;
    await Promise.all([admin.close(), own.close()]);
    await cluster.stop();
  };
  const key = (name: string) => ({ namespace: 'shop', name });
  const stage: Stage = {
    clock,
    cluster,
    client: admin,
    statuses,
    tally,
    alertFailures,
    view,
    writes,
    messages: () => log.messages('warn'),
    passes: () =>
      ['success', 'requeue_after', 'error']
        .map((result) => ({ controller: 'reloaderconfig-status', result }))
        .reduce(
          (sum, labels) => sum + (metricValue(metrics, 'controller_runtime_reconcile_total', labels) ?? 0),
          0,
        ),
    show: (parts) => {
      shown = parts;
      for (const facts of parts.workloads ?? []) view.show(viewOf(facts));
    },
    async create(name, spec = SPEC) {
      await admin.create(ReloaderConfigs, { metadata: key(name), spec });
      await stage.sync(name);
    },
    async sync(name) {
      configs.set(configFacts(await admin.get(ReloaderConfigs, key(name)), DEFAULT_ANNOTATIONS));
      await clock.settle();
    },
    read: (name = 'rules') => admin.get(ReloaderConfigs, key(name)),
  };
  return stage;
}

const CREDENTIALS = sourceFacts({ kind: 'Secret', name: 'credentials', digest: 'one' });
const conditionsOf = ({ status }: ReloaderConfigObject): string[] =>
  (status?.conditions ?? []).map(({ type, status: holds, reason }) => `${type}=${holds}/${reason}`);

describe('the status of a ReloaderConfig', () => {
  test('tells what is missing, and heals when it appears', async () => {
    const stage = await setUp();
    await stage.create('rules');
    expect(conditionsOf(await stage.read())).toContain('Degraded=True/TargetNotFound');
    stage.show({ sources: [CREDENTIALS], workloads: [workloadFacts()] });
    stage.view.show(viewOf(workloadFacts()));
    await stage.clock.advance(2000);
    const healed = await stage.read();
    expect(conditionsOf(healed)).toContain('Degraded=False/Reconciled');
    expect(healed.status).toMatchObject({
      observedGeneration: 1,
      watchedResourceHashes: { 'shop/Secret/credentials': 'one' },
    });
  });

  test('hears of a source also while no target exists', async () => {
    const stage = await setUp();
    await stage.create('rules');
    expect((await stage.read()).status?.watchedResourceHashes).toEqual({});
    stage.show({ sources: [CREDENTIALS] });
    stage.statuses.sourceChanged('Secret', { namespace: 'shop', name: 'credentials' });
    await stage.clock.advance(2000);
    expect((await stage.read()).status?.watchedResourceHashes).toEqual({ 'shop/Secret/credentials': 'one' });
  });

  test('is written within half a second, at most three times a second, and never without a change', async () => {
    const stage = await setUp();
    stage.show({ sources: [CREDENTIALS], workloads: [workloadFacts()] });
    await stage.create('rules');
    expect(stage.writes).toHaveLength(1);
    for (let change = 1; change <= 20; change++) {
      stage.show({ sources: [{ ...CREDENTIALS, digest: `digest-${change}` }], workloads: [workloadFacts()] });
      stage.view.show(viewOf(workloadFacts()));
      await stage.clock.advance(100);
    }
    expect(stage.writes.length).toBeLessThanOrEqual(6);
    await stage.clock.advance(400);
    expect((await stage.read()).status?.watchedResourceHashes).toEqual({
      'shop/Secret/credentials': 'digest-20',
    });
    const written = stage.writes.length;
    for (let pass = 0; pass < 5; pass++) {
      stage.view.show(viewOf(workloadFacts()));
      await stage.clock.advance(2000);
    }
    await stage.sync('rules');
    await stage.clock.advance(600_000);
    expect(stage.writes).toHaveLength(written);
  });

  test('coming back from the API server causes no further pass', async () => {
    const stage = await setUp();
    await stage.create('rules');
    expect(stage.passes()).toBe(1);
    await stage.sync('rules');
    await stage.clock.advance(10_000);
    expect(stage.passes()).toBe(1);
  });

  test('counts every reload once, although the cache is behind', async () => {
    const stage = await setUp();
    stage.show({ sources: [CREDENTIALS], workloads: [workloadFacts()] });
    await stage.create('rules');
    for (let seq = 1; seq <= 30; seq++) {
      stage.tally.reloaded(reloadReport({ seq, configs: ['shop/rules'], now: stage.clock.now() }));
      stage.view.show(viewOf(workloadFacts()));
      await stage.clock.advance(200);
    }
    await stage.clock.advance(2000);
    expect((await stage.read()).status).toMatchObject({
      reloadCount: 30,
      targetStatus: [{ reloadCount: 30 }],
    });
    expect(stage.tally.made('shop/rules')).toEqual([]);
  });

  test('a crash between reload and count loses nothing: the ledger is counted by the next process', async () => {
    const stage = await setUp();
    stage.show({
      sources: [CREDENTIALS],
      workloads: [reloadedWorkload([{ at: START_S + 1 }, { at: START_S + 2 }])],
    });
    await stage.create('rules');
    expect((await stage.read()).status?.reloadCount).toBe(2);
  });

  test('survives a conflicting write of another client', async () => {
    const stage = await setUp();
    await stage.create('rules');
    const live = await stage.read();
    await stage.client.patch(
      ReloaderConfigs,
      { namespace: 'shop', name: 'rules' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
    );
    stage.show({ sources: [CREDENTIALS], workloads: [workloadFacts()] });
    stage.view.show(viewOf(workloadFacts()));
    await stage.clock.advance(2000);
    const after = await stage.read();
    expect(after.metadata.labels).toEqual({ a: 'b' });
    expect(conditionsOf(after)).toContain('Degraded=False/Reconciled');
    expect(conditionsOf(live)).toContain('Degraded=True/TargetNotFound');
  });

  test('tells both configs when a second one takes the same target, and again when it goes', async () => {
    const stage = await setUp();
    stage.show({ sources: [CREDENTIALS], workloads: [workloadFacts()] });
    await stage.create('rules');
    await stage.clock.advance(2000);
    await stage.create('second');
    await stage.clock.advance(2000);
    expect(conditionsOf(await stage.read('rules'))).toContain('Shared=True/Shared');
    expect(conditionsOf(await stage.read('second'))).toContain('Shared=True/Shared');
    const body = { spec: { targets: null } };
    await stage.client.patch(ReloaderConfigs, { namespace: 'shop', name: 'second' }, { type: 'merge', body });
    await stage.sync('second');
    await stage.clock.advance(2000);
    expect(conditionsOf(await stage.read('rules')).join()).not.toContain('Shared');
    expect((await stage.read('second')).status?.observedGeneration).toBe(2);
  });

  test('takes the end of a pause away by itself', async () => {
    const stage = await setUp();
    const facts = reloadedWorkload([{ at: START_S }]);
    stage.show({ sources: [CREDENTIALS], workloads: [facts] });
    const view = viewOf(facts);
    stage.view.show({ ...view, want: wantOf({ policy: { pauseMs: 60_000 } }) });
    await stage.create('rules');
    expect((await stage.read()).status?.targetStatus?.[0]?.pausedUntil).toBe('2030-01-01T00:01:00Z');
    await stage.clock.advance(START + 61_000 - stage.clock.now());
    expect((await stage.read()).status?.targetStatus?.[0]).not.toHaveProperty('pausedUntil');
  });

  test('in an ignored namespace, it says so unless another installation has written a status', async () => {
    const stage = await setUp({ leftOut: 'ignored' });
    await stage.create('rules');
    expect((await stage.read()).status).toBeUndefined();
    await stage.clock.advance(10_000);
    expect(conditionsOf(await stage.read())).toEqual([
      'Available=False/OutOfScope',
      'Ready=False/OutOfScope',
      'Progressing=False/OutOfScope',
      'Degraded=False/OutOfScope',
    ]);
    await stage.create('of-others');
    const spoken = { type: 'Ready', status: 'True', reason: 'Reconciled', message: '' };
    const body = { status: { conditions: [{ ...spoken, lastTransitionTime: '2030-01-01T00:00:00Z' }] } };
    const key = { namespace: 'shop', name: 'of-others' };
    await stage.client.patch(ReloaderConfigs, key, { type: 'merge', body }, { subresource: 'status' });
    await stage.sync('of-others');
    await stage.clock.advance(20_000);
    expect(conditionsOf(await stage.read('of-others'))).toEqual(['Ready=True/Reconciled']);
  });

  test('in a namespace that is only not selected, it is left to the installation that selects it', async () => {
    const stage = await setUp({ leftOut: 'not selected' });
    await stage.create('rules');
    await stage.clock.advance(20_000);
    expect((await stage.read()).status).toBeUndefined();
  });

  test('says once that it may not be written', async () => {
    const stage = await setUp({ forbidden: true });
    await stage.create('rules');
    await stage.clock.advance(2000);
    await stage.create('second');
    await stage.clock.advance(2000);
    expect(stage.messages()).toEqual([
      'The status of ReloaderConfigs may not be written; reloads do not depend on it',
    ]);
  });
});

describe('Alerts', () => {
  const key = { namespace: 'shop', name: 'rules' };
  const hooks = sourceFacts({ kind: 'Secret', name: 'hooks' });
  const alerts = { slack: { secretRef: { name: 'hooks' } } };

  test('a Secret that changes, a channel that fails and one that works again are seen at once', async () => {
    const stage = await setUp();
    const condition = async () => {
      await stage.clock.advance(2_000);
      const { status } = await stage.read('rules');
      return status?.conditions?.find(({ type }) => type === 'AlertFailed')?.message;
    };
    await stage.create('rules', { ...SPEC, alerts });
    expect(await condition()).toBeUndefined();
    stage.alertFailures.failed({ config: key, channel: 'slack' }, 'no URL can be read');
    stage.statuses.alertsChanged(key);
    expect(await condition()).toBe('slack: no URL can be read');
    stage.show({ sources: [hooks] });
    stage.statuses.sourceChanged('Secret', { namespace: 'shop', name: 'hooks' });
    expect(await condition()).toBeUndefined();
    stage.alertFailures.failed({ config: key, channel: 'slack' }, 'the receiver answered 404');
    stage.statuses.alertsChanged(key);
    expect(await condition()).toBe('slack: the receiver answered 404');
    stage.alertFailures.sent({ config: key, channel: 'slack' });
    stage.statuses.alertsChanged(key);
    expect(await condition()).toBeUndefined();
  });
});
