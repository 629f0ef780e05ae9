/** Users run the output of `npm ci`; every other test runs the sources. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startMinicluster } from '@reloader/minicluster';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const PROGRAM = new URL('../../packages/operator/bin/reloader.mjs', import.meta.url).pathname;

test('the built command reads a kubeconfig, and writes YAML', { timeout: 60_000 }, async () => {
  const cluster = await startMinicluster({ listen: { port: 0 } });
  onTestFinished(() => cluster.stop());
  const folder = await mkdtemp(join(tmpdir(), 'built-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'kubeconfig');
  await cluster.writeKubeconfig(kubeconfig);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, 'version', '--kubeconfig', kubeconfig, '-o', 'yaml'],
    { env: { PATH: process.env.PATH, HOME: folder } },
  );
  expect(parse(stdout)).toMatchObject({ kubernetes: expect.stringMatching(/^v1\./) });
});
