/** Timeouts: a run that takes too long, and one that ignores its signal. */
import { describe, expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { ReconcileTimeoutError } from './errors.ts';
import { startController, widget } from './harness.test.support.ts';

describe('a run that takes too long', () => {
  test('sees its signal abort after 60 s, fails, is counted, and is retried', async () => {
    const reasons: unknown[] = [];
    const began: number[] = [];
    const { widgets, clock, value } = await startController({
      reconcile: async (_request, { signal }) => {
        began.push(clock.monotonic());
        await sleep(clock, 100_000, signal).catch((reason) => {
          reasons.push(reason);
          throw reason;
        });
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(59_999);
    expect(reasons).toEqual([]);
    await clock.advance(100);
    expect(reasons[0]).toBeInstanceOf(ReconcileTimeoutError);
    expect(value('reconcile_timeouts_total')).toBe(1);
    expect(value('reconcile_errors_total')).toBe(1);
    expect(began).toEqual([0, 60_005]);
  });

  test('counts as success when it ends well after all, but its time is counted', async () => {
    const { widgets, clock, value } = await startController({
      timeoutMs: 1000,
      reconcile: async () => sleep(clock, 3000),
    });
    widgets.set(widget('ns/a'));
    await clock.advance(5000);
    expect(value('reconcile_timeouts_total')).toBe(1);
    expect(value('reconcile_total', { result: 'success' })).toBe(1);
    expect(value('reconcile_errors_total')).toBe(0);
  });

  test('sees an aborted signal also when it first looks afterwards', async () => {
    let late: AbortSignal | undefined;
    const { widgets, clock } = await startController({
      timeoutMs: 1000,
      reconcile: async (_request, context) => {
        await sleep(clock, 3000);
        late = context.signal;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(5000);
    expect(late?.aborted).toBe(true);
  });

  test('has no limit with a timeout of 0', async () => {
    let aborted: boolean | undefined;
    const { widgets, clock } = await startController({
      timeoutMs: 0,
      reconcile: async (_request, { signal }) => {
        await sleep(clock, 10_000_000);
        aborted = signal.aborted;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(10_000_000);
    expect(aborted).toBe(false);
  });

  test('a run in time leaves no timer', async () => {
    const { widgets, clock } = await startController();
    widgets.set(widget('ns/a'));
    await clock.settle();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a run that ignores its signal', () => {
  test('is reported after ten seconds, in log, metric and inspection, until it ends', async () => {
    const { widgets, clock, value, log, controller } = await startController({
      timeoutMs: 1000,
      reconcile: async () => sleep(clock, 60_000),
    });
    widgets.set(widget('ns/a'));
    await clock.advance(10_999);
    expect(log.messages('error')).toEqual([]);
    await clock.advance(1);
    const [line] = log.entries.filter(({ level }) => level === 'error');
    expect(line?.message).toContain('ignores its aborted signal');
    expect(line?.values).toMatchObject({ object: 'ns/a', error: expect.any(ReconcileTimeoutError) });
    expect(value('reconciles_ignoring_abort')).toBe(1);
    expect(controller.inspect()[0]?.ignoresAbort).toBe(true);
    await clock.advance(50_000);
    expect(value('reconciles_ignoring_abort')).toBe(0);
    expect(log.messages('warn')).toContain('The reconcile that ignored its signal has ended');
  });

  test('keeps its key: it is never run twice at once', async () => {
    let running = 0;
    let most = 0;
    const { widgets, clock } = await startController({
      timeoutMs: 1000,
      concurrency: 4,
      reconcile: async () => {
        most = Math.max(most, ++running);
        await sleep(clock, 60_000);
        running--;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(20_000);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(20_000);
    expect(most).toBe(1);
  });

  test('is reported too when it ignores the end of the program', async () => {
    const { widgets, clock, signals, log } = await startController({
      reconcile: async () => sleep(clock, 60_000),
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    signals.stop();
    signals.abortNow();
    await clock.advance(10_000);
    expect(log.messages('error')[0]).toContain('ignores its aborted signal');
  });
});
