import { expect, test } from 'vitest';
import { ConnectionError } from '../client/errors.ts';
import { KEY, Stage } from './elector.test.support.ts';
import { LEASES, type LeaseSpec } from './lease.ts';

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

test('failures before the lease was ever held are retried without limit and logged once', async () => {
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
