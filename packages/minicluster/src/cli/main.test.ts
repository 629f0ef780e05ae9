import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { USAGE } from './arguments.ts';

const MAIN = new URL('main.ts', import.meta.url).pathname;

/** Runs the command; `onLine` gets each line of its output. */
function minicluster(args: string[], onOutput: (text: string, stop: () => void) => void = () => undefined) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [
      '--conditions=@reloader/source',
      '--import',
      'tsx',
      MAIN,
      ...args,
    ]);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      onOutput(stdout, () => child.kill('SIGINT'));
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

test('it runs until Ctrl-C, writes a kubeconfig and says how to use it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'minicluster-'));
  try {
    const file = join(folder, 'kubeconfig');
    let kubeconfig: Promise<string> | undefined;
    const { code, stdout, stderr } = await minicluster(['--write-kubeconfig', file], (text, stop) => {
      if (!text.includes('Ctrl-C') || kubeconfig) return;
      kubeconfig = readFile(file, 'utf8').finally(stop);
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const url = /listens on (https:\/\/127\.0\.0\.1:\d+)/.exec(stdout)?.[1];
    expect(await kubeconfig).toContain(`server: ${url}`);
    expect(stdout).toContain(`kubectl --kubeconfig ${file} get namespaces`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('over plain HTTP, where kubectl sends no token, it says how to ask with one', async () => {
  const { stdout } = await minicluster(['--http'], (text, stop) => {
    if (text.includes('Ctrl-C')) stop();
  });
  expect(stdout).toMatch(
    /curl -H 'Authorization: Bearer \w+' http:\/\/127\.0\.0\.1:\d+\/api\/v1\/namespaces\n/,
  );
  expect(stdout).not.toContain('kubectl --');
});

test('wrong usage ends with 2 and shows the right one', async () => {
  const { code, stdout, stderr } = await minicluster(['--nope']);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain("Unknown option '--nope'");
  expect(stderr).toContain(USAGE);
});

test('what cannot start ends with 1 and says why', async () => {
  const { code, stderr } = await minicluster(['--host', '203.0.113.1', '--http']);
  expect(code).toBe(1);
  expect(stderr).toContain('minicluster could not start: listen EADDRNOTAVAIL');
});
