import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controlPlaneBinary } from './build.ts';
import { CommandError, outputOf } from './command.ts';
import { poll } from './poll.ts';
import { ended, firstLine, isRunning, runScript } from './testing.ts';

interface Started {
  readonly pids: readonly number[];
  readonly directory: string;
}

let assets: string;
beforeAll(async () => {
  assets = mkdtempSync(join(tmpdir(), 'control-plane-assets-'));
  for (const name of [
    'etcd',
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'kubectl',
    'kwok',
  ] as const) {
    symlinkSync(await controlPlaneBinary(name), join(assets, name));
  }
}, 1_800_000);
afterAll(() => {
  rmSync(assets, { recursive: true, force: true });
});

const goes = (what: string, gone: () => boolean) => poll(gone, { what: `${what} to go`, timeout: 15_000 });

async function expectNothingLeft({ pids, directory }: Started): Promise<void> {
  for (const pid of pids) await goes(`process ${pid}`, () => !isRunning(pid));
  await goes(directory, () => !existsSync(directory));
}

describe('a control plane whose process is interrupted', () => {
  const source = `
    import { startControlPlane } from './start.ts';
    const names = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];
    const controlPlane = await startControlPlane({ workloads: true });
    const pids = names.map((name) => controlPlane.pid(name));
    console.log(JSON.stringify({ pids, directory: controlPlane.directory }));
    setInterval(() => {}, 1000);
  `;

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'leaves no process and no file behind after %s',
    async (signal) => {
      const parent = runScript(source);
      const started = JSON.parse(await firstLine(parent)) as Started;
      expect(started.pids.filter(isRunning)).toHaveLength(5);
      parent.kill(signal);
      await ended(parent);
      await expectNothingLeft(started);
    },
  );

  test('leaves nothing behind when it is killed while it starts', async () => {
    const parent = runScript(
      `
      import { watch } from 'node:fs';
      import { tmpdir } from 'node:os';
      import { startControlPlane } from './start.ts';
      watch(tmpdir(), (_, name) => {
        if (name?.startsWith('reloader-control-plane-')) console.log(name);
      });
      startControlPlane();
    `,
      { ...process.env, TMPDIR: assets },
    );
    const directory = join(assets, await firstLine(parent));
    const log = join(directory, 'kube-apiserver.log');
    await poll(() => existsSync(log) && readFileSync(log).length > 0, {
      what: 'a start',
      timeout: 30_000,
      every: 5,
    });
    parent.kill('SIGKILL');
    await ended(parent);
    await goes(directory, () => !existsSync(directory));
    const mentioned = async () => (await outputOf('ps', ['-A', '-o', 'args='])).includes(directory);
    await poll(async () => !(await mentioned()), {
      what: `processes of ${directory} to go`,
      timeout: 15_000,
    });
  });
});

describe('the commands', () => {
  let cache: string;
  let children: ChildProcess[];
  beforeAll(() => {
    cache = mkdtempSync(join(tmpdir(), 'control-plane-cache-'));
    children = [];
  });
  afterAll(async () => {
    await run('stop').catch(() => {});
    for (const child of children) child.kill('SIGKILL');
    rmSync(cache, { recursive: true, force: true });
  });

  const cli = fileURLToPath(new URL('./cli.ts', import.meta.url));
  const env = (changes: NodeJS.ProcessEnv = {}) => ({
    ...process.env,
    RELOADER_CONTROL_PLANE_CACHE: cache,
    KUBEBUILDER_ASSETS: assets,
    ...changes,
  });
  const run = (...args: string[]) =>
    outputOf(process.execPath, ['--import', 'tsx', cli, ...args], { env: env() });

  test('start a control plane that lives on, tell its kubeconfig, and stop it without a trace', async () => {
    const started = await run('start', '--api-only');
    const kubeconfig = /export KUBECONFIG=(\S+)/.exec(started)?.[1] ?? '';
    const directory = join(kubeconfig, '..');
    const kubectl = (...args: string[]) =>
      outputOf(join(assets, 'kubectl'), [
        `--kubeconfig=${kubeconfig}`,
        `--cache-dir=${directory}/cache`,
        ...args,
      ]);
    expect(await kubectl('get', '--raw', '/readyz')).toBe('ok');
    expect(await run('status')).toContain(kubeconfig);
    expect(await run('start')).toContain('already running');
    expect(await run('stop')).toBe('stopped\n');
    expect(existsSync(directory)).toBe(false);
    await expect(run('status')).rejects.toThrow(CommandError);
    expect(await run('stop')).toBe('not running\n');
  });

  test('stay in the foreground until they are interrupted', async () => {
    const args = ['--import', 'tsx', cli, 'start', '--foreground', '--api-only'];
    const child = spawn(process.execPath, args, { env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    expect(await firstLine(child)).toContain('control plane at https://127.0.0.1:');
    expect(await run('status')).toContain('control plane at');
    child.kill('SIGINT');
    await ended(child);
    expect(child.exitCode).toBe(0);
    await expect(run('status')).rejects.toThrow(CommandError);
  });

  test('fail with one clear line where there is neither Go nor anything ready', async () => {
    const bare = env({ PATH: '/nowhere', KUBEBUILDER_ASSETS: '' });
    for (const command of ['build', 'start']) {
      const failed = outputOf(process.execPath, ['--import', 'tsx', cli, command], { env: bare });
      const error = await failed.then(String, (e: unknown) => e);
      expect(error).toBeInstanceOf(CommandError);
      expect((error as CommandError).stderr).toMatch(/^the real control plane needs Go >= 1\.26 or .+\n$/);
    }
  });
});
