import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { ConfigBursts } from './config-bursts.ts';

const db = { kind: 'Secret' as const, namespace: 'shop', name: 'db' };
const reload = (name: string, causes = [db]) => ({
  workload: { kind: 'Deployment' as const, namespace: 'shop', name },
  causes,
});

function setUp() {
  const clock = new VirtualClock();
  const told: string[] = [];
  const bursts = new ConfigBursts(clock, (config, message) => void told.push(`${config}: ${message}`));
  return { clock, told, bursts };
}

describe('reloads in quick succession are one Event', () => {
  test('one reload as one', async () => {
    const { clock, told, bursts } = setUp();
    bursts.add('shop/rules', reload('web'));
    await clock.advance(1_000);
    expect(told).toEqual(['shop/rules: Reloaded Deployment shop/web because of Secret shop/db']);
  });

  test('several by number and name, each config for itself', async () => {
    const { clock, told, bursts } = setUp();
    for (const name of ['web', 'api', 'worker']) {
      bursts.add('shop/rules', reload(name));
      await clock.advance(900);
    }
    bursts.add('shop/other', reload('web'));
    expect(told).toEqual([]);
    await clock.advance(1_000);
    expect(told).toEqual([
      'shop/rules: 3 workloads reloaded because of Secret shop/db: Deployment shop/api, Deployment shop/web, Deployment shop/worker',
      'shop/other: Reloaded Deployment shop/web because of Secret shop/db',
    ]);
  });

  test('one workload several times', async () => {
    const { clock, told, bursts } = setUp();
    for (let seq = 0; seq < 3; seq++) bursts.add('shop/rules', reload('web'));
    bursts.add('shop/more', reload('web'));
    bursts.add('shop/more', reload('web'));
    bursts.add('shop/more', reload('api'));
    await clock.advance(1_000);
    expect(told).toEqual([
      'shop/rules: 1 workload reloaded 3 times because of Secret shop/db: Deployment shop/web',
      'shop/more: 2 workloads reloaded, 3 times together, because of Secret shop/db: Deployment shop/api, Deployment shop/web',
    ]);
  });

  test('a stream is told every ten seconds', async () => {
    const { clock, told, bursts } = setUp();
    for (let second = 0; second < 20; second++) {
      bursts.add('shop/rules', reload(`w${second}`));
      await clock.advance(500);
    }
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('20 workloads reloaded');
  });

  test('an Event has room for so many names, and tells how many more there are', async () => {
    const { clock, told, bursts } = setUp();
    for (let each = 0; each < 500; each++) bursts.add('shop/rules', reload(`workload-${each}`));
    await clock.advance(1_000);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^shop\/rules: 500 workloads reloaded .* and 4\d\d more$/);
    expect(Buffer.byteLength(told[0] ?? '')).toBeLessThan(1_024);
  });
});

test('no reload is lost or reported twice, however long a burst lasts', async () => {
  const { clock, told, bursts } = setUp();
  for (let each = 0; each < 300; each++) {
    bursts.add('shop/rules', reload(`w${each}`));
    await clock.advance(20_000);
  }
  await clock.advance(600_000);
  const counts = told.map((line) => Number(/ (\d+) workloads reloaded/.exec(line)?.[1] ?? 1));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
  // The recorder's limit for one object: 25 Events at once, then one each five minutes.
  expect(told.length).toBeLessThanOrEqual(25 + (300 * 20_000) / 300_000);
});

test('open bursts are reported when the process stops', async () => {
  const { clock, told, bursts } = setUp();
  const stop = new AbortController();
  const ended = bursts.start({ stopping: stop.signal });
  bursts.add('shop/rules', reload('web'));
  stop.abort();
  await ended;
  expect(told).toHaveLength(1);
  await clock.advance(60_000);
  expect(told).toHaveLength(1);
});
