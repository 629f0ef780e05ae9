import { expect, test } from 'vitest';
import { ConnectionError } from '../client/errors.ts';
import { sleep } from '../clock/clock.ts';
import { metricValue } from '../testing/metric-value.ts';
import { KEY, leading, Stage } from './elector.test.support.ts';
import { LeaseLostError } from './index.ts';
import { LEASES } from './lease.ts';

test('the leader renews every retry period with one PUT and no read', async () => {
  const { stage } = await leading();
  const before = stage.lease?.spec?.renewTime;
  await stage.clock.advance(10_000);
  expect(stage.server.verbs()).toEqual(['update', 'update', 'update', 'update', 'update']);
  expect(stage.lease?.spec?.renewTime).not.toBe(before);
  expect(stage.lease?.spec?.leaseTransitions).toBe(0);
  expect(stage.lease?.spec?.acquireTime).toBe('2030-01-01T00:00:00.000000Z');
  expect(metricValue(stage.metrics, 'leader_election_slowpath_total', { name: 'operator' })).toBe(0);
});

test('after a conflict the leader reads the lease, finds itself in it and renews: the slow path, counted', async () => {
  const { stage, elector } = await leading();
  stage.server.edit(LEASES, KEY, (lease) => {
    lease.metadata.labels = { touched: 'yes' };
  });
  await stage.clock.advance(2_000);
  expect(stage.server.verbs()).toEqual(['update', 'get', 'update']);
  expect(elector.isLeader).toBe(true);
  expect(metricValue(stage.metrics, 'leader_election_slowpath_total', { name: 'operator' })).toBe(1);
  await stage.clock.advance(2_000);
  expect(stage.server.verbs()).toEqual(['update', 'get', 'update', 'update']);
});

test('a lease deleted under a leader is created again in the same epoch', async () => {
  const { stage, elector } = await leading();
  stage.server.remove(LEASES, KEY);
  await stage.clock.advance(2_000);
  expect(stage.server.verbs()).toEqual(['update', 'get', 'create']);
  expect(elector.fence()?.epoch).toBe(0);
});

test('a follower that saw a leader waits when the lease is deleted, and continues its transition count', async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'other', leaseDurationSeconds: 15, leaseTransitions: 7 });
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(5_000);
  stage.server.remove(LEASES, KEY);
  await stage.clock.advance(9_000);
  expect(stage.server.writes).toEqual([]);
  await stage.clock.advance(1_001);
  expect(elector.fence()?.epoch).toBe(8);
});

test('a leader that finds another holder has lost, at once', async () => {
  const { stage, elector } = await leading();
  const { signal } = elector.fence() ?? {};
  stage.renewAs('thief');
  await stage.clock.advance(2_000);
  expect(stage.outcome).toBeInstanceOf(LeaseLostError);
  expect(String(stage.outcome)).toContain('Lost lease kube-system/operator: it is now held by thief');
  expect(elector.isLeader).toBe(false);
  expect(elector.fence()).toBeUndefined();
  expect(signal?.aborted).toBe(true);
  expect(metricValue(stage.metrics, 'leader_election_master_status', { name: 'operator' })).toBe(0);
});

test('a lease that names us with a higher count was held by others in between: lost', async () => {
  const { stage } = await leading();
  stage.server.edit(LEASES, KEY, (lease) => {
    lease.spec = { ...lease.spec, leaseTransitions: 2 };
  });
  await stage.clock.advance(2_000);
  expect(stage.outcome).toBeInstanceOf(LeaseLostError);
});

test.each<[string, () => void | Promise<void>]>([
  [
    'fails',
    () => {
      throw new ConnectionError('refused');
    },
  ],
  ['hangs', () => new Promise<void>(() => {})],
])('when every renewal %s, the lease is lost when the renew deadline has passed', async (_, trouble) => {
  const { stage, elector } = await leading();
  stage.server.before = trouble;
  await stage.clock.advance(2_000 + 9_999);
  expect(elector.isLeader).toBe(true);
  await stage.clock.advance(1);
  expect(stage.outcome).toBeInstanceOf(LeaseLostError);
  expect(String(stage.outcome)).toContain('could not be renewed for 10 s');
  expect(stage.clock.pendingTimers).toBe(0);
});

test('a renewal that succeeds at the last moment keeps the lease', async () => {
  const { stage, elector } = await leading();
  stage.server.before = () => {
    throw new ConnectionError('refused');
  };
  await stage.clock.advance(9_000);
  stage.server.before = undefined;
  await stage.clock.advance(4_000);
  expect(elector.isLeader).toBe(true);
  expect(stage.outcome).toBe('running');
});

test('the fence counts from before the last successful renewal was sent', async () => {
  const { stage, elector } = await leading();
  const wait: (() => void)[] = [];
  stage.server.before = () => new Promise<void>((resolve) => wait.push(resolve));
  await stage.clock.advance(5_000);
  expect(elector.fence()?.deadline).toBe(10_000);
  stage.server.before = undefined;
  wait[0]?.();
  await stage.clock.settle();
  expect(elector.fence()?.deadline).toBe(12_000);
});

test('a slow API server does not stretch the interval of renewals', async () => {
  const { stage } = await leading();
  const times: number[] = [];
  stage.server.before = async () => {
    times.push(stage.clock.monotonic());
    await sleep(stage.clock, 3_000);
  };
  await stage.clock.advance(9_000);
  expect(times).toEqual([2_000, 5_000, 8_000]);
});

test('a process that did not run for longer than the lease lasts knows that it lost, without asking', async () => {
  const { stage } = await leading();
  await stage.clock.jump(15_000);
  expect(stage.outcome).toBeInstanceOf(LeaseLostError);
  expect(String(stage.outcome)).toContain('did not run for 15 s');
  expect(stage.server.requests).toEqual([]);
});

test('a process that was paused during a renewal says so, and does not blame the server', async () => {
  const { stage } = await leading();
  stage.server.before = () => new Promise<void>(() => {});
  await stage.clock.advance(2_000);
  expect(stage.server.requests).toHaveLength(1);
  await stage.clock.jump(30_000);
  expect(stage.outcome).toBeInstanceOf(LeaseLostError);
  expect(String(stage.outcome)).toContain('did not run for 30 s');
});

test('a process that paused for less than that renews at once and goes on', async () => {
  const { stage, elector } = await leading();
  await stage.clock.jump(14_000);
  expect(stage.outcome).toBe('running');
  expect(stage.server.verbs()).toEqual(['update']);
  expect(elector.fence()?.deadline).toBe(24_000);
});
