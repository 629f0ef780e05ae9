import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
  path = join(directory, 'lock');
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const fast = { pollMilliseconds: 1 };

test('work under a lock never overlaps', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 10 }, () => withLock(path, fast, work)));
  expect(most).toBe(1);
});

test('a lock is released when the work fails', async () => {
  const failure = new Error('failed');
  await expect(withLock(path, fast, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(readdirSync(directory)).toEqual([]);
});

test('a lock whose holder is gone is taken over', async () => {
  const { pid } = spawnSync('true');
  writeFileSync(path, String(pid));
  expect(await withLock(path, fast, async () => 'done')).toBe('done');
  expect(readdirSync(directory)).toEqual([]);
});

test('a lock whose holder lives is waited for and its holder told, once', async () => {
  writeFileSync(path, String(process.ppid));
  const holders: number[] = [];
  const abort = new AbortController();
  const onWait = (holder: number) => {
    holders.push(holder);
    setTimeout(() => abort.abort(new Error('enough')), 20);
  };
  const waiting = withLock(path, { ...fast, onWait, signal: abort.signal }, async () => 'done');
  await expect(waiting).rejects.toThrow();
  expect(holders).toEqual([process.ppid]);
  expect(existsSync(path)).toBe(true);
});
