import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Cached } from '../cache/informer.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { FakeInformer } from '../testing/fake-informer.ts';
import { cacheOf, cacheRunnable } from './caches.ts';

const type = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };

function setUp(options: Parameters<typeof cacheRunnable>[1] = {}) {
  const clock = new VirtualClock();
  const informers = [
    new FakeInformer<Cached>(type),
    new FakeInformer<Cached>({ ...type, plural: 'daemonsets' }, { namespace: 'ns' }),
  ] as const;
  const cache = cacheOf([...informers, informers[0]]);
  const runnable = cacheRunnable(cache, { clock, ...options });
  return { clock, informers, cache, runnable };
}

describe('informers as one cache', () => {
  test('run together, each once, until they are stopped', async () => {
    const { informers, runnable } = setUp();
    const stop = new AbortController();
    const ended = runnable.start({ stopping: stop.signal, abort: new AbortController().signal });
    expect(informers.map(({ running }) => running)).toEqual([true, true]);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(2);
    stop.abort();
    await ended;
    expect(informers.map(({ running }) => running)).toEqual([false, false]);
  });

  test('report their health under unique names', () => {
    const { cache } = setUp();
    expect([...cache.health().keys()]).toEqual(['deployments.apps', 'daemonsets.apps in namespace ns']);
  });
});

describe('readiness of a cache', () => {
  test('comes when all its informers are in sync, and leaves nothing behind', async () => {
    const { clock, informers, runnable } = setUp();
    const { signal } = new AbortController();
    let isReady = false;
    const ready = runnable.ready?.(signal).then(() => {
      isReady = true;
    });
    informers[0].sync();
    await clock.settle();
    expect(isReady).toBe(false);
    informers[1].sync();
    await ready;
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('fails after two minutes with the names and states of those that are not', async () => {
    const { clock, informers, runnable } = setUp({ name: 'workloads' });
    informers[0].sync();
    informers[1].report({ state: { phase: 'forbidden', error: new Error('cannot list') } });
    const ready = runnable.ready?.(new AbortController().signal);
    ready?.catch(() => undefined);
    await clock.advance(120_000);
    await expect(ready).rejects.toThrow(
      'workloads: not in sync within 120 s: daemonsets.apps in namespace ns is forbidden: grant list and watch (cannot list)',
    );
    await expect(ready).rejects.not.toThrow('deployments');
  });

  test('is no longer waited for after a stop', async () => {
    const { clock, runnable } = setUp();
    const stop = new AbortController();
    const ready = runnable.ready?.(stop.signal);
    stop.abort(new Error('stopping'));
    await expect(ready).rejects.toThrow('stopping');
    await clock.settle();
    expect(clock.pendingTimers).toBe(0);
    await expect(runnable.ready?.(stop.signal)).rejects.toThrow('stopping');
  });

  test('is not asked for where it is not required', () => {
    expect(setUp({ required: false }).runnable.ready).toBeUndefined();
    expect(setUp().runnable.stage).toBe('caches');
  });
});
