import {
  type Client,
  createClient,
  type KindKey,
  kindKeys,
  kinds,
  loadConfig,
  sleep,
  systemClock,
  trackWrites,
} from '@reloader/runtime';
import { createCapturingLogger } from '@reloader/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { useControlPlane } from '../../../../../test/control-plane/vitest.ts';
import { loadDigestKey } from '../digest/key.ts';
import type { SourceRef } from '../model/source.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { defaultSettings } from '../want/world.test.support.ts';
import { grantStakaterRules } from './stakater-rbac.test.support.ts';
import { AUTO, configMap, Deployments, deployment, merge, secret } from './watch.test.support.ts';
import { createWatch, surveyServer, type Watch } from './watch.ts';

const cluster = useControlPlane({ workloads: true });
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const web: WorkloadRef = { kind: 'Deployment', namespace: 'default', name: 'web' };
const settings: SourceRef = { kind: 'ConfigMap', namespace: 'default', name: 'settings' };
const usesSettings = { annotations: AUTO, envFrom: [{ configMapRef: { name: 'settings' } }] };

async function clientFor(kubeconfig: string): Promise<Client> {
  const client = createClient({ config: await loadConfig({ kubeconfig }), fieldManager: 'Reloader' });
  endings.push(() => client.close());
  return client;
}

async function eventually(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = systemClock.monotonic() + 60_000;
  while (!(await check())) {
    if (systemClock.monotonic() > end) throw new Error(`Not within a minute: ${what}`);
    await sleep(systemClock, 50);
  }
}

/** Starts a watch that runs until the end of the test. */
async function start(client: Client): Promise<{ watch: Watch; seen: string[]; warnings: () => string[] }> {
  const capturing = createCapturingLogger();
  const options = { client, settings: defaultSettings(), clock: systemClock, logger: capturing.logger };
  const survey = await surveyServer(options);
  const watch = createWatch({ ...options, ...survey, digestKey: Buffer.alloc(32, 1) });
  const seen: string[] = [];
  const sink = {
    enqueue: (request: KindKey) => void seen.push(kindKeys.encode(request)),
    report: (error: unknown) => {
      throw error;
    },
  };
  for (const source of watch.sources) source.attach(sink);
  const ending = new AbortController();
  const signals = { stopping: ending.signal, abort: ending.signal };
  const running = Promise.all(watch.runnables.map((runnable) => runnable.start(signals)));
  endings.push(() => {
    ending.abort();
    return running;
  });
  await watch.whenSynced(AbortSignal.timeout(60_000));
  return { watch, seen, warnings: () => capturing.messages('warn') };
}

describe('On a real API server', () => {
  it('an administrator sees sources, workloads and changes', async () => {
    const admin = await clientFor(cluster().kubeconfig);
    await admin.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    await admin.create(kinds.Secret, secret('password', { test: 'test' }));
    await admin.create(Deployments, deployment('web', usesSettings));
    endings.push(async () => {
      await admin.delete(Deployments, web);
      await admin.delete(kinds.ConfigMap, settings);
      await admin.delete(kinds.Secret, { namespace: 'default', name: 'password' });
    });
    const { watch, seen, warnings } = await start(admin);
    const state = watch.world.source({ kind: 'Secret', namespace: 'default', name: 'password' });
    expect(state).toMatchObject({
      kind: 'present',
      facts: { sha1: 'b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db' },
    });
    expect(watch.listedKinds.size).toBe(0);
    expect(watch.world.knows('Rollout')).toBe(false);
    expect(warnings()).toEqual([]);
    await eventually(() => watch.world.workload(web)?.rollout.available === 1, 'the rollout to end');
    seen.splice(0);
    await admin.patch(kinds.ConfigMap, settings, merge({ data: { a: '2' } }));
    await eventually(() => seen.includes('Deployment/default/web'), 'a request for the workload');
  });

  it("the rules of Stakater's chart are enough to follow sources and workloads", async () => {
    const admin = await clientFor(cluster().kubeconfig);
    await grantStakaterRules(admin, 'stakater', 'default');
    const client = await clientFor(await cluster().kubeconfigFor({ user: 'stakater' }));
    // The API server reads roles from caches of its own, which may be a moment behind.
    const isGranted = async (): Promise<boolean> => {
      await client.list(Deployments, { namespace: 'default' });
      await client.create(kinds.ConfigMap, configMap('granted', {}), { dryRun: true });
      return true;
    };
    await eventually(() => isGranted().catch(() => false), 'the roles to be in force');
    await admin.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
    await admin.create(Deployments, deployment('web', usesSettings));
    const capturing = createCapturingLogger();
    const key = await loadDigestKey({
      client,
      namespace: 'default',
      clock: systemClock,
      logger: capturing.logger,
      mode: 'keyed',
    });
    expect(key.place).toBe('config-map');
    expect(capturing.messages('warn')).toEqual([expect.stringContaining('stands in a ConfigMap')]);

    const { watch, seen, warnings } = await start(client);
    expect([...watch.listedKinds].sort()).toEqual([
      'CronJob',
      'DaemonSet',
      'Deployment',
      'Job',
      'StatefulSet',
    ]);
    expect(warnings()).toEqual([]);
    expect(watch.access.may('patch', kinds.CronJob)).toBe(false);
    expect(watch.world.workload(web)?.annotations).toEqual(AUTO);
    expect(watch.world.source({ ...settings, name: 'missing' })).toEqual({ kind: 'gone' });

    await admin.create(Deployments, deployment('newcomer', usesSettings));
    seen.splice(0);
    await admin.patch(kinds.ConfigMap, settings, merge({ data: { a: '2' } }));
    await eventually(
      () => seen.includes('Deployment/default/newcomer'),
      'a request for a workload that is new',
    );
    expect(seen).toContain('Deployment/default/web');

    const writer = trackWrites(client, watch.tracker);
    const annotations = { 'reloader.stakater.com/ledger': '{}', 'reloader.stakater.com/rolled': '1' };
    const body = { metadata: { annotations }, spec: { template: { metadata: { annotations } } } };
    await writer.patch(Deployments, web, merge(body));
    expect(watch.world.workload(web)?.annotations).toMatchObject(annotations);
    seen.splice(0);
    await eventually(() => {
      const rollout = watch.world.workload(web)?.rollout;
      return (
        rollout?.observedGeneration === rollout?.generation &&
        rollout?.updated === 1 &&
        rollout.available === 1
      );
    }, 'our rollout to be followed to its end');
    await eventually(() => seen.includes('Deployment/default/web'), 'a request when it ended');
  });
});
