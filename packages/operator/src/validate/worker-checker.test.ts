import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CERTIFICATE, NOW, ruleWith } from './check.test.support.ts';
import { contentOf } from './content.ts';
import { WorkerChecker, type WorkerCheckerOptions } from './worker-checker.ts';

let directory: string;
let file: URL;

/**
 * Bundles the worker from the sources: Node cannot load them directly. Placed next to the libraries that it requires.
 */
beforeAll(async () => {
  const modules = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));
  directory = await mkdtemp(join(modules, '.validate-worker-'));
  const outfile = join(directory, 'worker.mjs');
  const entry = fileURLToPath(new URL('worker.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  file = pathToFileURL(outfile);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function setUp(options: Partial<WorkerCheckerOptions> = {}) {
  const checker = new WorkerChecker({ clock: systemClock, file, ...options });
  onTestFinished(() => checker.close());
  const check = async (text: string, rule: Parameters<typeof ruleWith>[0]): Promise<string[]> => {
    const rules = [ruleWith({ key: 'a', ...rule })];
    const content = contentOf(rules, { a: text }, {});
    const { findings } = await checker.check({ tenant: 'shop', content, rules, now: NOW });
    return findings.map(({ what }) => what);
  };
  return { checker, check };
}

test('a content that has to be parsed is answered by a thread, which ends when it is no longer used', async () => {
  const clock = new VirtualClock();
  const { checker, check } = setUp({ clock, idleMs: 1_000 });
  expect(checker.isRunning).toBe(false);
  expect(await check('a: 1', { format: 'yaml', rule: 'self.a == 1' })).toEqual([]);
  expect(await check('a: 2', { format: 'yaml', rule: 'self.a == 1' })).toEqual(['breaks the rule']);
  expect(checker.isRunning).toBe(true);
  await clock.advance(1_000);
  expect(checker.isRunning).toBe(false);
});

test('keys and certificates need no thread', async () => {
  const { checker, check } = setUp();
  expect(await check('1', { requiredKeys: ['b'] })).toEqual(['is missing']);
  expect(await check(CERTIFICATE, { format: 'pem' })).toEqual([]);
  expect(checker.isRunning).toBe(false);
});

test('a content that takes too long gets a finding, and the next one is answered', async () => {
  const clock = new VirtualClock();
  const { check } = setUp({ clock });
  expect(await check('{}', { format: 'json' })).toEqual([]);
  const killed = check(`a: [${'1,'.repeat(400_000)}`, { format: 'yaml' });
  await clock.advance(2_000);
  expect(await killed).toEqual(['cannot be checked: it takes longer than 2 s']);
  expect(await check('{}', { format: 'json' })).toEqual([]);
});
