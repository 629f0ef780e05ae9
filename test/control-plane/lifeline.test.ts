import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outputOf } from './command.ts';
import { removeDirectoryAtEnd, spawnGuarded } from './lifeline.ts';
import { poll } from './poll.ts';
import { ended, firstLine, isRunning, runScript } from './testing.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lifeline-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
const gone = (pid: number) => poll(() => !isRunning(pid), { what: `process ${pid} to end`, timeout: 10_000 });

/** Guards a program that itself has a child, prints both process ids and waits. */
const guardingScript = `
  import { spawnGuarded, removeDirectoryAtEnd } from './lifeline.ts';
  removeDirectoryAtEnd(process.env.DIRECTORY);
  const child = spawnGuarded('/bin/sh', ['-c', 'sleep 600 & echo $!; wait'], { output: 'pipe' });
  child.stdout.once('data', (chunk) => console.log(child.pid + ' ' + String(chunk).trim()));
  setInterval(() => {}, 1000);
`;

describe('a guarded program', () => {
  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'ends, with its own children and its directory, when its parent ends by %s',
    async (signal) => {
      const parent = runScript(guardingScript, { ...process.env, DIRECTORY: directory });
      const pids = (await firstLine(parent)).split(' ').map(Number);
      expect(pids).toHaveLength(2);
      expect(pids.filter(isRunning)).toEqual(pids);
      expect(exists(directory)).toBe(true);
      parent.kill(signal);
      await ended(parent);
      for (const pid of pids) await gone(pid);
      await poll(() => !exists(directory), { what: 'the directory to go', timeout: 10_000 });
    },
  );

  test('is the child itself: its exit status is reported', async () => {
    const child = spawnGuarded('/bin/sh', ['-c', 'exit 7'], { output: 'ignore' });
    const status = await new Promise((resolve) => child.once('exit', resolve));
    expect(status).toBe(7);
  });

  test('leaves no guard behind when it ends by itself', async () => {
    const child = spawnGuarded(
      '/bin/sh',
      ['-c', "ps -o pid=,ppid= -A | awk -v p=$$ '$2 == p { print $1 }'"],
      {
        output: 'pipe',
      },
    );
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    await new Promise((resolve) => child.once('close', resolve));
    const pids = output.trim().split(/\s+/).map(Number);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) await gone(pid);
  });

  test('does not keep its parent from ending', async () => {
    const parent = runScript(`
      import { spawnGuarded, unrefGuarded } from './lifeline.ts';
      const child = spawnGuarded('sleep', ['600'], { output: 'ignore' });
      unrefGuarded(child);
      console.log(child.pid);
    `);
    const pid = Number(await firstLine(parent));
    await ended(parent);
    await gone(pid);
  });
});

test('a directory is kept when its guard is released', async () => {
  const guards = async () => (await outputOf('ps', ['-A', '-o', 'args='])).includes(directory);
  const release = removeDirectoryAtEnd(directory);
  expect(await guards()).toBe(true);
  await release();
  expect(await guards()).toBe(false);
  expect(exists(directory)).toBe(true);
});
