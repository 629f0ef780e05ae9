import { describe, expect, test } from 'vitest';
import type { InformerHealth } from '../cache/informer.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { Health } from './health.ts';
import { cachesAlive, eventLoopResponsive } from './health-checks.ts';

const broken = (): never => {
  throw new Error('disk on fire');
};
const ask = (health: Health, url: string) => {
  const [path = '', search = ''] = url.split('?');
  return health.answer(path, new URLSearchParams(search));
};

describe('answers', () => {
  test('are a plain ok when all is well', async () => {
    const health = new Health();
    for (const path of ['/healthz', '/livez', '/readyz']) {
      expect(await ask(health, path)).toEqual({ status: 200, body: 'ok\n' });
    }
  });

  test('list the checks when asked', async () => {
    const health = new Health();
    health.addReadiness('caches', () => undefined);
    expect(await ask(health, '/readyz?verbose')).toEqual({
      status: 200,
      body: '[+]ping ok\n[+]caches ok\nreadyz check passed\n',
    });
  });

  test('name the failing check without its reason', async () => {
    const health = new Health();
    health.addLiveness('disk', broken);
    expect(await ask(health, '/livez')).toEqual({
      status: 500,
      body: '[+]ping ok\n[-]disk failed: reason withheld\nlivez check failed\n',
    });
    expect((await ask(health, '/readyz')).status).toBe(200);
  });

  test('tell the reason where that is allowed', async () => {
    const health = new Health({ revealReasons: true });
    health.addReadiness('disk', async () => broken());
    expect((await ask(health, '/readyz')).body).toContain('[-]disk failed: disk on fire\n');
  });

  test('leave out what is excluded, and warn of what cannot be', async () => {
    const health = new Health();
    health.addReadiness('disk', broken);
    expect((await ask(health, '/readyz?exclude=disk')).status).toBe(200);
    expect((await ask(health, '/readyz?verbose&exclude=disk&exclude=moon')).body).toBe(
      '[+]ping ok\n[+]disk excluded: ok\nwarn: there is no check "moon" to exclude\nreadyz check passed\n',
    );
  });

  test('exist for single checks', async () => {
    const health = new Health();
    health.addReadiness('disk', broken);
    expect((await ask(health, '/readyz/disk')).status).toBe(500);
    expect((await ask(health, '/readyz/ping')).status).toBe(200);
    expect((await ask(health, '/readyz/moon')).status).toBe(404);
    expect((await ask(health, '/elsewhere')).status).toBe(404);
  });

  test('do not wait for a check that hangs, and leave no timer behind', async () => {
    const clock = new VirtualClock();
    const health = new Health({ clock, revealReasons: true });
    health.addReadiness('slow', () => new Promise(() => undefined));
    const answer = ask(health, '/readyz');
    await clock.advance(5000);
    expect((await answer).body).toContain('[-]slow failed: no answer within 5 s');
    expect((await ask(health, '/healthz')).status).toBe(200);
    expect(clock.pendingTimers).toBe(0);
  });

  test('a name can be used once for each kind', () => {
    const health = new Health();
    health.addReadiness('disk', broken);
    health.addLiveness('disk', broken);
    expect(() => health.addReadiness('disk', broken)).toThrow(/already a readyz check "disk"/);
  });

  test('a change is logged once, with its reason', async () => {
    const log = createCapturingLogger();
    const health = new Health({ logger: log.logger });
    let isBroken = true;
    health.addReadiness('disk', () => {
      if (isBroken) broken();
    });
    for (let round = 0; round < 3; round++) await ask(health, '/readyz');
    isBroken = false;
    for (let round = 0; round < 3; round++) await ask(health, '/readyz');
    expect(log.entries).toEqual([
      {
        level: 'warn',
        message: 'Health check fails',
        values: { check: 'readyz/disk', reason: 'disk on fire' },
      },
      { level: 'info', message: 'Health check passes again', values: { check: 'readyz/disk' } },
    ]);
  });
});

describe('caches', () => {
  const fine: InformerHealth = {
    state: { phase: 'watching' },
    synced: true,
    lastEventAgeMs: 1000,
    consecutiveStalls: 0,
  };
  const run = (health: Partial<InformerHealth>) => () =>
    cachesAlive(() => new Map([['configmaps', { ...fine, ...health }]]))();

  test.each<[string, Partial<InformerHealth>]>([
    ['watching', {}],
    ['one stall', { consecutiveStalls: 1 }],
    ['quiet between bookmarks', { lastEventAgeMs: 150_000 }],
    ['nothing received yet', { lastEventAgeMs: undefined }],
    ['backing off for a moment', { state: { phase: 'backing-off', error: new Error('x') } }],
  ])('are alive: %s', (_what, health) => {
    expect(run(health)).not.toThrow();
  });

  test.each<[string, Partial<InformerHealth>, string]>([
    ['two stalls', { consecutiveStalls: 2 }, 'configmaps stalled 2 times in a row'],
    ['silence', { lastEventAgeMs: 150_001 }, 'configmaps received nothing for 150 s'],
    ['not in sync', { synced: false, state: { phase: 'listing' } }, 'configmaps is not in sync (listing)'],
    [
      'forbidden after it was in sync',
      { state: { phase: 'forbidden', error: new Error('cannot watch') } },
      'configmaps is forbidden: cannot watch',
    ],
    [
      'missing',
      { synced: false, state: { phase: 'missing', error: new Error('404') } },
      'configmaps is missing: 404',
    ],
  ])('are not: %s', (_what, health, message) => {
    expect(run(health)).toThrow(message);
  });

  test('all that is wrong is named', () => {
    const health = new Map([
      ['a', { ...fine, consecutiveStalls: 3 }],
      ['b', fine],
      ['c', { ...fine, synced: false }],
    ]);
    expect(cachesAlive(() => health)).toThrow('a stalled 3 times in a row; c is not in sync (watching)');
  });
});

describe('the event loop', () => {
  const monitor = (p99Seconds: number) => ({
    read: () => ({ maxSeconds: 60, p99Seconds }),
    stop: () => undefined,
  });

  test('is responsive up to a p99 lag of five seconds, whatever the worst was', () => {
    expect(eventLoopResponsive(monitor(5))).not.toThrow();
    expect(eventLoopResponsive(monitor(5.1))).toThrow('the event loop lags 5.1 s (p99), more than 5 s');
    expect(eventLoopResponsive(monitor(1.5), { maxLagSeconds: 1 })).toThrow(/1\.5 s/);
  });
});
