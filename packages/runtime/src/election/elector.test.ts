import { expect, test, vi } from 'vitest';
import { metricValue } from '../testing/metric-value.ts';
import { KEY, leading, Stage } from './elector.test.support.ts';
import { createElector } from './elector.ts';

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
