import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createEventRecorder,
  createRegistry,
  kinds,
  Manager,
  ServiceUnavailableError,
} from '@reloader/runtime';
import { metricValue, recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { webapps } from './operator.ts';
import { installCrd, type Stage, World, walkThrough } from './walkthrough.test.support.ts';
import { WebApps } from './webapp.ts';

const MINUTE = 60_000;

async function start() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const connect = (): Client => createClient({ transport: cluster.transport(), clock });
  const client = connect();
  await installCrd(client);
  await clock.advance(1_000);

  const metrics = createRegistry();
  const recording = recordWrites(connect());
  /** Makes creations fail. */
  const broken: { create?: (kind: string) => void } = {};
  const writer: Client = {
    ...recording.client,
    create: async (type, object, options) => {
      broken.create?.(type.kind);
      return recording.client.create(type, object, options);
    },
  };
  const events = createEventRecorder({ client: connect(), component: 'webapp-operator', clock });
  const operator = webapps.build({ client: connect(), writer, events, clock, metrics });
  const manager = new Manager({ clock });
  manager.add(events, ...operator.runnables);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await clock.advance(1_000);

  const stage: Stage = {
    client,
    namespace: 'default',
    async eventually(check) {
      for (let left = 600; ; left--) {
        try {
          return await settle(clock, check());
        } catch (error) {
          if (left === 0) throw error;
        }
        await clock.advance(100);
      }
    },
    rest: () => clock.advance(25 * MINUTE),
    writes: async () => recording.takeWrites().length,
  };
  return {
    stage,
    clock,
    cluster,
    metrics,
    broken,
    recording,
    async end() {
      stop.abort();
      await settle(clock, running);
      await settle(clock, cluster.stop());
    },
  };
}

/** Advances the clock until a promise settles. */
async function settle<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false;
  const end = promise.finally(() => {
    done = true;
  });
  end.catch(() => {});
  for (let i = 0; !done && i < 1_000; i++) await clock.advance(10);
  return await end;
}

let running: Awaited<ReturnType<typeof start>>;
beforeEach(async () => {
  running = await start();
});
afterEach(() => running.end());

describe('The WebApp operator', () => {
  walkThrough(() => running.stage);

  test('resyncs a WebApp every ten minutes', async () => {
    const { stage, clock, metrics } = running;
    const world = new World(stage, 'again');
    await world.apply();
    await world.expectReady();
    await clock.advance(MINUTE);
    const runs = () => {
      const labels = { controller: 'webapp-operator', result: 'requeue_after' };
      return metricValue(metrics, 'controller_runtime_reconcile_total', labels) ?? 0;
    };
    const before = runs();
    await clock.advance(30 * MINUTE);
    expect(runs() - before).toBe(3);
  });

  test('requeues a configuration error after five minutes', async () => {
    const { stage, clock } = running;
    const world = new World(stage, 'patient');
    await world.apply({ secretName: 'late' });
    await stage.eventually(async () =>
      expect(await world.condition('Degraded')).toBe('True DeploymentFailed'),
    );
    await stage.client.create(kinds.Secret, { metadata: { namespace: 'default', name: 'late' } });
    await clock.advance(4 * MINUTE);
    expect(await world.condition('Ready')).toBe('False DeploymentFailed');
    await clock.advance(MINUTE);
    await world.expectReady();
  });

  test('retries with backoff when the API server fails, and reports which part failed', async () => {
    const { stage, broken } = running;
    broken.create = (kind) => {
      if (kind === 'Service') throw new ServiceUnavailableError({ code: 503, message: 'try later' });
    };
    const world = new World(stage, 'unlucky');
    await world.apply();
    await stage.eventually(async () => expect(await world.condition('Degraded')).toBe('True ServiceFailed'));
    expect(await world.children()).toBe('ConfigMap, Deployment');
    delete broken.create;
    await world.expectReady();
    expect(await world.events()).toEqual(['Warning ServiceFailed x1', 'Normal ReconcileSuccess x1']);
  });

  test('is Degraded, with one Warning, when the pods do not become ready in time, and recovers', async () => {
    const { stage, clock, cluster } = running;
    const heal = cluster.workloads?.script({ behaviour: { fault: 'never-ready' } });
    const world = new World(stage, 'stuck');
    await world.apply();
    await stage.eventually(async () => expect(await world.condition('Progressing')).toBe('True Reconciling'));
    await clock.advance(11 * MINUTE);
    expect(await world.condition('Degraded')).toBe('True DeploymentFailed');
    await clock.advance(30 * MINUTE);
    heal?.();
    await world.change((spec) => {
      spec.image = 'nginx:fixed';
    });
    await world.expectReady();
    expect(await world.events()).toEqual([
      'Normal Reconciling x2',
      'Warning DeploymentFailed x1',
      'Normal ReconcileSuccess x1',
    ]);
  });

  test('deletes in the reverse order', async () => {
    const { stage, recording } = running;
    const world = new World(stage, 'reverse');
    await world.apply();
    await world.expectReady();
    recording.takeWrites();
    await stage.client.delete(WebApps, world.key);
    await stage.eventually(async () => expect(await world.children()).toBe(''));
    const deleted = recording.takeWrites().filter(({ verb }) => verb === 'delete');
    expect(deleted.map(({ target }) => target.split(/[. ]/)[0])).toEqual([
      'ingresses',
      'services',
      'deployments',
      'configmaps',
    ]);
  });
});
