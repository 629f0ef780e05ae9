import { describe, expect, test } from 'vitest';
import { sleep } from '../clock/clock.ts';
import { startController, widget } from './harness.test.support.ts';
import type { ReconcileContext } from './reconciler.ts';

describe('the context', () => {
  test('has an id that every log line of the run carries, and no other run has', async () => {
    const ids: string[] = [];
    const { widgets, clock, log } = await startController({
      reconcile: (_request, context) => {
        ids.push(context.reconcileID);
        context.logger.info('working');
      },
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(new Set(ids).size).toBe(2);
    for (const message of ['Reconcile started', 'working', 'Reconcile completed']) {
      const lines = log.entries.filter((entry) => entry.message === message);
      expect(lines.map(({ values }) => values.reconcileID)).toEqual(ids);
      expect(lines[0]?.values).toMatchObject({ controller: 'widget', object: 'ns/a' });
    }
  });

  test('the last line of a run tells duration and result', async () => {
    const { widgets, clock, log } = await startController({
      reconcile: async () => {
        await sleep(clock, 25);
        return { requeueAfterMs: 600_000 };
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(25);
    const line = log.entries.find(({ message }) => message === 'Reconcile completed');
    expect(line?.level).toBe('debug');
    expect(line?.values).toMatchObject({ durationMs: 25, result: 'requeue_after', requeueAfterMs: 600_000 });
  });

  test('names the cause of the run', async () => {
    const reasons: string[] = [];
    const { widgets, clock, controller } = await startController({
      reconcile: (_request, { reason }) => {
        reasons.push(reason);
        return reasons.length === 2 ? { requeueAfterMs: 10 } : undefined;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.settle();
    widgets.set(widget('ns/a', '2'));
    await clock.advance(10);
    controller.enqueue({ namespace: 'ns', name: 'a' });
    await clock.settle();
    expect(reasons).toEqual([
      'add of Widget ns/a',
      'update of Widget ns/a',
      'requeue_after of result of the run before',
      'enqueue of widget',
    ]);
  });

  test('superseded aborts when an event for the same key arrives, and names it', async () => {
    const seen: unknown[] = [];
    const { widgets, clock } = await startController({
      reconcile: async (_request, { superseded }) => {
        await sleep(clock, 60_000, superseded).catch((reason) => seen.push(reason));
      },
      timeoutMs: 0,
    });
    widgets.set(widget('ns/a'));
    await clock.advance(1000);
    widgets.set(widget('ns/b'));
    await clock.advance(1000);
    expect(seen).toEqual([]);
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(seen).toHaveLength(1);
    expect(String(seen[0])).toContain('update of Widget ns/a');
  });

  test('superseded is already aborted when it is first read late', async () => {
    let late: AbortSignal | undefined;
    const { widgets, clock } = await startController({
      reconcile: async (_request, context) => {
        await sleep(clock, 100);
        late ??= context.superseded;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(50);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(50);
    expect(late?.aborted).toBe(true);
  });

  test('a resync supersedes nothing', async () => {
    let superseded = false;
    const { widgets, clock } = await startController({
      reconcile: async (_request, context) => {
        context.superseded.addEventListener('abort', () => {
          superseded = true;
        });
        await sleep(clock, 100);
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(50);
    widgets.resync();
    await clock.advance(50);
    expect(superseded).toBe(false);
  });

  test('any number of requests may listen to its signals without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { widgets, clock } = await startController({
      reconcile: async (_request, { signal, superseded }) => {
        const many = Array.from({ length: 30 }, () => [
          sleep(clock, 10, signal),
          sleep(clock, 10, superseded),
        ]);
        await Promise.all(many.flat());
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(10);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('carries the clock, and counts attempts', async () => {
    const attempts: number[] = [];
    const contexts: ReconcileContext[] = [];
    const { widgets, clock } = await startController({
      reconcile: (_request, context) => {
        contexts.push(context);
        attempts.push(context.attempt);
        if (attempts.length < 3) throw new Error('not yet');
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(1000);
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(attempts).toEqual([1, 2, 3, 1]);
    expect(contexts[0]?.clock).toBe(clock);
  });
});

describe('the hook before a run', () => {
  test('is waited for, with the request and the signal of the run', async () => {
    const order: string[] = [];
    const { widgets, clock } = await startController({
      beforeReconcile: async ({ name }, signal) => {
        order.push(`before ${name} ${signal.aborted}`);
        await sleep(clock, 100, signal);
      },
      reconcile: ({ name }) => void order.push(`run ${name}`),
    });
    widgets.set(widget('ns/a'));
    await clock.advance(99);
    expect(order).toEqual(['before a false']);
    await clock.advance(1);
    expect(order).toEqual(['before a false', 'run a']);
  });

  test('keeps the reconciler from running when it fails, and is retried like a failure', async () => {
    let failures = 2;
    let runs = 0;
    const { widgets, clock, value } = await startController({
      beforeReconcile: async () => {
        if (failures-- > 0) throw new Error('cache is behind');
      },
      reconcile: () => void runs++,
    });
    widgets.set(widget('ns/a'));
    await clock.advance(1000);
    expect(runs).toBe(1);
    expect(value('reconcile_errors_total')).toBe(2);
  });
});
