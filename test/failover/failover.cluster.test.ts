/** Two operator processes on a real API server, and the faults that can hit the leader. */
import { systemClock } from '@reloader/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { poll } from '../control-plane/poll.ts';
import { useControlPlane } from '../control-plane/vitest.ts';
import { buildOperator, type Program, type Replica } from './replica.ts';
import { bounds, CONFIG_MAP_RULE, EVENT_RULE, LEASE_RULES, Stage } from './stage.ts';
import { isContiguous, type Stopped, wasUnderWay } from './timeline.ts';

const cluster = useControlPlane();
/** A fifth of the defaults: for tests about what happens when a Lease expires, not about how long that takes. */
const QUICK = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 400 };

let program: Program;
beforeAll(async () => {
  program = await buildOperator();
});
afterAll(() => program.remove());

let stage: Stage;
const open = async (namespace: string): Promise<Stage> => {
  stage = await Stage.set(cluster(), program, namespace);
  return stage;
};
afterEach(() => stage.end());

const report = (what: string, ms: number): void => console.info(`${what}: ${Math.round(ms)} ms`);
const now = (): number => systemClock.monotonic();

/** `stops`: the processes that were stopped, each of which may have had one write under way. */
async function expectOneWriterAtATime(stops: readonly Stopped[] = []): Promise<void> {
  const { timeline } = stage;
  await timeline.caughtUp();
  const underWay = timeline.overlapping.filter((tick) => wasUnderWay(tick, stops));
  const { length } = timeline.overlapping;
  console.info(
    `overlapping writes: ${length} of ${timeline.ticks.length}, ${underWay.length} of them under way`,
  );
  expect(timeline.overlapping.filter((tick) => !underWay.includes(tick))).toEqual([]);
  expect(underWay.length).toBeLessThanOrEqual(stops.length);
  expect(isContiguous(timeline.ticks.filter((tick) => !underWay.includes(tick)))).toBe(true);
  expect(timeline.gaps).toBe(0);
}

describe('the leader', () => {
  test('is killed: the other takes over when the lease runs out', async () => {
    const { timeline } = await open('killed');
    const [one] = await stage.startPair('one', 'two');
    one.kill('SIGKILL');
    const start = now();
    await timeline.counted('two', 1);
    const failover = now() - start;
    report('failover after SIGKILL, default timings', failover);
    expect(failover).toBeLessThanOrEqual(bounds().afterCrash);
    expect(await one.exit).toEqual({ code: null, signal: 'SIGKILL' });
    await timeline.counted('two', 10);
    await expectOneWriterAtATime();
  });

  test('is told to stop: it finishes its work, releases the Lease and exits with 0', async () => {
    const { timeline, account } = await open('terminated');
    const mark = await cluster().audit.mark();
    const [one, two] = await stage.startPair('one', 'two');
    await stage.create('long', { workMs: '1500' });
    await one.hasSaid('Working');
    await stage.create('late', {});
    one.kill('SIGTERM');
    const start = now();
    expect(await one.exit).toEqual({ code: 0, signal: null });
    const stopped = now();
    await timeline.counted('two', 1);
    report('stop after SIGTERM with 1500 ms of work in hand', stopped - start);
    report('failover after the lease was given back, default timings', now() - stopped);
    expect(now() - stopped).toBeLessThanOrEqual(bounds().afterRelease);
    expect(await stage.handled('long')).toMatchObject([{ by: 'one' }]);
    await stage.untilHandled(['late']);
    expect(await stage.handled('late')).toHaveLength(1);
    await timeline.counted('two', 10);
    await expectOneWriterAtATime();
    expect(timeline.holdings.some(({ holder }) => holder === undefined)).toBe(true);
    expect([...one.stray, ...two.stray]).toEqual([]);
    const refused = await cluster().audit.since(mark, { user: account.user, code: 403 });
    expect(refused).toEqual([]);
  });

  test('is stopped past its lease and goes on: it begins no more writes and exits with a reason', async () => {
    const { timeline } = await open('stopped');
    const timings = { timings: QUICK };
    const stops: Stopped[] = [];
    let [leader, standby]: readonly Replica[] = await stage.startPair('r0', 'r1', timings);
    for (let round = 1; round <= 3; round++) {
      if (!leader || !standby) throw new Error('there are always two');
      const names = Array.from({ length: 8 }, (_, index) => `round-${round}-${index}`);
      // Work in progress at every stage.
      const before = leader.said('Working').length;
      const creating = Promise.all(names.map((name) => stage.create(name, { workMs: '60' })));
      await leader.hasSaid('Working', before);
      leader.kill('SIGSTOP');
      stops.push({ writer: leader.identity, at: systemClock.now() });
      const start = now();
      await creating;
      await timeline.counted(standby.identity, 1);
      report(`failover after SIGSTOP, lease ${QUICK.leaseDurationMs} ms`, now() - start);
      expect(now() - start).toBeLessThanOrEqual(bounds(QUICK).afterCrash);
      await timeline.counted(standby.identity, 5);
      leader.kill('SIGCONT');
      expect(await leader.exit).toEqual({ code: 1, signal: null });
      expect(JSON.stringify(leader.said('The operator failed'))).toMatch(
        /LeaseLostError.*Lost lease stopped\/operator: (this process did not run for \d+ s|it is now held by)/,
      );
      await timeline.counted(standby.identity, 15);
      await stage.untilHandled(names);
      for (const name of names) expect(await stage.handled(name)).toHaveLength(1);
      await expectOneWriterAtATime(stops);
      leader = standby;
      standby = stage.start(`r${round + 1}`, timings);
      await standby.hasSaid('Another process leads');
    }
  });
});

describe('a running operator', () => {
  test('loses its permissions: it says which, and recovers when it gets them back', async () => {
    const { timeline } = await open('forbidden');
    // An open watch continues without permission until it is reopened, which the short idle timeout causes soon.
    const tuning = { idleTimeoutMs: 2_000, backoff: { capMs: 2_000 } };
    const one = stage.start('one', { tuning });
    await timeline.counted('one', 5);
    await stage.create('before', {});
    await stage.untilHandled(['before']);
    await one.isReady();

    await stage.mayDo(...LEASE_RULES, EVENT_RULE);
    await one.isReady(false);
    const probe = await one.readiness();
    expect(probe.body).toMatch(/^\[-\]caches failed/m);
    const { reason } = await one.hasSaid('Health check fails');
    expect(reason).toMatch(/configmaps.* is forbidden: .*cannot (list|watch) resource "configmaps"/);
    expect(
      await one.hasSaid(
        'Not allowed to read configmaps: grant the verbs list and watch; it is tried again meanwhile',
      ),
    ).toMatchObject({ level: 'warn' });
    expect(JSON.stringify(await one.hasSaid('Could not count'))).toContain('cannot patch resource');
    await stage.create('meanwhile', {});
    const counted = timeline.ticks.length;

    const start = now();
    await stage.mayDo(...LEASE_RULES, EVENT_RULE, CONFIG_MAP_RULE);
    await one.isReady();
    report('ready again after the permissions came back', now() - start);
    await stage.untilHandled(['before', 'meanwhile']);
    expect(await stage.handled('meanwhile')).toMatchObject([{ by: 'one' }]);
    expect(await stage.handled('before')).toMatchObject([{ by: 'one' }]);
    await timeline.counted('one', counted + 5);
    expect(timeline.ticks.at(-1)?.epoch).toBe(0);
    await expectOneWriterAtATime();
  });

  test('outlives its API server: a replica leads again, and no work is done twice', async () => {
    const { timeline } = await open('restarted');
    const [one, two] = await stage.startPair('one', 'two');
    const names: string[] = [];
    for (const round of [1, 2]) {
      const wave = Array.from({ length: 12 }, (_, index) => `wave-${round}-${index}`);
      await Promise.all(wave.map((name) => stage.create(name, { workMs: '20' })));
      names.push(...wave);
      await cluster().kill('kube-apiserver');
      const start = now();
      await cluster().restart('kube-apiserver');
      const back = now();
      report('API server back', back - start);
      const before = timeline.ticks.at(-1)?.revision ?? 0;
      await poll(() => (timeline.ticks.at(-1)?.revision ?? 0) > before, {
        what: 'the counter to go on',
        timeout: bounds().afterCrash + 10_000,
      });
      report('leader writes again', now() - back);
    }
    await stage.untilHandled(names);
    for (const name of names) expect(await stage.handled(name)).toHaveLength(1);
    await timeline.caughtUp();
    expect(timeline.overlapping).toEqual([]);
    const counts = timeline.ticks.map(({ count }) => count);
    expect(counts).toEqual([...new Set(counts)].sort((a, b) => a - b));
    const writers = new Set(timeline.ticks.map(({ writer }) => writer));
    console.info(`leaders across two restarts of the API server: ${[...writers].join(', ')}`);
    if (writers.size === 1) await Promise.all([one.isReady(), two.isReady()]);
  });
});
