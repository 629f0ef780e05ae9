import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
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
  expect(text).toContain('Changing Secret payments/db-password');
  expect(text).toMatch(/Ended\n$/);
  // No cursor is moved where no cursor is.
  expect(text).not.toContain('\u001b');
});
