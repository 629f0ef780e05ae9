/** The command as it is published, with what people have: a kubeconfig in YAML. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startMinicluster } from '../../packages/minicluster/src/index.ts';
import { createClient, kinds, loadConfig, silentLogger } from '../../packages/runtime/src/index.ts';

const COMMAND = fileURLToPath(new URL('../../packages/operator/bin/reloader.mjs', import.meta.url));

test('the built command reads a kubeconfig in YAML and writes YAML', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloader-built-'));
  const cluster = await startMinicluster({ listen: { port: 0 } });
  const kubeconfig = join(folder, 'kubeconfig');
  await cluster.writeKubeconfig(kubeconfig);
  const client = createClient({ config: await loadConfig({ kubeconfig }), logger: silentLogger });
  onTestFinished(async () => {
    await client.close();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });
  const labels = { app: 'web' };
  await client.create(kinds.Deployment, {
    metadata: { namespace: 'default', name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'app', image: 'example.com/app:1' }] },
      },
    },
  });
  const words = ['explain', 'deployment/web', '-n', 'default', '-o', 'yaml', '--kubeconfig', kubeconfig];
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...words]);
  expect(parse(stdout)).toMatchObject({ workload: { kind: 'Deployment', name: 'web' } });
});
