import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { helpText } from '../settings/help.ts';

const MAIN = new URL('main.ts', import.meta.url).pathname;

/** Runs the program in a process of its own that knows no cluster. */
function reloader(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--conditions=@reloader/source', '--import', 'tsx', MAIN, ...args],
      { env: { PATH: process.env.PATH, HOME: tmpdir(), KUBECONFIG: '/nowhere/config' } },
    );
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

test('--help needs no cluster', async () => {
  expect(await reloader('--help')).toEqual({ code: 0, stdout: helpText(), stderr: '' });
});

test('a wrong flag ends with 2', async () => {
  const { code, stderr } = await reloader('--reload-strategy=none');
  expect(code).toBe(2);
  expect(stderr).toContain('--reload-strategy=none: must be env-vars or annotations');
});

test('no cluster ends with 1 and says where it was looked for', async () => {
  const { code, stderr } = await reloader('--log-format=json');
  expect(code).toBe(1);
  const last = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { msg: string };
  expect(last.msg).toBe('The operator failed');
  expect(stderr).toContain('/nowhere/config');
});
