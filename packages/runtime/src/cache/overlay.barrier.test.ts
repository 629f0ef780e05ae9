import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { A, hold, startOverlay as start, stopOverlays } from './overlay.test.support.ts';

afterEach(stopOverlays);

describe('The barrier', () => {
  it('is open for a key without writes', async () => {
    const { overlay } = await start();
    await expect(overlay.waitFor(A)).resolves.toBe('caught-up');
  });

  it('opens when the cache has caught up', async () => {
    const { overlay, write, catchUp, clock } = await start();
    overlay.onWritten(write('ns/a', 'new'));
    let outcome: string | undefined;
    const waiting = overlay.waitFor(A).then((value) => {
      outcome = value;
    });
    await clock.advance(4_999);
    expect(outcome).toBeUndefined();
    await catchUp();
    await waiting;
    expect(outcome).toBe('caught-up');
  });

  it('returns timeout after 5 s', async () => {
    const { overlay, write, clock } = await start();
    overlay.onWritten(write('ns/a', 'new'));
    const waiting = overlay.waitFor(A);
    await clock.advance(5_000);
    await expect(waiting).resolves.toBe('timeout');
    expect(overlay.store.get(A)?.data?.value).toBe('new');
  });

  it('resolves each waiter on its own', async () => {
    const { overlay, write, catchUp } = await start();
    overlay.onWritten(write('ns/a', 'new'));
    const impatient = new AbortController();
    const first = expect(overlay.waitFor(A, impatient.signal)).rejects.toThrow('no time');
    const second = overlay.waitFor(A);
    impatient.abort(new Error('no time'));
    await first;
    await catchUp();
    await expect(second).resolves.toBe('caught-up');
  });

  it('waits for a deletion too', async () => {
    const { overlay, server, catchUp, clock } = await start();
    hold(server);
    server.remove('ns/a');
    overlay.onDeleted(A);
    const waiting = overlay.waitFor(A);
    await clock.advance(1_000);
    await catchUp();
    await expect(waiting).resolves.toBe('caught-up');
  });

  it('does not wait for a deletion that is hidden no more', async () => {
    const { overlay, clock } = await start({ tombstoneMs: 1_000 });
    overlay.onDeleted(A);
    await clock.advance(1_000);
    await expect(overlay.waitFor(A)).resolves.toBe('caught-up');
    expect(overlay.pending).toBe(0);
  });

  it('does not trust the cache after a write of unknown outcome, until it is read', async () => {
    const { overlay, server, clock } = await start();
    overlay.onUnknownOutcome(A);
    expect(overlay.store.get(A)?.data?.value).toBe('old');
    await expect(overlay.waitFor(A)).resolves.toBe('timeout');
    server.tick();
    server.bookmark();
    await clock.settle();
    await expect(overlay.waitFor(A)).resolves.toBe('timeout');
    const read = server.objects().get('ns/a');
    if (read) overlay.onRead(read);
    expect(overlay.pending).toBe(0);
    await expect(overlay.waitFor(A)).resolves.toBe('caught-up');
  });

  it('trusts the cache again when a live read says that there is nothing', async () => {
    const { overlay } = await start();
    const key = { namespace: 'ns', name: 'perhaps created' };
    overlay.onUnknownOutcome(key);
    await expect(overlay.waitFor(key)).resolves.toBe('timeout');
    overlay.onDeleted(key);
    await expect(overlay.waitFor(key)).resolves.toBe('caught-up');
  });

  it('returns timeout to current waiters when the outcome of a write is unknown', async () => {
    const { overlay, write } = await start();
    overlay.onWritten(write('ns/a', 'new'));
    const waiting = overlay.waitFor(A);
    overlay.onUnknownOutcome(A);
    await expect(waiting).resolves.toBe('timeout');
    expect(overlay.store.get(A)?.data?.value).toBe('new');
  });

  it('shows what the informer knows after a write of unknown outcome, if that is newer', async () => {
    const { overlay, write, catchUp, server } = await start();
    overlay.onWritten(write('ns/a', 'ours'));
    overlay.onUnknownOutcome(A);
    server.put('ns/a', 'newer');
    await catchUp();
    expect(overlay.store.get(A)?.data?.value).toBe('newer');
  });

  it('rejects when the waiter aborts, and leaves nothing behind', async () => {
    const { overlay, write, clock } = await start();
    overlay.onWritten(write('ns/a', 'new'));
    const controller = new AbortController();
    const timers = clock.pendingTimers;
    const waiting = overlay.waitFor(A, controller.signal);
    expect(clock.pendingTimers).toBe(timers + 1);
    controller.abort(new Error('shutting down'));
    await expect(waiting).rejects.toThrow('shutting down');
    expect(clock.pendingTimers).toBe(timers);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    await expect(overlay.waitFor(A, controller.signal)).rejects.toThrow('shutting down');
  });
});

describe('C5: an own write arrives 0 to 10 s late on the watch', () => {
  it.each([0, 1, 4_999, 5_001, 10_000])(
    '%s ms: the next read shows the write, or returns timeout',
    async (delay) => {
      const { overlay, write, catchUp, clock } = await start();
      overlay.onWritten(write('ns/a', 'ours'));
      const waiting = overlay.waitFor(A);
      clock.setTimeout(() => void catchUp(), delay);
      await clock.advance(10_000);
      const outcome = await waiting;
      expect(outcome).toBe(delay <= 5_000 ? 'caught-up' : 'timeout');
      expect(overlay.store.get(A)?.data?.value).toBe('ours');
    },
  );
});
