import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../packages/operator/bin/reloader.mjs', import.meta.url));

/** Nobody listens there: whoever tries to connect has read the file. */
const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{ name: here, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: me, user: { token: t } }]
contexts: [{ name: it, context: { cluster: here, user: me } }]
current-context: it
`;

test('the built command reads a kubeconfig in YAML', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloader-built-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'config');
  await writeFile(file, KUBECONFIG);
  const args = [COMMAND, 'status', '--kubeconfig', file];
  const failure = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining('127.0.0.1:1') });
});
