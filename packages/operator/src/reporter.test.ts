import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createRegistry,
  type EventRecorder,
  kinds,
  type Labels,
  type ObjectReference,
} from '@reloader/runtime';
import { createCapturingLogger, metricValue, recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { WORKLOAD_KINDS } from './reloader/model/workload.ts';
import {
  cause,
  fakeView,
  later,
  reloadReport,
  START,
  verdictOf,
  viewOf,
  wantOf,
} from './reloader/report/report.test.support.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  workloadFacts,
} from './reloader/want/world.test.support.ts';
import { createReporter, type ReporterOptions } from './reporter.ts';
import { inlineRenderer } from './template/renderer.ts';

/** Only the parts that run in a manager may use the client. */
const noClient = new Proxy({} as Client, {
  get: (_, method) => {
    throw new Error(`Nobody should call ${String(method)}`);
  },
});

function setUp(overrides: Partial<ReporterOptions> = {}) {
  const clock = new VirtualClock();
  const metrics = createRegistry();
  const log = createCapturingLogger();
  const events: { component: string; on: string; type: string; reason: string; message: string }[] = [];
  const recorder = (component: string): EventRecorder => ({
    record: ({ kind, namespace, name, uid }: ObjectReference, type, reason, message) =>
      void events.push({ component, on: `${kind} ${namespace}/${name} ${uid}`, type, reason, message }),
  });
  const world = fakeWorld({ workloads: [workloadFacts()], configs: [configFacts()] });
  const options = {
    client: noClient,
    metrics,
    logger: log.logger,
    clock,
    world,
    settings: defaultSettings(),
    templates: inlineRenderer,
  };
  const reporter = createReporter({ ...options, events: recorder, ...overrides });
  const value = (name: string, labels: Labels = {}) => metricValue(metrics, name, labels);
  return { clock, reporter, metrics, value, log, events };
}

describe('Events', () => {
  test('a reload is one Event on the workload, and one on each config that asked', async () => {
    const { clock, reporter, events } = setUp();
    reporter.reloaded(reloadReport({ causes: [cause('Secret', 'credentials')], configs: ['shop/rules'] }));
    await clock.advance(1_000);
    expect(events).toEqual([
      {
        component: 'reloader-secrets',
        on: 'Deployment shop/web uid-web',
        type: 'Normal',
        reason: 'Reloaded',
        message: expect.stringContaining("Changes detected in 'credentials' of type 'SECRET'"),
      },
      {
        component: 'reloader',
        on: 'ReloaderConfig shop/rules uid-rules',
        type: 'Normal',
        reason: 'Reloaded',
        message: 'Reloaded Deployment shop/web because of Secret shop/credentials',
      },
    ]);
  });

  test('the component follows the kind of the last cause', () => {
    const { reporter, events } = setUp();
    reporter.reloaded(reloadReport({ causes: [cause('Secret', 'a'), cause('ConfigMap', 'b')] }));
    reporter.reloaded(reloadReport({ causes: [cause('SecretProviderClass', 'c')] }));
    reporter.reloaded(reloadReport({ causes: [] }));
    expect(events.map(({ component }) => component)).toEqual([
      'reloader-configmaps',
      'reloader-secretproviderclasspodstatuses',
      'reloader',
    ]);
  });

  test('a deleted config gets none', async () => {
    const { clock, reporter, events } = setUp();
    reporter.reloaded(reloadReport({ configs: ['shop/gone'] }));
    await clock.advance(1_000);
    expect(events).toHaveLength(1);
  });

  test('the same failure is reported once, another one again', () => {
    const { reporter, events } = setUp();
    reporter.failed(reloadReport(), new Error('quota'), false);
    reporter.failed(reloadReport(), new Error('quota'), false);
    reporter.failed(reloadReport(), new Error('quota'), true);
    reporter.reloaded(reloadReport());
    reporter.failed(reloadReport(), new Error('quota'), false);
    expect(events.map(({ reason }) => reason)).toEqual([
      'ReloadFail',
      'ReloadFail',
      'Reloaded',
      'ReloadFail',
    ]);
    expect(events[0]).toMatchObject({ type: 'Warning', component: 'reloader-configmaps' });
  });

  test('a problem is reported once, until it changes or comes back', () => {
    const { reporter, events } = setUp();
    const problem = { field: 'reloader.stakater.com/settle', reason: 'InvalidDuration', message: 'write 5s' };
    for (let pass = 0; pass < 3; pass++) reporter.problems(workloadFacts(), [problem]);
    expect(events).toMatchObject([
      { type: 'Warning', reason: 'InvalidDuration', message: 'reloader.stakater.com/settle: write 5s' },
    ]);
    reporter.problems(workloadFacts(), [{ ...problem, message: 'write 6s' }]);
    reporter.problems(workloadFacts(), []);
    reporter.problems(workloadFacts(), [problem]);
    expect(events).toHaveLength(3);
    reporter.forget({ kind: 'Deployment', namespace: 'shop', name: 'web' });
    reporter.problems(workloadFacts(), [problem]);
    expect(events).toHaveLength(4);
  });

  test('a deferral is reported once for each reason, settling and observing not at all', () => {
    const { reporter, events } = setUp();
    const defer = (...[why, until]: Parameters<typeof later>) =>
      reporter.deferred(workloadFacts(), wantOf(), later(why, until));
    defer('settling', START + 1000);
    defer('paused', START + 1000);
    defer('paused', START + 2000);
    defer('frozen');
    defer('observing');
    expect(events.map(({ reason, message }) => `${reason} ${message.slice(0, 31)}`)).toEqual([
      'ReloadDeferred A reload is held back (paused):',
      'ReloadDeferred A reload is held back (frozen):',
    ]);
  });

  test('marks of another reloader are a Warning when the workload is taken over', () => {
    const { reporter, events } = setUp();
    reporter.recorded(
      workloadFacts(),
      verdictOf({ because: 'adopted', foreignSlots: ['STAKATER_A_SECRET'] }),
    );
    reporter.recorded(workloadFacts(), verdictOf({ because: 'adopted' }));
    expect(events).toMatchObject([
      { type: 'Warning', reason: 'ForeignDigest', message: expect.stringContaining('STAKATER_A_SECRET') },
    ]);
  });
});

describe('log lines', () => {
  test('report changed data by digests, and how many workloads it concerns', () => {
    const { reporter, log } = setUp();
    reporter.sourceChanged('ConfigMap', { namespace: 'shop', name: 'settings' }, 'one', 'two', 3);
    expect(log.entries).toMatchObject([
      {
        level: 'info',
        message: 'ConfigMap data changed',
        values: { name: 'settings', oldHash: 'one', newHash: 'two' },
      },
      { level: 'info', message: 'Found targets for reload', values: { totalTargets: 3 } },
    ]);
  });

  test('hold no digest of a Secret, and still distinguish its contents', () => {
    const { reporter, log } = setUp();
    const other = setUp();
    for (const each of [reporter, other.reporter]) {
      each.sourceChanged('Secret', { namespace: 'shop', name: 'credentials' }, 'digest-1', 'digest-2', 0);
      each.sourceChanged('Secret', { namespace: 'shop', name: 'credentials' }, 'digest-2', 'digest-1', 0);
      each.sourceChanged('Secret', { namespace: 'shop', name: 'credentials' }, 'digest-1', undefined, 0);
      each.sourceChanged('Secret', { namespace: 'shop', name: 'credentials' }, undefined, 'digest-1', 0);
    }
    expect(JSON.stringify([log.entries, other.log.entries])).not.toMatch(/digest-/);
    const [first, second] = log.entries.map(({ values }) => values);
    expect(first).toMatchObject({ oldHash: second?.newHash, newHash: second?.oldHash });
    expect(first?.oldHash).not.toBe(first?.newHash);
    // The hashes cannot be compared with those of another log, or with a guessed value.
    expect(other.log.entries[0]?.values.oldHash).not.toBe(first?.oldHash);
  });

  test('do not report a write that changed no data, nor our own ConfigMaps', () => {
    const { reporter, log, value } = setUp();
    reporter.sourceChanged('ConfigMap', { namespace: 'shop', name: 'settings' }, 'one', 'one', 0);
    reporter.sourceChanged('ConfigMap', { namespace: 'reloader', name: 'reloader-history' }, 'one', 'two', 0);
    expect(log.messages()).toEqual([]);
    expect(value('reloader_skipped_total', { reason: 'no_data_change' })).toBe(1);
  });

  test('name kind and name of the reloaded workload', () => {
    const { reporter, log } = setUp();
    reporter.reloaded(reloadReport());
    expect(log.entries).toMatchObject([
      {
        level: 'info',
        message: 'Successfully triggered reload',
        values: { kind: 'Deployment', name: 'web' },
      },
    ]);
  });

  test('say that a paused workload is skipped, once', () => {
    const { reporter, log } = setUp();
    reporter.deferred(workloadFacts(), wantOf(), later('paused', START + 60_000));
    reporter.deferred(workloadFacts(), wantOf(), later('paused', START + 60_000));
    expect(log.messages('info')).toEqual(['Skipping reload - workload is paused']);
    expect(log.entries[0]?.values).toMatchObject({ until: '2030-01-01T00:01:00Z' });
  });
});

describe('metrics', () => {
  test('all of them exist at zero before anything happens', () => {
    const { value } = setUp();
    const zero: [string, Labels?][] = [
      ['reloader_reload_executed_total', { success: 'true' }],
      ['reloader_reload_executed_total', { success: 'false' }],
      ...(['success', 'error', 'skipped'] as const).map((result): [string, Labels] => [
        'reloader_reconcile_total',
        { result },
      ]),
      ['reloader_reconcile_duration_seconds_count', { result: 'success' }],
      ...WORKLOAD_KINDS.flatMap((kind): [string, Labels][] => [
        ['reloader_action_total', { workload_kind: kind, result: 'success' }],
        ['reloader_action_total', { workload_kind: kind, result: 'error' }],
        ['reloader_action_latency_seconds_count', { workload_kind: kind }],
        ['reloader_workloads_scanned_total', { kind }],
        ['reloader_workloads_matched_total', { kind }],
      ]),
      ['reloader_skipped_total', { reason: 'ignored_or_not_selected' }],
      ['reloader_skipped_total', { reason: 'strategy_not_updated' }],
      ['reloader_workqueue_depth'],
      ['reloader_workqueue_adds_total'],
      ['reloader_workqueue_latency_seconds_count'],
      ['reloader_errors_total', { type: 'handler_error' }],
      ['reloader_errors_total', { type: 'invalid_handler_type' }],
      ['reloader_retries_total'],
      ['reloader_events_received_total', { event_type: 'add', resource_type: 'configmaps' }],
      [
        'reloader_events_processed_total',
        { event_type: 'delete', resource_type: 'secrets', result: 'dropped' },
      ],
      ['reloader_deferred', { reason: 'frozen' }],
      ['reloader_last_reload_timestamp_seconds'],
      ['reloader_change_to_patch_seconds_count'],
      ['reloader_change_to_rollout_seconds_count'],
      ['reloader_adoptions_total'],
    ];
    for (const [name, labels] of zero)
      expect(value(name, labels), `${name} ${JSON.stringify(labels)}`).toBe(0);
    expect(
      value('reloader_reload_executed_total_by_namespace', { success: 'true', namespace: 'shop' }),
    ).toBeUndefined();
  });

  test('a reload is counted and timed from the first sight of its change', async () => {
    const { reporter, value, clock } = setUp({ metricsByNamespace: true });
    const report = reloadReport({ now: START + 2000 }, { seenAt: START });
    await clock.advance(2500);
    reporter.reloaded(report);
    await clock.advance(7500);
    reporter.rolledOut(report.plan.workload, 1, 'succeeded', '');
    expect(value('reloader_reload_executed_total', { success: 'true' })).toBe(1);
    expect(value('reloader_reload_executed_total_by_namespace', { success: 'true', namespace: 'shop' })).toBe(
      1,
    );
    expect(value('reloader_action_total', { workload_kind: 'Deployment', result: 'success' })).toBe(1);
    expect(value('reloader_action_latency_seconds_sum', { workload_kind: 'Deployment' })).toBe(0.5);
    expect(value('reloader_change_to_patch_seconds_sum')).toBe(2.5);
    expect(value('reloader_change_to_rollout_seconds_sum')).toBe(10);
    expect(value('reloader_last_reload_timestamp_seconds')).toBe(START / 1000 + 2);
  });

  test('restores, refused restores and undone restores are counted', () => {
    const { reporter, value } = setUp();
    const report = { seq: 1, sources: [], configs: [], message: '' };
    for (const result of ['restored', 'refused', 'fought'] as const) {
      expect(value('reloader_restores_total', { result })).toBe(0);
      reporter.restored(workloadFacts(), { ...report, result });
      expect(value('reloader_restores_total', { result })).toBe(1);
    }
  });

  test('failures, adoptions, passes and sources are counted', () => {
    const { reporter, value } = setUp();
    const workload = { kind: 'StatefulSet' as const, namespace: 'shop', name: 'db' };
    reporter.failed(reloadReport(), new Error('quota'), false);
    reporter.recorded(workloadFacts(), verdictOf({ because: 'adopted' }));
    reporter.reconciled({ workload, result: 'skipped', seconds: 0.02, matched: false });
    reporter.reconciled({ workload, result: 'error', seconds: 0.02, matched: true });
    reporter.unchangedByReload(workload);
    reporter.sourceChanged('Secret', { namespace: 'shop', name: 'a' }, undefined, 'one', 0);
    expect(value('reloader_reload_executed_total', { success: 'false' })).toBe(1);
    expect(value('reloader_action_total', { workload_kind: 'Deployment', result: 'error' })).toBe(1);
    expect(value('reloader_adoptions_total')).toBe(1);
    expect(value('reloader_reconcile_total', { result: 'skipped' })).toBe(1);
    expect(value('reloader_errors_total', { type: 'handler_error' })).toBe(1);
    expect(value('reloader_workloads_scanned_total', { kind: 'StatefulSet' })).toBe(2);
    expect(value('reloader_workloads_matched_total', { kind: 'StatefulSet' })).toBe(1);
    expect(value('reloader_skipped_total', { reason: 'strategy_not_updated' })).toBe(1);
    expect(value('reloader_skipped_total', { reason: 'ignored_or_not_selected' })).toBe(1);
    expect(value('reloader_events_received_total', { event_type: 'add', resource_type: 'secrets' })).toBe(1);
  });

  test('a change of a thousand namespaces more does not grow the number of series', () => {
    const { reporter, metrics, value } = setUp({ metricsByNamespace: true });
    for (let each = 0; each < 1100; each++) {
      reporter.reloaded(reloadReport({ workload: workloadFacts({ namespace: `n${each}` }) }));
    }
    const series = metrics.render().match(/^reloader_reload_executed_total_by_namespace\{/gm) ?? [];
    expect(series).toHaveLength(1001);
    expect(
      value('reloader_reload_executed_total_by_namespace', { success: 'true', namespace: '_other' }),
    ).toBe(100);
  });

  test('waiting workloads are counted by reason, until the view says that they no longer wait', () => {
    const { reporter, value } = setUp();
    const facts = workloadFacts();
    const view = fakeView(viewOf(facts, { deferred: later('paused', START + 1000) }));
    reporter.attach(view);
    reporter.deferred(facts, wantOf(), later('paused', START + 1000));
    expect(value('reloader_deferred', { reason: 'paused' })).toBe(1);
    view.show(viewOf(facts));
    expect(value('reloader_deferred', { reason: 'paused' })).toBe(0);
  });

  test('the queue of the engine is counted under both names', () => {
    const { reporter, value } = setUp();
    const { queueMetrics } = reporter;
    const labelNames = ['name', 'controller'];
    const labels = { name: 'reloader', controller: 'reloader' };
    const shape = { help: '', labelNames };
    queueMetrics.counter({ name: 'workqueue_adds_total', ...shape }).inc(labels);
    queueMetrics.counter({ name: 'workqueue_retries_total', ...shape }).inc(labels, 2);
    const duration = { name: 'workqueue_queue_duration_seconds', ...shape, buckets: [1] };
    queueMetrics.histogram(duration).observe(0.25, labels);
    const depth = queueMetrics.gauge({
      name: 'workqueue_depth',
      help: '',
      labelNames: [...labelNames, 'priority'],
    });
    depth.set(3, { ...labels, priority: '0' });
    depth.set(4, { ...labels, priority: '-100' });
    expect(value('reloader_workqueue_adds_total')).toBe(1);
    expect(value('workqueue_adds_total', labels)).toBe(1);
    expect(value('reloader_retries_total')).toBe(2);
    expect(value('reloader_workqueue_latency_seconds_sum')).toBe(0.25);
    expect(value('reloader_workqueue_depth')).toBe(7);
  });

  test('sources and workloads are counted when they can be', async () => {
    const inventory = () => ({ sources: { Secret: 5 }, workloads: { Deployment: 2 } });
    const { value } = setUp({ inventory });
    expect(value('reloader_sources', { kind: 'Secret' })).toBe(5);
    expect(value('reloader_workloads', { kind: 'Deployment' })).toBe(2);
    expect(value('reloader_workloads', { kind: 'Job' })).toBe(0);
  });
});

test('a part that fails affects neither the caller nor the other parts', async () => {
  const { reporter, value, log } = setUp({
    events: () => {
      throw new Error('broken');
    },
  });
  reporter.reloaded(reloadReport());
  expect(value('reloader_reload_executed_total', { success: 'true' })).toBe(1);
  expect(reporter.history.of({ kind: 'Deployment', namespace: 'shop', name: 'web' })?.reloads).toHaveLength(
    1,
  );
  expect(log.messages('error')).toEqual(['A report failed; reloads go on']);
});

test('with recorders of its own it writes core Events that name their component', async () => {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  const inner = createClient({ transport: cluster.transport(), clock });
  const { client, writes } = recordWrites(inner);
  const reporter = createReporter({
    client,
    clock,
    metrics: createRegistry(),
    logger: createCapturingLogger().logger,
    world: fakeWorld(),
    settings: defaultSettings(),
    templates: inlineRenderer,
  });
  const stopping = new AbortController();
  const recorders = reporter.runnables.filter(({ name }) => name === 'event recorder');
  const running = recorders.map((each) => each.start({ stopping: stopping.signal, abort: stopping.signal }));
  reporter.reloaded(reloadReport({ workload: workloadFacts({ namespace: 'default' }) }));
  await clock.settle();
  stopping.abort();
  await Promise.all(running);
  expect(writes.map(({ body }) => body)).toMatchObject([
    {
      reason: 'Reloaded',
      source: { component: 'reloader-configmaps' },
      involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', uid: 'uid-web' },
    },
  ]);
  expect((await inner.list(kinds.CoreEvent, { namespace: 'default' })).items).toHaveLength(1);
  await inner.close();
  await cluster.stop();
});
