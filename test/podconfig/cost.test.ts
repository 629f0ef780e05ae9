/** A settled state causes no requests, and a change only the requests that it needs. */
import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { podConfigMapConfigCrd } from '../../packages/operator/src/crds/pod-config-map-config.ts';
import { GENERATED_BY, PodConfigMapConfigs } from '../../packages/operator/src/podconfig/model.ts';
import { RunningController } from './running-controller.ts';

const PODS = 5_000;
const CONFIGS = 5;
const BATCH = 100;
const NAMESPACE = 'default';
const AGENT = 'podconfig-under-test/1';

const clock = new VirtualClock();
let cluster: Awaited<ReturnType<typeof startMinicluster>>;
let client: Client;
let controller: RunningController;
/** Requests of the controller, without the watches that stay open. */
let requests: string[] = [];

const group = (index: number): string => `g${index % CONFIGS}`;

beforeAll(async () => {
  cluster = await startMinicluster({
    clock,
    seed: 1,
    workloads: false,
    middleware: [
      (next) => (request) => {
        if (request.headers['user-agent'] === AGENT) requests.push(`${request.method} ${request.path}`);
        return next(request);
      },
    ],
  });
  const connect = (): Client => createClient({ transport: cluster.transport(), clock, userAgent: AGENT });
  client = createClient({ transport: cluster.transport(), clock });
  const applying = applyCrds(client, { clock, definitions: [podConfigMapConfigCrd] });
  await clock.advance(5_000);
  await applying;
  for (let index = 0; index < CONFIGS; index++) {
    await client.create(PodConfigMapConfigs, {
      metadata: { namespace: NAMESPACE, name: `config-${index}` },
      spec: {
        podSelector: { matchLabels: { group: group(index) } },
        labelsToInclude: ['group'],
        configMapDataTemplate: { line: '{{ .metadata.name }} on {{ .spec.nodeName | default "no node" }}' },
      },
    });
  }
  controller = new RunningController({ connect, clock });
  for (let index = 0; index < PODS; index++) {
    cluster.api.create(
      { group: '', plural: 'pods' },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: NAMESPACE, name: `pod-${index}`, labels: { group: group(index) } },
        spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
      },
    );
    if (index % BATCH === 0) await clock.advance(100);
  }
  await clock.advance(5_000);
}, 120_000);

afterAll(async () => {
  const stopped = controller.stop();
  await clock.advance(5_000);
  await stopped;
});

async function made(): Promise<number> {
  const { items } = await client.list(kinds.ConfigMap, { namespace: NAMESPACE, labelSelector: GENERATED_BY });
  return items.length;
}

test('every pod has its ConfigMap, by one create each', async () => {
  expect(await made()).toBe(PODS);
  expect(requests.filter((each) => /^POST .*\/configmaps/.test(each))).toHaveLength(PODS);
  // The controller writes statuses at most once a second, and not once per pod.
  expect(requests.filter((each) => each.includes('/status')).length).toBeLessThan(CONFIGS * 10);
});

test('a pod event without a visible change makes no request', async () => {
  requests = [];
  for (let index = 0; index < 200; index++) {
    const body = { metadata: { annotations: { unseen: String(index) } } };
    await client.patch(kinds.Pod, { namespace: NAMESPACE, name: `pod-${index}` }, { type: 'merge', body });
  }
  await clock.advance(5_000);
  expect(requests.filter((each) => !each.includes('watch='))).toEqual([]);
});

test('a config event without a visible change makes no write but its status', async () => {
  requests = [];
  await client.patch(
    PodConfigMapConfigs,
    { namespace: NAMESPACE, name: 'config-0' },
    { type: 'merge', body: { spec: { annotationsToInclude: ['none'] } } },
  );
  await clock.advance(5_000);
  const sent = requests.filter((each) => !each.includes('watch='));
  expect(sent.length).toBeLessThanOrEqual(3);
  expect(sent.every((each) => each.includes('/podconfigmapconfigs/config-0/status'))).toBe(true);
});

test('a changed selector makes exactly the needed writes', async () => {
  requests = [];
  // From group 0 to groups 0 and 1: for the pods of group 0 nothing changes.
  await client.patch(
    PodConfigMapConfigs,
    { namespace: NAMESPACE, name: 'config-0' },
    {
      type: 'merge',
      body: {
        spec: {
          podSelector: {
            matchLabels: null,
            matchExpressions: [{ key: 'group', operator: 'In', values: ['g0', 'g1'] }],
          },
        },
      },
    },
  );
  await clock.advance(15_000);
  const ofConfigMaps = requests.filter((each) => each.includes('/configmaps') && !each.includes('watch='));
  expect(ofConfigMaps).toHaveLength(PODS / CONFIGS);
  expect(ofConfigMaps.every((each) => each.startsWith('POST '))).toBe(true);
  requests = [];
  await client.delete(PodConfigMapConfigs, { namespace: NAMESPACE, name: 'config-0' });
  await clock.advance(15_000);
  const deletions = requests.filter((each) => each.startsWith('DELETE '));
  expect(deletions).toHaveLength((2 * PODS) / CONFIGS);
  expect(requests.filter((each) => /^(POST|PATCH|PUT) .*\/configmaps/.test(each))).toEqual([]);
  expect(await made()).toBe(PODS - PODS / CONFIGS);
}, 60_000);
