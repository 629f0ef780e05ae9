import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { createWorld, FakeElector } from './harness.test.support.ts';
import { ShutdownTimeoutError } from './manager.ts';

function ledWorld() {
  const electionJournal: string[] = [];
  const elector = new FakeElector(electionJournal);
  const world = createWorld({ elector });
  // One journal for all, in order.
  electionJournal.push = (...items: string[]) => world.journal.push(...items);
  return { ...world, elector };
}

describe('starting', () => {
  test('goes stage by stage, each when the one before is ready', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    const slow = (signal: AbortSignal) => sleep(clock, 1000, signal);
    manager.add(
      runnable('work'),
      runnable('cache', { stage: 'caches', ready: slow }),
      runnable('webhook', { stage: 'webhooks', ready: slow }),
      runnable('http', { stage: 'http', ready: slow }),
    );
    const ended = manager.run(stop.signal);
    await clock.advance(999);
    expect(journal).toEqual(['http started']);
    await clock.advance(1);
    expect(journal).toEqual(['http started', 'webhook started']);
    await clock.advance(1000);
    expect(journal).toEqual(['http started', 'webhook started', 'cache started']);
    await clock.advance(1000);
    expect(journal).toEqual(['http started', 'webhook started', 'cache started', 'work started']);
    stop.abort();
    await ended;
  });

  test('without an election, work of the leader starts like any other', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    manager.add(runnable('led', { needsLeaderElection: true }), runnable('free'));
    const ended = manager.run(stop.signal);
    await clock.settle();
    expect(journal).toEqual(['led started', 'free started']);
    stop.abort();
    await ended;
  });

  test('with one, it waits for the lease, but warms up before', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    const warmup = async (): Promise<void> => void journal.push('led warms up');
    manager.add(runnable('led', { needsLeaderElection: true, warmup }), runnable('free'));
    const ended = manager.run(stop.signal);
    await clock.advance(60_000);
    expect(journal).toEqual(['free started', 'led warms up', 'election started']);
    elector.win();
    await clock.settle();
    expect(journal.at(-1)).toBe('led started');
    stop.abort();
    await ended;
  });

  test('work of the leader in an earlier stage starts in that stage without an election', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    manager.add(runnable('work'), runnable('led', { needsLeaderElection: true, stage: 'caches' }));
    const ended = manager.run(stop.signal);
    await clock.settle();
    expect(journal).toEqual(['led started', 'work started']);
    stop.abort();
    await ended;
  });

  test('and with one, when the lease is won', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    manager.add(runnable('work'), runnable('led', { needsLeaderElection: true, stage: 'caches' }));
    const ended = manager.run(stop.signal);
    await clock.settle();
    expect(journal).toEqual(['work started', 'election started']);
    elector.win();
    await clock.settle();
    expect(journal.at(-1)).toBe('led started');
    stop.abort();
    await ended;
  });

  test('a stop before anything has started starts nothing', async () => {
    const { journal, manager, runnable } = createWorld();
    manager.add(runnable('http', { stage: 'http' }));
    await manager.run(AbortSignal.abort());
    expect(journal).toEqual([]);
  });

  test('a stop in the middle of starting starts no further stage', async () => {
    const { clock, journal, manager, runnable, stop, log } = createWorld();
    const never = (signal: AbortSignal) => sleep(clock, 1e9, signal);
    manager.add(runnable('cache', { stage: 'caches', ready: never }), runnable('work'));
    const ended = manager.run(stop.signal);
    await clock.advance(1000);
    stop.abort();
    await ended;
    await clock.settle();
    expect(journal).toEqual(['cache started', 'cache stopping', 'cache ended']);
    expect(log.messages('error')).toEqual([]);
  });

  test('a lease that is won while stopping starts nothing', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    manager.add(runnable('led', { needsLeaderElection: true }), runnable('slow', { stopsAfterMs: 1000 }));
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(500);
    elector.win();
    await clock.advance(500);
    await ended;
    expect(journal).not.toContain('led started');
  });

  test('any number of runnables may listen to its signals without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { clock, manager, runnable, stop } = createWorld();
    manager.add(...Array.from({ length: 30 }, (_, index) => runnable(`work ${index}`)));
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await ended;
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('takes nothing more once it runs, and runs once', async () => {
    const { clock, manager, runnable, stop } = createWorld();
    const ended = manager.run(stop.signal);
    await clock.settle();
    expect(() => manager.add(runnable('late'))).toThrow(/Cannot add "late"/);
    await expect(manager.run(stop.signal)).rejects.toThrow(/ran before/);
    stop.abort();
    await ended;
  });
});

describe('stopping', () => {
  test('goes in the reverse order, and releases the lease last', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    manager.add(
      runnable('http', { stage: 'http', stopsAfterMs: 10 }),
      runnable('webhook', { stage: 'webhooks', stopsAfterMs: 10 }),
      runnable('cache', { stage: 'caches', stopsAfterMs: 10 }),
      runnable('free', { stopsAfterMs: 10 }),
      runnable('led', { stopsAfterMs: 10, needsLeaderElection: true }),
    );
    const ended = manager.run(stop.signal);
    await clock.settle();
    elector.win();
    await clock.settle();
    journal.length = 0;
    stop.abort();
    await clock.advance(100);
    await ended;
    expect(journal).toEqual([
      ...['led', 'free', 'cache', 'webhook', 'http'].flatMap((name) => [`${name} stopping`, `${name} ended`]),
      'election ended',
      'lease released',
    ]);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('what runs may finish within the grace period, undisturbed', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    manager.add(runnable('slow', { stopsAfterMs: 29_999 }));
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(29_999);
    await ended;
    expect(journal).toEqual(['slow started', 'slow stopping', 'slow ended']);
  });

  test('work that does not finish is cancelled after it, which alone is no error', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    manager.add(runnable('slow', { stopsAfterMs: Infinity }), runnable('http', { stage: 'http' }));
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(29_999);
    expect(journal.at(-1)).toBe('slow stopping');
    await clock.advance(1);
    await ended;
    expect(journal).toContain('slow aborted');
    expect(journal).toContain('http stopping');
    expect(clock.pendingTimers).toBe(0);
  });

  test('the grace period is one for all stages together', async () => {
    const { clock, journal, manager, runnable, stop } = createWorld();
    manager.add(
      runnable('work', { stopsAfterMs: 20_000 }),
      runnable('cache', { stage: 'caches', stopsAfterMs: 20_000 }),
    );
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(30_000);
    await ended;
    expect(journal.slice(-3)).toEqual(['work ended', 'cache stopping', 'cache aborted']);
  });

  test('a runnable that still hangs is named in the error, and the others are stopped', async () => {
    const { clock, journal, manager, runnable, stop, log } = createWorld();
    manager.add(
      runnable('deaf', { stopsAfterMs: Infinity, obeysAbort: false }),
      runnable('http', { stage: 'http' }),
      runnable('fine'),
    );
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    stop.abort();
    await clock.advance(32_000);
    await clock.advance(2_000);
    await expect(ended).rejects.toThrow(ShutdownTimeoutError);
    await expect(ended).rejects.toThrow('Did not end within 32 s of the stop: deaf');
    expect(journal).toContain('http stopping');
    expect(log.entries.at(-1)?.values).toEqual({ hung: ['deaf'] });
  });

  test('a lease is given back when the election has ended, not before', async () => {
    const { clock, journal, manager, stop, elector } = ledWorld();
    elector.beforeEnd = () => sleep(clock, 500);
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await clock.advance(499);
    expect(journal).toEqual(['election started']);
    await clock.advance(1);
    await ended;
    expect(journal).toEqual(['election started', 'election ended', 'lease released']);
  });

  test('a lease is not given back while work of the leader hangs', async () => {
    const { clock, journal, manager, runnable, stop, elector } = ledWorld();
    manager.add(runnable('deaf', { needsLeaderElection: true, stopsAfterMs: Infinity, obeysAbort: false }));
    const ended = manager.run(stop.signal);
    ended.catch(() => undefined);
    await clock.settle();
    elector.win();
    await clock.settle();
    stop.abort();
    await clock.advance(40_000);
    await expect(ended).rejects.toThrow(/deaf/);
    expect(journal).not.toContain('lease released');
  });

  test('a lease that cannot be given back is a warning, not a failure', async () => {
    const { clock, manager, stop, elector, log } = ledWorld();
    elector.releaseError = new Error('connection refused');
    const ended = manager.run(stop.signal);
    await clock.settle();
    stop.abort();
    await ended;
    expect(log.messages('warn')).toEqual([
      'The lease could not be released; other replicas take over when it expires',
    ]);
  });
});

describe('health', () => {
  test('is ready until it stops', async () => {
    const { clock, manager, runnable, stop } = createWorld();
    manager.add(runnable('slow', { stopsAfterMs: 1000 }));
    const ended = manager.run(stop.signal);
    await clock.settle();
    expect((await manager.health.answer('/readyz')).status).toBe(200);
    stop.abort();
    await clock.settle();
    const { status, body } = await manager.health.answer('/readyz');
    expect(status).toBe(500);
    expect(body).toContain('[-]shutdown failed');
    expect((await manager.health.answer('/healthz')).status).toBe(200);
    await clock.advance(1000);
    await ended;
  });

  test('is not alive when the lease watchdog says so', async () => {
    const { manager, elector } = ledWorld();
    expect((await manager.health.answer('/healthz')).status).toBe(200);
    elector.checkError = new Error('not renewed for 20 s');
    const { status, body } = await manager.health.answer('/healthz');
    expect(status).toBe(500);
    expect(body).toContain('[-]leader-election failed');
  });
});
