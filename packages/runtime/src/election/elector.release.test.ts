import { expect, test } from 'vitest';
import { ConnectionError } from '../client/errors.ts';
import { KEY, leading, Stage } from './elector.test.support.ts';
import { holderOf, LEASES } from './lease.ts';

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

test('release succeeds when the lease is gone', async () => {
  const { stage, elector } = await leading();
  stage.stop.abort();
  await stage.clock.settle();
  stage.server.remove(LEASES, KEY);
  await elector.release();
  expect(stage.log.messages('warn')).toEqual([]);
});

test('release retries failures, and gives up with a warning after the renew deadline', async () => {
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
    'Could not release the lease; other replicas wait until it expires',
  ]);
});
