/** Results and failures of a whole controller: when the next run starts, and which metrics and status follow. */
import { describe, expect, test } from 'vitest';
import { ConflictError, TooManyRequestsError } from '../client/errors.ts';
import { sleep } from '../clock/clock.ts';
import { TerminalError } from '../model/errors.ts';
import type { Result } from '../model/result.ts';
import { type HarnessOptions, startController, widget } from './harness.test.support.ts';

/** Starts with one widget; each run returns or throws the next of `steps`, then succeeds. Collects run times. */
async function runSteps(steps: readonly (() => Result | undefined)[], options: HarnessOptions = {}) {
  const times: number[] = [];
  const started = await startController({
    reconcile: () => {
      times.push(started.clock.monotonic());
      return steps[times.length - 1]?.();
    },
    ...options,
  });
  started.widgets.set(widget('ns/a'));
  await started.clock.settle();
  return { ...started, times };
}

const fail = (error: unknown) => (): never => {
  throw error;
};

describe('retries', () => {
  test('back off from 5 ms, doubling, and reset after a success', async () => {
    const { times, clock, widgets, value } = await runSteps([
      fail(new Error('1')),
      fail(new Error('2')),
      fail(new Error('3')),
      () => undefined,
      fail(new Error('4')),
    ]);
    await clock.advance(1000);
    expect(times).toEqual([0, 5, 15, 35]);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(1000);
    expect(times).toEqual([0, 5, 15, 35, 1000, 1005]);
    expect(value('reconcile_total', { result: 'error' })).toBe(4);
    expect(value('reconcile_total', { result: 'success' })).toBe(2);
    expect(value('reconcile_errors_total')).toBe(4);
  });

  test('an event does not wait for the backoff', async () => {
    const { times, clock, widgets } = await runSteps([fail(new Error('x'))], {
      queue: { backoff: () => 60_000 },
    });
    await clock.advance(100);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(100);
    expect(times).toEqual([0, 100]);
  });

  test('a rejection and a synchronous throw end up alike', async () => {
    const { clock, widgets, value } = await startController({
      reconcile: ({ name }) => {
        if (name === 'sync') throw new Error('sync');
        return Promise.reject(new Error('async'));
      },
      maxRetries: 0,
    });
    widgets.set(widget('ns/sync'));
    widgets.set(widget('ns/async'));
    await clock.advance(1000);
    expect(value('reconcile_errors_total')).toBe(2);
  });

  test("wait for the server's Retry-After", async () => {
    const busy = new TooManyRequestsError({ code: 429 }, { retryAfterMs: 5000 });
    const { times, clock } = await runSteps([fail(new Error('Cannot patch', { cause: busy }))]);
    await clock.advance(10_000);
    expect(times).toEqual([0, 5000]);
  });

  test('end when they are used up; the next event restores them', async () => {
    const always = Array.from({ length: 20 }, () => fail(new Error('x')));
    const { times, clock, widgets, log } = await runSteps(always, { maxRetries: 2 });
    await clock.advance(10_000);
    expect(times).toEqual([0, 5, 15]);
    expect(log.messages('error').at(-1)).toBe('Reconcile failed and has no retries left');
    widgets.set(widget('ns/a', '2'));
    await clock.advance(10_000);
    expect(times).toEqual([0, 5, 15, 10_000, 10_005, 10_015]);
  });

  test('are not used up by events that come while a retry is due later', async () => {
    const always = Array.from({ length: 20 }, () => fail(new Error('x')));
    const last: boolean[] = [];
    const { clock, widgets } = await startController({
      maxRetries: 1,
      queue: { backoff: () => 60_000 },
      reconcile: (_request, { isLastAttempt }) => {
        last.push(isLastAttempt);
        always[0]?.();
      },
    });
    widgets.set(widget('ns/a'));
    for (let event = 2; event < 7; event++) {
      await clock.advance(1000);
      widgets.set(widget('ns/a', String(event)));
    }
    await clock.advance(120_000);
    expect(last).toEqual([false, false, false, false, false, false, true]);
  });
});

describe('requeue after a time', () => {
  test('runs after that time, repeatedly, and resets the backoff', async () => {
    const after = (): Result => ({ requeueAfterMs: 600_000 });
    const { times, clock, value } = await runSteps([
      fail(new Error('x')),
      after,
      after,
      fail(new Error('y')),
    ]);
    await clock.advance(1_200_005);
    await clock.advance(5);
    expect(times).toEqual([0, 5, 600_005, 1_200_005, 1_200_010]);
    expect(value('reconcile_total', { result: 'requeue_after' })).toBe(2);
  });

  test('an event in between wins, and the old time is dropped', async () => {
    const { times, clock, widgets } = await runSteps([() => ({ requeueAfterMs: 1000 })]);
    await clock.advance(400);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(5000);
    expect(times).toEqual([0, 400]);
  });

  test('an event during the run wins as well', async () => {
    const times: number[] = [];
    const { widgets, clock } = await startController({
      reconcile: async () => {
        times.push(clock.monotonic());
        await sleep(clock, 100);
        return times.length === 1 ? { requeueAfterMs: 60_000 } : undefined;
      },
    });
    widgets.set(widget('ns/a'));
    await clock.advance(50);
    widgets.set(widget('ns/a', '2'));
    await clock.advance(120_000);
    expect(times).toEqual([0, 100]);
  });
});

describe('requeue', () => {
  test('comes with backoff, and counts as neither success nor error', async () => {
    const again = (): Result => ({ requeue: true });
    const { times, clock, value } = await runSteps([again, again]);
    await clock.advance(1000);
    expect(times).toEqual([0, 5, 15]);
    expect(value('reconcile_total', { result: 'requeue' })).toBe(2);
    expect(value('reconcile_errors_total')).toBe(0);
  });
});

describe('priorities', () => {
  test('a run that is asked for again keeps its priority, unless the result names another', async () => {
    const { widgets, clock, controller } = await startController(
      { reconcile: ({ name }) => ({ requeueAfterMs: 1000, ...(name === 'b' ? { priority: 7 } : {}) }) },
      { synced: false },
    );
    widgets.set(widget('ns/a'));
    widgets.set(widget('ns/b'));
    widgets.sync();
    await clock.advance(100);
    expect(controller.inspect().map(({ key, priority }) => [key, priority])).toEqual([
      ['ns/a', -100],
      ['ns/b', 7],
    ]);
  });
});

describe('errors', () => {
  test('that are terminal are counted and not retried, until an event', async () => {
    const { times, clock, widgets, value, log } = await runSteps([fail(new TerminalError('bad schema'))]);
    await clock.advance(1_000_000);
    expect(times).toEqual([0]);
    expect(value('terminal_reconcile_errors_total')).toBe(1);
    expect(value('reconcile_errors_total')).toBe(1);
    expect(log.messages('error')).toEqual([
      'Reconcile failed with a terminal error; not retried before the next event',
    ]);
    widgets.set(widget('ns/a', '2'));
    await clock.settle();
    expect(times).toEqual([0, 1_000_000]);
  });

  test.each([new TypeError('x is not a function'), 'a text', undefined, null])(
    'that point at a bug (%s) are counted as panics, and retried',
    async (thrown) => {
      const { times, clock, value } = await runSteps([fail(thrown)]);
      await clock.advance(1000);
      expect(times).toEqual([0, 5]);
      expect(value('reconcile_panics_total')).toBe(1);
      expect(value('reconcile_errors_total')).toBe(1);
    },
  );

  test('of the server are no panics, and only a warning where waiting helps', async () => {
    const { clock, value, log } = await runSteps([
      fail(new ConflictError({ message: 'the object has been modified' })),
    ]);
    await clock.advance(1000);
    expect(value('reconcile_panics_total')).toBe(0);
    expect(log.messages('warn')).toEqual(['Reconcile failed, will retry']);
    expect(log.messages('error')).toEqual([]);
  });

  test('are logged with the object, the attempt and the error itself', async () => {
    const error = new Error('no such key');
    const { log } = await runSteps([fail(error)]);
    const line = log.entries.find(({ level }) => level === 'error');
    expect(line?.values).toMatchObject({
      object: 'ns/a',
      attempt: 1,
      error,
      reconcileID: expect.any(String),
    });
  });

  test('next to a result take precedence, and the author is warned', async () => {
    const { times, clock, log } = await runSteps([() => ({ requeueAfterMs: 60_000, error: new Error('x') })]);
    await clock.advance(10_000);
    expect(times).toEqual([0, 5]);
    expect(log.messages('warn')[0]).toContain('the error takes precedence');
  });

  test('of one key do not delay another', async () => {
    const seen: string[] = [];
    const { widgets, clock } = await startController({
      reconcile: ({ name }) => {
        seen.push(name);
        if (name === 'bad') throw new Error('x');
      },
    });
    widgets.set(widget('ns/bad'));
    widgets.set(widget('ns/good'));
    await clock.settle();
    expect(seen).toEqual(['bad', 'good']);
  });
});

describe('metrics', () => {
  test('all series are there at zero before the first run', async () => {
    const { value } = await startController({ concurrency: 3 });
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
      expect([result, value('reconcile_total', { result })]).toEqual([result, 0]);
    }
    for (const name of [
      'reconcile_errors_total',
      'terminal_reconcile_errors_total',
      'reconcile_panics_total',
      'reconcile_timeouts_total',
      'reconcile_time_seconds_count',
      'active_workers',
      'event_mapping_errors_total',
      'reconciles_ignoring_abort',
    ]) {
      expect([name, value(name)]).toEqual([name, 0]);
    }
    expect(value('max_concurrent_reconciles')).toBe(3);
  });

  test('the histogram has the forty buckets that dashboards expect', async () => {
    const { metrics } = await startController();
    const bounds = [...metrics.render().matchAll(/reconcile_time_seconds_bucket{.*le="(.*)"}/g)].map(
      ([, le]) => le,
    );
    expect(bounds).toHaveLength(41);
    expect([bounds[0], bounds[39], bounds[40]]).toEqual(['0.005', '60', '+Inf']);
  });

  test('durations and active workers are those of the runs', async () => {
    const { widgets, clock, value } = await startController({
      concurrency: 2,
      reconcile: async () => sleep(clock, 2000),
    });
    widgets.set(widget('ns/a'));
    widgets.set(widget('ns/b'));
    await clock.advance(1000);
    expect(value('active_workers')).toBe(2);
    await clock.advance(1000);
    expect(value('active_workers')).toBe(0);
    expect(value('reconcile_time_seconds_sum')).toBe(4);
  });
});

describe('inspection', () => {
  test('reports for every key when and why it runs next, its failures and its last error', async () => {
    const { widgets, clock, controller } = await startController({
      timeoutMs: 0,
      concurrency: 2,
      queue: { backoff: () => 10_000 },
      reconcile: async ({ name }) => {
        if (name === 'failing') throw new Error('no such key');
        if (name === 'terminal') throw new TerminalError('bad schema');
        if (name === 'running') await sleep(clock, 60_000);
        return { requeueAfterMs: 5000 };
      },
    });
    for (const name of ['failing', 'terminal', 'fine', 'running']) widgets.set(widget(`ns/${name}`));
    await clock.advance(1000);
    const nothing = {
      priority: 0,
      dueInMs: undefined,
      runningMs: undefined,
      failures: 0,
      lastError: undefined,
      lastErrorAt: undefined,
      ignoresAbort: false,
    };
    const failed = { lastErrorAt: clock.now() - 1000 };
    expect(controller.inspect()).toEqual([
      {
        ...nothing,
        ...failed,
        key: 'ns/failing',
        state: 'waiting',
        dueInMs: 9000,
        failures: 1,
        lastError: 'Error: no such key',
        reason: 'error of result of the run before',
      },
      {
        ...nothing,
        key: 'ns/fine',
        state: 'waiting',
        dueInMs: 4000,
        reason: 'requeue_after of result of the run before',
      },
      {
        ...nothing,
        key: 'ns/running',
        state: 'processing',
        runningMs: 1000,
        reason: 'add of Widget ns/running',
      },
      {
        ...nothing,
        ...failed,
        key: 'ns/terminal',
        state: 'idle',
        lastError: 'TerminalError: bad schema',
        reason: undefined,
      },
    ]);
  });

  test('forgets a failure when the key succeeds', async () => {
    const { clock, controller } = await runSteps([fail(new Error('x'))]);
    expect(controller.inspect()).toHaveLength(1);
    await clock.advance(1000);
    expect(controller.inspect()).toEqual([]);
  });

  test('keeps a bounded number of failures', async () => {
    const { widgets, clock, controller } = await startController({
      reconcile: () => {
        throw new TerminalError('x');
      },
    });
    for (let index = 0; index < 1200; index++) widgets.set(widget(`ns/${index}`));
    await clock.settle();
    const keys = controller.inspect().map(({ key }) => key);
    expect(keys).toHaveLength(1000);
    expect(keys[0]).toBe('ns/200');
  });
});
