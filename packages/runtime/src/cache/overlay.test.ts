import { afterEach, describe, expect, it } from 'vitest';
import { expired } from '../reflector/fake-server.test.support.ts';
import { metricValue } from '../testing/metric-value.ts';
import { versions } from './harness.test.support.ts';
import { A, hold, type Setting, startOverlay as start, stopOverlays } from './overlay.test.support.ts';

afterEach(stopOverlays);

const pendingWrites = ({ metrics }: Setting): number | undefined =>
  metricValue(metrics, 'pending_writes', { type: 'items.test.example' });

describe('Reading own writes', () => {
  it('shows an update before the informer does, and drops it once the informer has it', async () => {
    const setting = await start();
    const { overlay, informer, write, catchUp } = setting;
    overlay.onWritten(write('ns/a', 'new'));
    expect(informer.store.get(A)?.data?.value).toBe('old');
    expect(overlay.store.get(A)?.data?.value).toBe('new');
    expect(pendingWrites(setting)).toBe(1);
    await catchUp();
    expect(overlay.pending).toBe(0);
    expect(pendingWrites(setting)).toBe(0);
    expect(overlay.store.get(A)).toBe(informer.store.get(A));
  });

  it('shows a creation', async () => {
    const { overlay, write, catchUp } = await start();
    overlay.onWritten(write('ns/b', 'new'));
    expect(overlay.store.get({ namespace: 'ns', name: 'b' })?.data?.value).toBe('new');
    expect(overlay.store.size).toBe(2);
    await catchUp();
    expect(overlay.pending).toBe(0);
    expect(overlay.store.size).toBe(2);
  });

  it('keeps nothing of a write that the informer has shown already', async () => {
    const { overlay, server, clock } = await start();
    const written = server.put('ns/a', 'new');
    await clock.settle();
    overlay.onWritten(written);
    expect(overlay.pending).toBe(0);
  });

  it('shows the last of several writes, in whatever order their answers come', async () => {
    const { overlay, write } = await start();
    const first = write('ns/a', 'first');
    const second = write('ns/a', 'second');
    overlay.onWritten(second);
    overlay.onWritten(first);
    expect(overlay.store.get(A)?.data?.value).toBe('second');
  });

  it('waits for the last of several writes', async () => {
    const { overlay, write, server, clock } = await start();
    const first = write('ns/a', 'first');
    const second = write('ns/a', 'second');
    overlay.onWritten(first);
    overlay.onWritten(second);
    server.lag = 1;
    server.catchUp();
    await clock.settle();
    expect(overlay.store.get(A)?.data?.value).toBe('second');
    expect(overlay.pending).toBe(1);
  });

  it('is replaced by a later write of another client', async () => {
    const { overlay, write, catchUp, server } = await start();
    overlay.onWritten(write('ns/a', 'ours'));
    server.put('ns/a', 'theirs');
    await catchUp();
    expect(overlay.store.get(A)?.data?.value).toBe('theirs');
    expect(overlay.pending).toBe(0);
  });

  it('is removed by a later deletion', async () => {
    const { overlay, write, catchUp, server } = await start();
    overlay.onWritten(write('ns/a', 'ours'));
    server.remove('ns/a');
    await catchUp();
    expect(overlay.store.get(A)).toBeUndefined();
    expect(overlay.pending).toBe(0);
  });

  it('is dropped after a bookmark if the object never appears', async () => {
    const { overlay, clock, informer, server } = await start();
    // Written, but not in what the informer selects.
    overlay.onWritten({
      metadata: { namespace: 'ns', name: 'elsewhere', uid: 'x', resourceVersion: '102' },
    });
    expect(overlay.pending).toBe(1);
    server.tick(2);
    server.bookmark();
    await clock.settle();
    expect(informer.store.resourceVersion).toBe('103');
    expect(overlay.pending).toBe(0);
  });

  it('is dropped after a relist', async () => {
    const { overlay, write, server, clock } = await start();
    overlay.onWritten(write('ns/a', 'ours'));
    server.lag = 0;
    server.cut(expired());
    await clock.settle();
    expect(overlay.pending).toBe(0);
    expect(overlay.store.get(A)?.data?.value).toBe('ours');
  });

  it('is not disturbed by what the writer does with its object', async () => {
    const { overlay, write } = await start();
    const written = write('ns/a', 'ours');
    overlay.onWritten(written);
    written.data = { value: 'scribbled on' };
    expect(overlay.store.get(A)?.data?.value).toBe('ours');
  });

  it('appears in lists and indexes', async () => {
    const { overlay, write } = await start();
    overlay.onWritten(write('ns/a', 'new'));
    overlay.onWritten(write('ns/b', 'new'));
    overlay.onWritten(write('other/c', 'new'));
    expect(versions(overlay.store.list())).toEqual({ 'ns/a': '102', 'ns/b': '103', 'other/c': '104' });
    expect(versions(overlay.store.list('ns'))).toEqual({ 'ns/a': '102', 'ns/b': '103' });
    expect(versions(overlay.store.byIndex('value', 'new'))).toEqual({
      'ns/a': '102',
      'ns/b': '103',
      'other/c': '104',
    });
    expect([...overlay.store.byIndex('value', 'old')]).toEqual([]);
  });
});

describe('Reading own deletions', () => {
  it('hides what we deleted until the informer knows', async () => {
    const { overlay, server, catchUp, informer } = await start();
    hold(server);
    server.remove('ns/a');
    overlay.onDeleted(A);
    expect(informer.store.get(A)).toBeDefined();
    expect(overlay.store.get(A)).toBeUndefined();
    expect([...overlay.store.list()]).toEqual([]);
    expect([...overlay.store.byIndex('value', 'old')]).toEqual([]);
    expect(overlay.store.size).toBe(0);
    await catchUp();
    expect(overlay.pending).toBe(0);
  });

  it('hides what we created and deleted before the informer saw either', async () => {
    const { overlay, write, server, clock } = await start();
    overlay.onWritten(write('ns/b', 'short-lived'));
    server.remove('ns/b');
    overlay.onDeleted({ namespace: 'ns', name: 'b' });
    // The informer shows the creation, not yet the deletion.
    server.lag = 1;
    server.catchUp();
    await clock.settle();
    expect(overlay.store.get({ namespace: 'ns', name: 'b' })).toBeUndefined();
    expect(overlay.pending).toBe(1);
    server.lag = 0;
    server.catchUp();
    await clock.settle();
    expect(overlay.pending).toBe(0);
  });

  it('does not hide another object of that name', async () => {
    const { overlay, server, catchUp } = await start();
    hold(server);
    server.remove('ns/a');
    overlay.onDeleted(A);
    server.put('ns/a', 'another');
    await catchUp();
    expect(overlay.store.get(A)?.data?.value).toBe('another');
    expect(overlay.pending).toBe(0);
  });

  it('does not hide an object with another uid than the one that was deleted', async () => {
    const { overlay } = await start();
    overlay.onDeleted(A, 'uid of an earlier one');
    expect(overlay.store.get(A)).toBeDefined();
  });

  it('does not forget a write because an earlier object of that name was deleted', async () => {
    const { overlay, write } = await start();
    overlay.onWritten(write('ns/a', 'ours'));
    overlay.onDeleted(A, 'uid of an earlier one');
    expect(overlay.store.get(A)?.data?.value).toBe('ours');
  });

  it('does not hide what lives on with finalizers', async () => {
    const { overlay, server, clock } = await start();
    overlay.onDeleted(A);
    server.put('ns/a', 'old', { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x'] });
    await clock.settle();
    expect(overlay.store.get(A)?.metadata.deletionTimestamp).toBeDefined();
    expect(overlay.pending).toBe(0);
  });

  it('hides an object only for a limited time', async () => {
    const { overlay, clock, server } = await start({ tombstoneMs: 10_000 });
    overlay.onDeleted(A);
    await clock.advance(9_999);
    expect(overlay.store.get(A)).toBeUndefined();
    await clock.advance(1);
    expect(overlay.store.get(A)).toBeDefined();
    server.tick();
    server.bookmark();
    await clock.settle();
    expect(overlay.pending).toBe(0);
  });

  it('needs nothing for what it has never seen', async () => {
    const { overlay } = await start();
    overlay.onDeleted({ namespace: 'ns', name: 'unknown' });
    expect(overlay.pending).toBe(0);
  });
});
