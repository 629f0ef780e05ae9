/** SIGTERM under load: running work finishes, nothing is lost, and the Lease is released last. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createController } from '../controller/controller.ts';
import { type CachedWidget, Widget, widget } from '../controller/harness.test.support.ts';
import { forKind } from '../controller/sources.ts';
import { keyString } from '../model/types.ts';
import { FakeInformer } from '../testing/fake-informer.ts';
import { forEachSeed, type Random } from '../testing/random.ts';
import { cacheOf, cacheRunnable } from './caches.ts';
import { FakeElector } from './harness.test.support.ts';
import { Manager } from './manager.ts';
import { onTermination } from './process-signals.ts';

// Starting real processes takes as long as the machine needs.
vi.setConfig({ testTimeout: 60_000 });

/** State that outlives a process: objects, and what was done for each. */
interface World {
  readonly clock: VirtualClock;
  readonly objects: readonly CachedWidget[];
  readonly applied: Map<string, string>;
}

/** One process of the program, from its start to its end by SIGTERM. */
async function live(world: World, random: Random, signalAfterMs: number) {
  const { clock, objects, applied } = world;
  const journal: string[] = [];
  const process = Object.assign(new EventEmitter(), { exit: () => undefined });
  const termination = onTermination({ process });
  const elector = new FakeElector(journal);
  const widgets = new FakeInformer<CachedWidget>(Widget);
  const running = new Set<string>();
  let cancelled = 0;
  const manager = new Manager({ clock, elector });
  manager.add(
    cacheRunnable(cacheOf([widgets]), { clock }),
    createController({
      name: 'widget',
      sources: [forKind(widgets)],
      concurrency: 10,
      clock,
      reconcile: async (request, { signal }) => {
        const key = keyString(request);
        journal.push(termination.signal.aborted ? 'run began late' : 'run began');
        running.add(key);
        signal.addEventListener('abort', () => cancelled++);
        await sleep(clock, random.int(5000), signal);
        applied.set(key, widgets.store.get(request)?.metadata.resourceVersion ?? '');
        running.delete(key);
        journal.push('run ended');
      },
    }),
  );
  const ended = manager.run(termination.signal);
  for (const object of objects) widgets.set(object);
  widgets.sync();
  await clock.settle();
  elector.win();
  await clock.advance(signalAfterMs);
  const inHand = running.size;
  process.emit('SIGTERM');
  const stoppedAt = clock.monotonic();
  await clock.runUntil(() => running.size === 0);
  await ended;
  termination.dispose();
  return { journal, inHand, cancelled, stopMs: clock.monotonic() - stoppedAt };
}

describe('SIGTERM under load', () => {
  test('lets reconciles in hand finish, begins none, and gives the lease back last (30 seeds)', async () => {
    await forEachSeed({ count: 30 }, async (random) => {
      const objects = Array.from({ length: 300 }, (_, index) =>
        widget(`ns-${index % 7}/${index}`, `${index}`),
      );
      const world: World = { clock: new VirtualClock(), objects, applied: new Map() };
      const life = await live(world, random, random.int(20_000));
      expect(life.inHand).toBe(10);
      expect(life.cancelled).toBe(0);
      expect(life.journal).not.toContain('run began late');
      expect(life.journal.slice(-3)).toEqual(['run ended', 'election ended', 'lease released']);
      expect(life.stopMs).toBeLessThan(5000);
      expect(world.clock.pendingTimers).toBe(0);
    });
  });

  test('loses nothing: the next process finds and finishes the rest (10 seeds)', async () => {
    await forEachSeed({ count: 10 }, async (random) => {
      const objects = Array.from({ length: 60 }, (_, index) =>
        widget(`ns-${index % 7}/${index}`, `${index}`),
      );
      const world: World = { clock: new VirtualClock(), objects, applied: new Map() };
      const first = await live(world, random, random.int(10_000));
      expect(first.journal.filter((line) => line === 'run ended').length).toBe(world.applied.size);
      expect(world.applied.size).toBeLessThan(60);
      await live(world, random, 120_000);
      for (const { metadata } of objects) {
        expect(world.applied.get(keyString(metadata))).toBe(metadata.resourceVersion);
      }
    });
  });
});

describe('a real process', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(): Promise<{ child: ChildProcess; said: string[]; exit: Promise<unknown[]> }> {
    const script = fileURLToPath(new URL('./terminated-child.test.support.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const said: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(...text.trim().split('\n')));
    const exit = once(child, 'exit');
    while (!said.includes('in hand')) await once(child.stdout as EventEmitter, 'data');
    return { child, said, exit };
  }

  test('finishes what is in hand after SIGTERM and exits with 0', async () => {
    const { child, said, exit } = await start();
    child.kill('SIGTERM');
    while (!said.includes('stopping')) await once(child.stdout as EventEmitter, 'data');
    child.stdin?.write('finish\n');
    expect(await exit).toEqual([0, null]);
    expect(said.slice(-2)).toEqual(['finished', 'stopped']);
  });

  test('exits at once with 1 after a second signal', async () => {
    const { child, said, exit } = await start();
    child.kill('SIGTERM');
    while (!said.includes('stopping')) await once(child.stdout as EventEmitter, 'data');
    child.kill('SIGINT');
    expect(await exit).toEqual([1, null]);
    expect(said).not.toContain('finished');
  });

  test('exits with 1 when a promise is rejected and nobody handles it', async () => {
    const { child, exit, said } = await start();
    child.stdin?.write('reject\n');
    expect(await exit).toEqual([1, null]);
    expect(said.at(-1)).toContain('Unhandled promise rejection');
  });
});
