import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createRegistry,
  type EventRecorder,
  kinds,
  systemClock,
} from '@reloader/runtime';
import { createCapturingLogger, metricValue, VirtualClock } from '@reloader/runtime/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ALERT_EVENTS, type ChannelFacts } from '../reloader/model/config.ts';
import { Hidden } from '../reloader/model/hidden.ts';
import type { Ledger } from '../reloader/model/ledger.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import {
  cause,
  recordIn,
  reloadedWorkload,
  reloadReport,
  START_S,
} from '../reloader/report/report.test.support.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  workloadFacts,
} from '../reloader/want/world.test.support.ts';
import { createReporter, type ReporterOptions } from '../reporter.ts';
import type { AlertSettings } from '../settings/settings.ts';
import { inlineRenderer } from '../template/renderer.ts';
import { startReceiver } from './delivery/receiver.test.support.ts';

let cluster: Awaited<ReturnType<typeof startMinicluster>>;
let client: Client;
beforeAll(async () => {
  cluster = await startMinicluster({ workloads: false });
  client = createClient({ transport: cluster.transport() });
  for (const name of ['shop', 'reloader']) await client.create(kinds.Namespace, { metadata: { name } });
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});
beforeEach(async () => {
  await client.delete(kinds.Secret, { namespace: 'shop', name: 'hooks' }).catch(() => undefined);
  await client
    .delete(kinds.ConfigMap, { namespace: 'reloader', name: 'reloader-history' })
    .catch(() => undefined);
});

const ALERTS: AlertSettings = {
  global: undefined,
  proxy: undefined,
  additionalInfo: undefined,
  allowedHosts: [],
  allowInternal: true,
  groupWindowMs: 2_000,
};

function channel(overrides: Partial<ChannelFacts>): ChannelFacts {
  const secretRef = { namespace: 'shop', name: 'hooks', key: 'url' };
  const nothing = { url: undefined, template: undefined, format: undefined };
  return { channel: 'slack', secretRef, events: ALERT_EVENTS, ...nothing, ...overrides };
}

const keep = (url: URL) =>
  client.create(kinds.Secret, {
    metadata: { namespace: 'shop', name: 'hooks' },
    stringData: { url: url.href },
  } as object);

function setUp(channels: readonly ChannelFacts[], overrides: Partial<ReporterOptions> = {}) {
  const clock = new VirtualClock();
  const metrics = createRegistry();
  const log = createCapturingLogger();
  const events: string[] = [];
  const recorder: EventRecorder = {
    record: ({ kind, name }, type, reason, message) =>
      void events.push(`${kind}/${name} ${type} ${reason}: ${message}`),
  };
  const reporter = createReporter({
    client,
    metrics,
    logger: log.logger,
    clock,
    world: fakeWorld({ workloads: [workloadFacts()], configs: [configFacts({ alerts: channels })] }),
    settings: defaultSettings(),
    alerts: ALERTS,
    templates: inlineRenderer,
    events: () => recorder,
    ...overrides,
  });
  const [stopping, abort] = [new AbortController(), new AbortController()];
  const start = (name: string): Promise<void> => {
    const runnable = reporter.runnables.find((each) => each.name === name);
    if (!runnable) throw new Error(`nothing is called ${name}`);
    return runnable.start({ stopping: stopping.signal, abort: abort.signal });
  };
  onTestFinished(() => {
    stopping.abort();
    abort.abort();
  });
  const counted = (result: string, of = 'slack') =>
    metricValue(metrics, 'reloader_alerts_total', { channel: of, result }) ?? 0;
  const reload = () =>
    reporter.reloaded(reloadReport({ causes: [cause('Secret', 'credentials')], configs: ['shop/rules'] }));
  return { clock, metrics, log, events, reporter, start, stopping, counted, reload };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => systemClock.setTimeout(resolve, 1));
}

describe('Alerts of a ReloaderConfig', () => {
  test('go to the URL in the Secret, and it is shown nowhere', async () => {
    const stage = setUp([channel({})]);
    const receiver = await startReceiver();
    await keep(receiver.url);
    void stage.start('alerts');
    stage.reload();
    await stage.clock.advance(2_000);
    await until(() => stage.counted('sent') === 1);
    expect(receiver.received).toMatchObject([
      { path: '/hook/T0K3N', body: expect.stringContaining('Deployment/web') },
    ]);
    const shown = JSON.stringify([stage.log.entries, stage.events, stage.metrics.render()]);
    expect(shown).not.toMatch(/T0K3N|127\.0\.0\.1/);
  });

  test('follow a Secret that is rotated', async () => {
    const stage = setUp([channel({})]);
    const [before, after] = [await startReceiver([{ status: 500 }]), await startReceiver()];
    await keep(before.url);
    void stage.start('alerts');
    stage.reload();
    await stage.clock.advance(2_000);
    await until(() => stage.counted('retried') === 1);
    await client.delete(kinds.Secret, { namespace: 'shop', name: 'hooks' });
    await keep(after.url);
    await stage.clock.advance(1_000);
    await until(() => stage.counted('sent') === 1);
    expect(after.received).toHaveLength(1);
  });

  test('that cannot be sent cause one Event, and affect no other channel', async () => {
    const receiver = await startReceiver();
    const stage = setUp([channel({}), channel({ channel: 'teams', url: new Hidden(receiver.url.href) })]);
    void stage.start('alerts');
    for (const count of [1, 2]) {
      stage.reload();
      await stage.clock.advance(2_000);
      await until(() => stage.counted('failed') === count && stage.counted('sent', 'teams') === count);
    }
    expect(stage.events.filter((event) => event.includes('AlertFailed'))).toEqual([
      'ReloaderConfig/rules Warning AlertFailed: An alert to slack could not be sent: no URL can be read from key "url" of Secret shop/hooks: it must exist, hold a URL that begins with http:// or https://, and be readable for the operator',
    ]);
    // A channel that worked again and then fails is reported again.
    await keep(receiver.url);
    stage.reload();
    await stage.clock.advance(2_000);
    await until(() => stage.counted('sent') === 1);
    await client.delete(kinds.Secret, { namespace: 'shop', name: 'hooks' });
    stage.reload();
    await stage.clock.advance(2_000);
    await until(() => stage.counted('failed') === 3);
    expect(stage.events.filter((event) => event.includes('AlertFailed'))).toHaveLength(2);
  });

  test('are the usual ones where the template cannot be used, which is told', async () => {
    const receiver = await startReceiver();
    const url = new Hidden(receiver.url.href);
    const stage = setUp([channel({ url, template: `{{ if }}${' '.repeat(4_000)}` })]);
    void stage.start('alerts');
    for (const count of [1, 2]) {
      stage.reload();
      await stage.clock.advance(2_000);
      await until(() => stage.counted('sent') + stage.counted('failed') === count);
    }
    expect(receiver.received.map(({ body }) => body)).toEqual([
      expect.stringContaining('Deployment/web'),
      expect.stringContaining('Deployment/web'),
    ]);
    expect(stage.events.filter((event) => event.includes('AlertFailed'))).toEqual([
      expect.stringMatching(
        /An alert to slack was sent without its template: its template cannot be used, .*: template:1:\d+: /,
      ),
    ]);
  });

  test('that point to loopback are refused, and the log says what to do', async () => {
    const receiver = await startReceiver();
    const url = new Hidden(receiver.url.href);
    const stage = setUp([channel({ url })], { alerts: { ...ALERTS, allowInternal: false } });
    void stage.start('alerts');
    stage.reload();
    await stage.clock.advance(2_000);
    await until(() => stage.counted('failed') === 1);
    expect(receiver.received).toEqual([]);
    expect(stage.events.join()).toContain('--alert-allow-internal');
    expect(JSON.stringify([stage.log.entries, stage.events])).not.toMatch(/T0K3N|127\.0\.0\.1/);
  });

  test('a global receiver that will be refused is an error at the start', () => {
    const global = {
      words: 'cards',
      sink: 'slack',
      url: new Hidden('http://169.254.169.254:8080/T0K3N'),
      events: ALERT_EVENTS,
      template: undefined,
      format: undefined,
      grouped: true,
    } as const;
    const refused = setUp([], { alerts: { ...ALERTS, global, allowInternal: false } });
    expect(refused.log.messages('error')).toEqual(['No global alert will be sent']);
    expect(JSON.stringify(refused.log.entries)).not.toContain('T0K3N');
    expect(setUp([], { alerts: { ...ALERTS, global } }).log.messages('error')).toEqual([]);
    const beside = { ...global, url: new Hidden('http://localhost:8080/T0K3N') };
    const sidecar = setUp([], { alerts: { ...ALERTS, global: beside, allowInternal: false } });
    expect(sidecar.log.messages('error')).toEqual([]);
    const unlisted = setUp([], { alerts: { ...ALERTS, global, allowedHosts: ['hooks.slack.com'] } });
    expect(unlisted.log.messages('error')).toEqual(['No global alert will be sent']);
  });

  test('never make a reload wait: nothing happens before the reporter has returned', async () => {
    const receiver = await startReceiver([{ silent: true }]);
    const stage = setUp([channel({ url: new Hidden(receiver.url.href) })]);
    void stage.start('alerts');
    for (let each = 0; each < 2_000; each++) expect(stage.reload()).toBeUndefined();
    expect(receiver.received).toEqual([]);
    expect(stage.counted('dropped')).toBe(1_000);
    expect(metricValue(stage.metrics, 'reloader_alerts_queue')).toBe(1_000);
  });
});

describe('After a crash', () => {
  const recordsOf = (workload: WorkloadFacts): [WorkloadFacts, Ledger][] => {
    const record = recordIn(workload);
    return record ? [[workload, record]] : [];
  };

  const crashed = () => ({
    records: () => recordsOf(reloadedWorkload([{ at: START_S - 5, sources: ['secret/credentials'] }])),
  });

  test('reloads that the previous process may not have reported are reported, once the history is read', async () => {
    const receiver = await startReceiver();
    const stage = setUp([channel({ url: new Hidden(receiver.url.href) })], crashed());
    void stage.start('alerts');
    const telling = stage.start('alerts of the process before');
    void stage.start('reload history');
    await telling;
    await stage.clock.advance(2_000);
    await until(() => stage.counted('sent') === 1);
    expect(receiver.received[0]?.body).toContain('Secret/credentials');
    expect(stage.log.messages('info')).toContain('Reloads of the process before are told again');
  });

  test('a sent alert is recorded, and not sent again by the next process', async () => {
    const receiver = await startReceiver();
    const channels = [channel({ url: new Hidden(receiver.url.href) })];
    const first = setUp(channels);
    void first.start('alerts');
    void first.start('reload history');
    await until(() => first.clock.pendingTimers > 0);
    first.reload();
    await first.clock.advance(2_000);
    await until(() => first.counted('sent') === 1);
    first.stopping.abort();
    await first.start('reload history, last write');

    const second = setUp(channels, { records: () => recordsOf(reloadedWorkload([{ at: START_S - 5 }])) });
    void second.start('alerts');
    const telling = second.start('alerts of the process before');
    void second.start('reload history');
    await telling;
    expect(second.log.messages('info')).not.toContain('Reloads of the process before are told again');
  });
});
