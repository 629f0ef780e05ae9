import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const MAIN = new URL('main.ts', import.meta.url).pathname;

test('in a pipe it tells in lines what reloads, and Ctrl-C ends it in order', {
  timeout: 60_000,
}, async () => {
  const child = spawn(process.execPath, ['--conditions=@reloader/source', '--import', 'tsx', MAIN], {
    env: { PATH: process.env.PATH, HOME: tmpdir() },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let errors = '';
  let told = false;
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (told || !text.includes("Updated 'ledger-db'") || !text.includes("Updated 'gateway'")) return;
      told = true;
      child.kill('SIGINT');
    });
    child.on('close', resolve);
  });
  expect(code).toBe(0);
  expect(errors).toBe('');
  expect(text).toContain('export KUBECONFIG=');
  expect(text).toContain('1. Change Secret db-password');
  expect(text).toMatch(/Ended\n$/);
  // Output into a pipe has no escape sequences.
  expect(text).not.toContain('\u001b');
});

const PATIENT = { timeout: 60_000 };
const ARGUMENTS = ['--conditions=@reloader/source', '--import', 'tsx', MAIN];

test('piped into head it ends, and leaves nothing behind', PATIENT, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-head-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const command = `"${process.execPath}" ${ARGUMENTS.map((word) => `'${word}'`).join(' ')} | head -n 1; echo $?`;
  const child = spawn('sh', ['-c', command], {
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  expect(text).toMatch(/^Watch it in the browser: http:\/\/127\.0\.0\.1:\d+\/ui\/\n0\n$/);
  expect(errors).toBe('');
  expect((await readdir(folder)).filter((name) => name.startsWith('reloader-demo-'))).toEqual([]);
});

test('a port that is in use is reported with its flag', PATIENT, async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const child = spawn(process.execPath, [...ARGUMENTS, '--port', String(port)], {
    env: { PATH: process.env.PATH, HOME: tmpdir() },
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(2);
  expect(errors).toContain(`--port ${port}: another program listens there`);
});
