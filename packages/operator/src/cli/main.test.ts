import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMinicluster } from '@reloader/minicluster';
import { expect, onTestFinished, test } from 'vitest';
import { helpText } from '../settings/help.ts';

/** Each test starts a process that compiles its sources first. */
const PATIENT = { timeout: 60_000 };
const MAIN = new URL('main.ts', import.meta.url).pathname;

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program in a process of its own without a cluster; `onLog` gets its log while it runs. */
function reloader(
  args: readonly string[],
  onLog: (log: string, terminate: () => void) => void = () => undefined,
  output: 'pipe' | number = 'pipe',
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--conditions=@reloader/source', '--import', 'tsx', MAIN, ...args],
      {
        env: { PATH: process.env.PATH, HOME: tmpdir(), KUBECONFIG: '/nowhere/config' },
        stdio: ['pipe', output, 'pipe'],
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
      onLog(stderr, () => child.kill('SIGTERM'));
    });
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

test('run --help needs no cluster', PATIENT, async () => {
  expect(await reloader(['run', '--help'])).toEqual({ code: 0, stdout: helpText(), stderr: '' });
});

test('a wrong flag ends with 2', PATIENT, async () => {
  const { code, stderr } = await reloader(['--reload-strategy=none']);
  expect(code).toBe(2);
  expect(stderr).toContain('--reload-strategy=none: must be env-vars or annotations');
});

test.skipIf(!existsSync('/dev/full'))('a full disk ends with 1 and one line', PATIENT, async () => {
  const full = await open('/dev/full', 'w');
  onTestFinished(() => full.close());
  const { code, stderr } = await reloader(['crds'], undefined, full.fd);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^reloader: Cannot write the output: ENOSPC.*\n$/);
});

test('no cluster ends with 1 and says where it was looked for', PATIENT, async () => {
  const { code, stderr } = await reloader(['--log-format=json']);
  expect(code).toBe(1);
  const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { msg: string };
  expect(last.msg).toBe('The operator failed');
  expect(stderr).toContain('/nowhere/config');
});

test('with the flags of Stakater Reloader it works until SIGTERM, and ends with 0', PATIENT, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reloader-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const cluster = await startMinicluster({ listen: {}, workloads: false });
  onTestFinished(() => cluster.stop());
  const kubeconfig = join(folder, 'kubeconfig');
  await cluster.writeKubeconfig(kubeconfig);
  const flags = [
    '--auto-reload-all',
    '--reload-on-create',
    'true',
    '--sync-after-restart=true',
    '--log-format=json',
  ];
  let live: Promise<string> | undefined;
  const { code, stderr } = await reloader(
    [...flags, '--kubeconfig', kubeconfig, '--http-bind-address=127.0.0.1:0'],
    (log, terminate) => {
      const port = /"msg":"Listening".*?"port":(\d+)/.exec(log)?.[1];
      if (port === undefined || live || !log.includes('"Controller started"')) return;
      live = fetch(`http://127.0.0.1:${port}/live`)
        .then((response) => response.text())
        .finally(terminate);
    },
  );
  expect({ code, live: await live }).toEqual({ code: 0, live: 'alive' });
  expect(stderr.match(/--sync-after-restart is always on/g)).toHaveLength(1);
});
