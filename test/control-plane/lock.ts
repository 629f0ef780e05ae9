/**
 * A lock between processes on one machine, held by the process whose id is in the lock file.
 *
 * Guarantees that a lock whose holder is gone is taken over. Two processes that take over the same abandoned
 * lock in the same instant can both come to hold it: use it to save work, never for correctness.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface LockOptions {
  /** Called once if another process holds the lock. */
  readonly onWait?: (holder: number) => void;
  readonly signal?: AbortSignal;
  readonly pollMilliseconds?: number;
}

export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(path, options);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string, { onWait, signal, pollMilliseconds = 500 }: LockOptions): Promise<void> {
  let announced = false;
  while (true) {
    signal?.throwIfAborted();
    if (await tryCreate(path)) return;
    const holder = await holderOf(path);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      await takeAway(path);
      continue;
    }
    if (!announced) onWait?.(holder);
    announced = true;
    await delay(pollMilliseconds, undefined, signal === undefined ? {} : { signal });
  }
}

/** Linking a complete file makes lock and holder visible together: nobody ever reads an empty one. */
async function tryCreate(path: string): Promise<boolean> {
  const written = `${path}.${randomUUID()}`;
  await writeFile(written, String(process.pid));
  try {
    await link(written, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

/** Undefined when the lock was released meanwhile. */
async function holderOf(path: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(path, 'utf8'), 10);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Renaming succeeds for one process only; removing could remove the next holder's file. */
async function takeAway(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
