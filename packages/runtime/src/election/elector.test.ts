import { expect, test, vi } from 'vitest';
import { ConnectionError } from '../client/errors.ts';
import { sleep } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import { MemoryClient } from '../objects/memory-client.test.support.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { metricValue } from '../testing/metric-value.ts';
import { createElector, type ElectorOptions, type LeaseElector } from './elector.ts';
import { LeaseLostError } from './index.ts';
import { holderOf, LEASES, type Lease, type LeaseSpec } from './lease.ts';

const KEY = { namespace: 'kube-system', name: 'operator' };

class Stage {
  readonly clock = new VirtualClock();
  readonly server = new MemoryClient();
  readonly stop = new AbortController();
  readonly leaders: string[] = [];
  readonly metrics = createRegistry();
  readonly log = createCapturingLogger();
  started = 0;
  outcome: unknown = 'running';

  elector(options: Partial<ElectorOptions> = {}): LeaseElector {
    return createElector({
      client: this.server,
      lease: KEY,
      identity: 'me',
      clock: this.clock,
      metrics: this.metrics,
      logger: this.log.logger,
      random: () => 0.5,
      ...options,
    });
  }

  run(elector: LeaseElector): void {
    elector
      .run(this.stop.signal, {
        onStartedLeading: () => void this.started++,
        onNewLeader: (identity) => void this.leaders.push(identity),
      })
      .then(
        () => (this.outcome = 'ended'),
        (error) => (this.outcome = error),
      );
  }

  seedLease(spec: LeaseSpec): void {
    this.server.seed(LEASES, { metadata: KEY, spec });
  }

  get lease(): Lease | undefined {
    return this.server.peek(LEASES, KEY);
  }

  /** Another process renews the Lease on the server. */
  renewAs(holder: string): void {
    this.server.edit(LEASES, KEY, (lease) => {
      lease.spec = {
        ...lease.spec,
        holderIdentity: holder,
        renewTime: `renewed at ${this.clock.monotonic()}`,
      };
    });
  }
}

async function leading(): Promise<{ stage: Stage; elector: LeaseElector }> {
  const stage = new Stage();
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.settle();
  expect(elector.isLeader).toBe(true);
  stage.server.requests.length = 0;
  return { stage, elector };
}

test('a lease that does not exist is created and held', async () => {
  const stage = new Stage();
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.settle();
  expect(stage.server.verbs()).toEqual(['get', 'create']);
  expect(stage.lease?.spec).toEqual({
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    acquireTime: '2030-01-01T00:00:00.000000Z',
    renewTime: '2030-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
  expect(stage.started).toBe(1);
  expect(stage.leaders).toEqual(['me']);
});

test.each<[string, LeaseSpec]>([
  ['with an empty record', {}],
  ['that was given up', { leaseDurationSeconds: 1, leaseTransitions: 4 }],
  [
    'that was given up with an empty holder',
    { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 4 },
  ],
])('a lease %s is taken at once and counted as a transition', async (_, spec) => {
  const stage = new Stage();
  stage.seedLease(spec);
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.settle();
  expect(elector.isLeader).toBe(true);
  expect(stage.lease?.spec).toMatchObject({
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    leaseTransitions: (spec.leaseTransitions ?? 0) + 1,
  });
  expect(elector.fence()?.epoch).toBe((spec.leaseTransitions ?? 0) + 1);
});

test("a follower waits a whole lease from the moment at which it first saw the record, whatever the record's stamps say", async () => {
  const stage = new Stage();
  stage.seedLease({
    holderIdentity: 'other',
    leaseDurationSeconds: 15,
    renewTime: '2001-01-01T00:00:00.000000Z',
  });
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(14_999);
  expect(elector.isLeader).toBe(false);
  expect(stage.server.writes).toEqual([]);
  await stage.clock.advance(1);
  expect(elector.isLeader).toBe(true);
  expect(stage.lease?.spec?.leaseTransitions).toBe(1);
  expect(stage.leaders).toEqual(['other', 'me']);
});

test('a record that keeps changing is never taken, even if its stamps are old', async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'other', leaseDurationSeconds: 15 });
  const elector = stage.elector();
  stage.run(elector);
  for (let i = 0; i < 20; i++) {
    await stage.clock.advance(10_000);
    stage.renewAs('other');
  }
  expect(elector.isLeader).toBe(false);
  expect(stage.server.writes).toEqual([]);
});

test('a change of labels or annotations on the lease does not prolong it', async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'other', leaseDurationSeconds: 15 });
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(10_000);
  stage.server.edit(LEASES, KEY, (lease) => {
    lease.metadata.annotations = { note: 'touched' };
  });
  await stage.clock.advance(5_000);
  expect(elector.isLeader).toBe(true);
});

test("the holder's promised duration counts, not our own", async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'other', leaseDurationSeconds: 60 });
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(59_999);
  expect(elector.isLeader).toBe(false);
  await stage.clock.advance(1);
  expect(elector.isLeader).toBe(true);
});

test('a lease that names us is adopted without a transition: only the answer had got lost', async () => {
  const stage = new Stage();
  let lost = false;
  const stopHere = stage.server;
  stopHere.before = ({ verb }) => {
    if (verb !== 'create' || lost) return;
    lost = true;
    stage.seedLease({ holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 0 });
    throw new ConnectionError('connection lost');
  };
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(4_000);
  expect(elector.isLeader).toBe(true);
  expect(elector.fence()?.epoch).toBe(0);
});

test('followers ask between one and two retry periods apart', async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'other', leaseDurationSeconds: 3600 });
  const draws = [0, 1, 0.25];
  const times: number[] = [];
  stage.server.before = () => void times.push(stage.clock.monotonic());
  stage.run(stage.elector({ random: () => draws.shift() ?? 0 }));
  await stage.clock.advance(9_000);
  expect(times).toEqual([0, 2_000, 6_000, 8_500]);
});

test('trouble before the lease was ever held is retried for ever and complained about once', async () => {
  const stage = new Stage();
  stage.server.before = () => {
    throw new ConnectionError('refused');
  };
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(600_000);
  expect(stage.outcome).toBe('running');
  expect(stage.server.requests.length).toBeGreaterThan(150);
  expect(stage.log.messages('warn')).toHaveLength(1);
  stage.server.before = undefined;
  await stage.clock.advance(4_000);
  expect(elector.isLeader).toBe(true);
});

test('an attempt to acquire that hangs is given up after the renew deadline', async () => {
  const stage = new Stage();
  let hang = true;
  stage.server.before = () => (hang ? new Promise<void>(() => {}) : undefined);
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(9_999);
  hang = false;
  expect(stage.server.requests).toHaveLength(1);
  await stage.clock.advance(2);
  expect(elector.isLeader).toBe(true);
});

test('of two followers that find the lease expired only one gets it', async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'gone', leaseDurationSeconds: 15 });
  const electors = ['a', 'b'].map((identity) => stage.elector({ identity }));
  for (const elector of electors) stage.run(elector);
  await stage.clock.advance(20_000);
  expect(electors.filter((elector) => elector.isLeader)).toHaveLength(1);
});

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

test('a follower that saw a leader does not jump in when the lease is deleted, and carries the count on', async () => {
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

test('a slow API server does not stretch the rhythm of renewals', async () => {
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

test('a process that stood still in the middle of a renewal says so, and does not blame the server', async () => {
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

test('aborted, run resolves and leaves the lease as it is', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  expect(stage.outcome).toBe('ended');
  expect(elector.isLeader).toBe(true);
  expect(holderOf(stage.lease ?? {})).toBe('me');
  expect(stage.clock.pendingTimers).toBe(0);
});

test('a follower that is aborted resolves and has nothing to release', async () => {
  const stage = new Stage();
  stage.seedLease({ holderIdentity: 'other', leaseDurationSeconds: 15 });
  const elector = stage.elector();
  stage.run(elector);
  await stage.clock.advance(3_000);
  stage.stop.abort();
  await stage.clock.settle();
  expect(stage.outcome).toBe('ended');
  const requests = stage.server.requests.length;
  await elector.release();
  expect(stage.server.requests).toHaveLength(requests);
});

test('release empties the holder, shortens the lease, keeps the count and closes the fence first', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  let open = true;
  stage.server.before = () => {
    open = elector.fence() !== undefined;
  };
  await elector.release();
  expect(open).toBe(false);
  expect(stage.server.verbs()).toEqual(['update']);
  expect(stage.lease?.spec).toEqual({
    leaseDurationSeconds: 1,
    acquireTime: '2030-01-01T00:00:00.000000Z',
    renewTime: '2030-01-01T00:00:00.000000Z',
    leaseTransitions: 0,
  });
  expect(elector.isLeader).toBe(false);
  expect(stage.clock.pendingTimers).toBe(0);
});

test('release reads again after a conflict and then succeeds', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  stage.server.edit(LEASES, KEY, (lease) => {
    lease.metadata.labels = { touched: 'yes' };
  });
  await elector.release();
  expect(stage.server.verbs()).toEqual(['update', 'get', 'update']);
  expect(holderOf(stage.lease ?? {})).toBeUndefined();
});

test('release does not touch a lease that another holds by now', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  stage.renewAs('other');
  await elector.release();
  expect(stage.server.verbs()).toEqual(['update', 'get']);
  expect(holderOf(stage.lease ?? {})).toBe('other');
});

test('release is content when the lease is gone', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  stage.server.remove(LEASES, KEY);
  await elector.release();
  expect(stage.log.messages('warn')).toEqual([]);
});

test('release retries trouble, and gives up with a warning after the renew deadline', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  stage.server.before = () => {
    throw new ConnectionError('refused');
  };
  let released = false;
  void elector.release().then(() => {
    released = true;
  });
  await stage.clock.advance(9_999);
  expect(released).toBe(false);
  expect(stage.server.requests).toHaveLength(5);
  await stage.clock.advance(1);
  expect(released).toBe(true);
  expect(stage.log.messages('warn')).toEqual([
    'Could not give up the lease; others must wait until it runs out',
  ]);
});

test('check passes for a follower, for a fresh leader and within the tolerance, and fails beyond', async () => {
  const follower = new Stage().elector();
  expect(() => follower.check()).not.toThrow();
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  expect(() => elector.check()).not.toThrow();
  await stage.clock.advance(35_000);
  expect(() => elector.check()).not.toThrow();
  await stage.clock.advance(1);
  expect(() => elector.check()).toThrow(
    'Believes to hold lease kube-system/operator but has not renewed it for 35 s',
  );
});

test('the status metric exists at zero and says one while leading', async () => {
  const stage = new Stage();
  const elector = stage.elector();
  const status = () => metricValue(stage.metrics, 'leader_election_master_status', { name: 'operator' });
  expect(status()).toBe(0);
  stage.run(elector);
  await stage.clock.settle();
  expect(status()).toBe(1);
});

test('any number of writes may listen to the end of a term', async () => {
  const { stage, elector } = await leading();
  const warned = vi.fn();
  process.on('warning', warned);
  for (let i = 0; i < 50; i++) elector.fence()?.signal.addEventListener('abort', () => {});
  await stage.clock.settle();
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

test('an elector runs once', async () => {
  const { stage, elector } = await leading();
  await expect(elector.run(stage.stop.signal, { onStartedLeading() {} })).rejects.toThrow('was already run');
});

test('two electors of one program never share an identity by default', () => {
  const stage = new Stage();
  const make = () => createElector({ client: stage.server, lease: KEY }).identity;
  expect(make()).not.toBe(make());
});
