import { type Client, createClient, loadConfig } from '@reloader/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { applyCrds } from './apply.ts';
import { answerTo, SCHEMA_CASES } from './cases/reloader-configs.ts';
import { type ReloaderConfigObject, ReloaderConfigs } from './reloader-config.ts';

const cluster = useControlPlane();
let client: Client;
beforeAll(async () => {
  client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  await applyCrds(client);
});
afterAll(() => client.close());

test.each(SCHEMA_CASES)('the real API server decides the same: $name', async (row) => {
  const answer = await answerTo(client, row);
  if (row.refused === undefined) expect(answer).toBeUndefined();
  else expect(answer).toContain(row.refused);
});

test('kubectl applies the generated definition and the sample, and shows the columns by its short name', async () => {
  const root = new URL('../../../../', import.meta.url).pathname;
  await cluster().kubectl([
    'apply',
    '--server-side',
    '--force-conflicts',
    '-f',
    `${root}crd/reloaderconfig_crd.yaml`,
  ]);
  await cluster().kubectl(['apply', '-f', `${root}config/samples/reloader_v1alpha1_reloaderconfig.yaml`]);
  const key = { namespace: 'default', name: 'reloaderconfig-sample' };
  const status: ReloaderConfigObject['status'] = {
    observedGeneration: 1,
    strategy: 'env-vars',
    reloadCount: 3,
    targetsFound: '0/1',
    pending: '1 (paused)',
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Reconciled',
        message: 'Watching',
        lastTransitionTime: '2030-01-01T00:00:00Z',
        observedGeneration: 1,
      },
    ],
    watchedResourceHashes: { 'default/Secret/web-credentials': 'abc' },
    countedReloads: { 'some-uid': '3@1893456000' },
    targetStatus: [
      { kind: 'Deployment', name: 'web', namespace: 'default', reloadCount: 3, deferredReason: 'paused' },
    ],
  };
  const { status: stored } = await client.patch(
    ReloaderConfigs,
    key,
    { type: 'merge', body: { status } },
    { subresource: 'status', fieldValidation: 'Strict' },
  );
  expect(stored).toEqual(status);
  const [header = '', row = ''] = (await cluster().kubectl(['get', 'rlc', '-n', 'default'])).split('\n');
  expect(header.split(/\s{2,}/)).toEqual([
    'NAME',
    'STRATEGY',
    'TARGETS',
    'RELOADS',
    'LAST RELOAD',
    'PENDING',
    'READY',
    'AGE',
  ]);
  expect(row).toMatch(/^reloaderconfig-sample\s+env-vars\s+0\/1\s+3\s+1 \(paused\)\s+True/);
});
