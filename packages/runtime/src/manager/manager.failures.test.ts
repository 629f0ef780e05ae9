import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { LeaseLostError } from '../lifecycle/election-contract.ts';
import { createWorld, FakeElector } from './harness.test.support.ts';
import { Manager } from './manager.ts';

function ledWorld() {
  const electionJournal: string[] = [];
  const elector = new FakeElector(electionJournal);
  const world = createWorld({ elector });
  // One journal for all, in order.
  electionJournal.push = (...items: string[]) => world.journal.push(...items);
  return { ...world, elector };
}

describe('failures', () => {
  test('of a runnable stop everything in order, and are what run rejects with', async () => {
    const { clock, journal, manager, runnable, stop, log } = createWorld();
    const bad = runnable('bad');
    manager.add(runnable('http', { stage: 'http' }), bad, runnable('good', { stopsAfterMs: 100 }));
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    const error = new Error('no such port');
    bad.fail(error);
    await clock.advance(100);
    await expect(ended).rejects.toBe(error);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(journal).toContain('good ended');
    expect(journal).toContain('http ended');
    const line = log.entries.find(({ level }) => level === 'error');
    expect(line?.values).toMatchObject({ runnable: 'bad', error });
  });

  test('to get ready count too', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    const ready = () => Promise.reject(new Error('not in sync within 120 s: configmaps is forbidden'));
    manager.add(runnable('cache', { stage: 'caches', ready }), runnable('work'));
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    await expect(ended).rejects.toThrow('configmaps is forbidden');
    expect(journal).not.toContain('work started');
  });

  test('thrown synchronously count too, and so does what is no Error', async () => {
    const { clock, manager, runnable, stop } = createWorld();
    const start = (): never => {
      throw 'a text';
    };
    manager.add(runnable('bad', { start }));
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    await expect(ended).rejects.toThrow('"bad" failed: a text');
  });

  test('of a warm-up count too', async () => {
    const { clock, manager, runnable, stop } = ledWorld();
    const warmup = () => Promise.reject(new Error('cannot list'));
    manager.add(runnable('led', { needsLeaderElection: true, warmup }));
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    await expect(ended).rejects.toThrow('cannot list');
  });

  test('the first one counts', async () => {
    const { clock, manager, runnable, stop } = createWorld();
    const [one, two] = [runnable('one'), runnable('two')];
    manager.add(one, two);
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    one.fail(new Error('first'));
    two.fail(new Error('second'));
    await clock.settle();
    await expect(ended).rejects.toThrow('first');
  });

  test('an early return of a runnable is none', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    manager.add(runnable('once', { start: async () => void journal.push('once done') }), runnable('work'));
    const ended = manager.run(stop.signal);
    await clock.advance(1000);
    expect(journal).toEqual(['once done', 'work started']);
    stop.abort();
    await ended;
  });
});

describe('a lost lease', () => {
  test('cancels everything at once, waits for nobody, and fails', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    manager.add(
      runnable('led', { needsLeaderElection: true, stopsAfterMs: Infinity }),
      runnable('deaf', { needsLeaderElection: true, stopsAfterMs: Infinity, obeysAbort: false }),
      runnable('http', { stage: 'http', stopsAfterMs: 5000, obeysAbort: false }),
    );
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    elector.win();
    await clock.settle();
    const before = clock.monotonic();
    elector.lose();
    await clock.settle();
    expect(journal).toContain('led aborted');
    await clock.advance(0);
    await expect(ended).rejects.toThrow(LeaseLostError);
    expect(clock.monotonic()).toBe(before);
    expect(journal).not.toContain('lease released');
  });

  test('also while stopping: the grace period ends at once', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    manager.add(runnable('led', { needsLeaderElection: true, stopsAfterMs: 20_000 }));
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    elector.win();
    await clock.settle();
    stop.abort();
    await clock.advance(5000);
    elector.lose();
    await clock.advance(0);
    await expect(ended).rejects.toThrow(LeaseLostError);
    expect(journal).toContain('led aborted');
    expect(journal).not.toContain('lease released');
    expect(clock.monotonic()).toBe(5000);
  });

  test('an election that ends by itself is a failure too', async () => {
    const { clock, stop, log } = createWorld();
    const elector = new FakeElector([]);
    elector.run = async () => undefined;
    const manager = new Manager({ clock, elector, logger: log.logger });
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.advance(0);
    await expect(ended).rejects.toThrow('The election of lease default/test ended by itself');
  });
});
