import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { newBundle } from './certificate-bundle.ts';
import { certificateDirectory } from './certificate-directory.ts';
import type { ServingPair } from './certificate-source.ts';

const policy = { names: ['web.team.svc'], authorityDays: 10, servingDays: 10 };
const [one, two] = [newBundle(policy, 0), newBundle(policy, 0)];

let directory: string;
let stop: AbortController;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'certs-'));
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await rm(directory, { recursive: true, force: true });
});

async function write(folder: string, { cert, key }: ServingPair): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tls.crt'), cert);
  await writeFile(join(folder, 'tls.key'), key);
}

function follow(clock = new VirtualClock()) {
  const log = createCapturingLogger();
  const source = certificateDirectory({ directory, clock, logger: log.logger });
  const seen: string[] = [];
  const watching = (): void => void source.watch(({ cert }) => void seen.push(cert), stop.signal);
  return { source, seen, watching, log, clock };
}

/** It has checked, found nothing new, and waits for the file system or the poll. */
const waits = (clock: VirtualClock) => eventually(() => expect(clock.pendingTimers).toBe(1));

function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 5 });
}

test('the pair that is there is the first', async () => {
  await write(directory, one);
  const { source } = follow();
  expect(await source.first(stop.signal)).toEqual({ cert: one.cert, key: one.key });
});

test('a pair that comes later is waited for, with one line in the log', async () => {
  const { source, log, clock } = follow();
  const first = source.first(stop.signal);
  await waits(clock);
  expect(log.messages('warn')).toEqual(['Cannot use the certificate; checking again later']);
  await write(directory, one);
  expect((await first).cert).toBe(one.cert);
});

test('an abort ends the wait', async () => {
  const { source, clock } = follow();
  const first = source.first(stop.signal);
  await waits(clock);
  stop.abort(new Error('stopped'));
  await expect(first).rejects.toThrow('stopped');
  expect(clock.pendingTimers).toBe(0);
});

test('a change of the files is noticed without the poll', async () => {
  await write(directory, one);
  const { source, seen, watching } = follow();
  await source.first(stop.signal);
  watching();
  await write(directory, two);
  await eventually(() => expect(seen).toEqual([two.cert]));
});

test('a mounted Secret that is swapped by its symlink is noticed', async () => {
  await write(join(directory, '..v1'), one);
  await symlink('..v1', join(directory, '..data'));
  await symlink('..data/tls.crt', join(directory, 'tls.crt'));
  await symlink('..data/tls.key', join(directory, 'tls.key'));
  const { source, seen, watching } = follow();
  await source.first(stop.signal);
  watching();
  await write(join(directory, '..v2'), two);
  await symlink('..v2', join(directory, '..new'));
  await rename(join(directory, '..new'), join(directory, '..data'));
  await eventually(() => expect(seen).toEqual([two.cert]));
});

test('what the file system does not tell is found by the poll every 10 s', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'certs-'));
  try {
    await write(elsewhere, one);
    await symlink(join(elsewhere, 'tls.crt'), join(directory, 'tls.crt'));
    await symlink(join(elsewhere, 'tls.key'), join(directory, 'tls.key'));
    const { source, seen, watching, clock } = follow();
    await source.first(stop.signal);
    watching();
    await waits(clock);
    await write(elsewhere, two);
    await clock.advance(9_999);
    expect(seen).toEqual([]);
    await clock.advance(1);
    await eventually(() => expect(seen).toEqual([two.cert]));
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
});

test('a pair that does not belong together is never handed out', async () => {
  await write(directory, one);
  const { source, seen, watching, log } = follow();
  await source.first(stop.signal);
  watching();
  await writeFile(join(directory, 'tls.crt'), two.cert);
  await eventually(() =>
    expect(String(log.entries.at(-1)?.values.error)).toContain('do not belong together'),
  );
  expect(seen).toEqual([]);
  await writeFile(join(directory, 'tls.key'), two.key);
  await eventually(() => expect(seen).toEqual([two.cert]));
});

test('touching the files without a change is not reported', async () => {
  await write(directory, one);
  const { source, seen, watching } = follow();
  await source.first(stop.signal);
  watching();
  await write(directory, one);
  await write(directory, two);
  await eventually(() => expect(seen).toEqual([two.cert]));
});
