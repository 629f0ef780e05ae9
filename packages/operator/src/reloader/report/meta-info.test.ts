import { startMinicluster } from '@reloader/minicluster';
import { createClient, kinds } from '@reloader/runtime';
import { createCapturingLogger, VirtualClock } from '@reloader/runtime/testing';
import { afterEach, expect, test } from 'vitest';
import { defaultSettings } from '../want/world.test.support.ts';
import { metaInfo, metaInfoWriter } from './meta-info.ts';

const BUILD = { releaseVersion: 'v2.0.0', commitHash: 'abc', commitTime: '2030-01-01T00:00:00Z' };
const SETTINGS = defaultSettings({
  operatorNamespace: 'default',
  operatorName: 'reloader-web',
  webhookUrl: 'https://hooks.example.test/services/T0/B0/password',
  ignoredSources: new Set(['Secret']),
});

let close: (() => Promise<void>) | undefined;
afterEach(async () => close?.());

async function write(token?: string) {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  cluster.addToken('nobody', { name: 'nobody', groups: [] });
  const admin = createClient({ transport: cluster.transport(), clock });
  const client = createClient({ transport: cluster.transport(token ? { token } : {}), clock });
  close = async () => {
    await Promise.all([admin.close(), client.close()]);
    await cluster.stop();
  };
  const log = createCapturingLogger();
  const options = {
    client,
    logger: log.logger,
    settings: SETTINGS,
    build: BUILD,
    process: { logLevel: 'info' },
  };
  const signals = { stopping: new AbortController().signal, abort: new AbortController().signal };
  await metaInfoWriter(options).start(signals);
  await metaInfoWriter(options).start(signals);
  return { admin, log };
}

test('the meta info has three keys in JSON and the label by which tools find it', async () => {
  const { admin, log } = await write();
  const { data = {}, metadata } = await admin.get(kinds.ConfigMap, {
    namespace: 'default',
    name: 'reloader-meta-info',
  });
  expect(metadata.labels).toEqual({ 'reloader.stakater.com/meta-info': 'reloader' });
  expect(Object.keys(data).sort()).toEqual(['buildInfo', 'deploymentInfo', 'reloaderOptions']);
  expect(JSON.parse(data.buildInfo ?? '')).toMatchObject({ releaseVersion: 'v2.0.0', edition: 'oss' });
  expect(JSON.parse(data.deploymentInfo ?? '')).toEqual({ name: 'reloader-web', namespace: 'default' });
  expect(JSON.parse(data.reloaderOptions ?? '')).toMatchObject({
    autoReloadAll: false,
    reloaderAutoAnnotation: 'reloader.stakater.com/auto',
    reloadStrategy: 'env-vars',
    syncAfterRestart: true,
    logLevel: 'info',
    resourcesToIgnore: ['secrets'],
  });
  expect(log.messages()).toEqual([]);
});

test('a webhook is named by its host only', () => {
  const { reloaderOptions } = metaInfo(SETTINGS, BUILD, {});
  expect(JSON.parse(reloaderOptions)).toMatchObject({ webhookUrl: 'https://hooks.example.test' });
  expect(reloaderOptions).not.toContain('password');
});

test('without the right to write it one line is logged and the operator goes on', async () => {
  const { log } = await write('nobody');
  expect(log.messages('warn')).toEqual(
    Array(2).fill('The meta info could not be written; nothing depends on it'),
  );
});
