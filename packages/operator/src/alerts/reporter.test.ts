import { describe, expect, test } from 'vitest';
import {
  cause,
  fakeView,
  later,
  reloadedWorkload,
  reloadReport,
  START,
  verdictOf,
  viewOf,
  wantOf,
} from '../reloader/report/report.test.support.ts';
import { configFacts, workloadFacts } from '../reloader/want/world.test.support.ts';
import { destination } from './delivery/sender.test.support.ts';
import type { AlertMessage } from './message.ts';
import { AlertReporter } from './reporter.ts';

function setUp(receivers = 1) {
  const told: AlertMessage[] = [];
  const settle: (() => void)[] = [];
  const alerted: string[] = [];
  const reporter = new AlertReporter({
    sender: {
      send(_, message, onSettled = () => undefined) {
        if (!told.includes(message)) told.push(message);
        settle.push(onSettled);
      },
    },
    destinations: {
      of: () => Array.from({ length: receivers }, (_, index) => destination({ id: `r${index}` })),
    },
    now: () => START + 5_000,
    onAlerted: ({ kind, namespace, name }, seq) => void alerted.push(`${kind} ${namespace}/${name} ${seq}`),
  });
  return { reporter, told, settle, alerted };
}

const web = { kind: 'Deployment', namespace: 'shop', name: 'web' };

describe('A reload', () => {
  test('is reported with all its facts', () => {
    const { reporter, told } = setUp();
    reporter.reloaded(
      reloadReport({ causes: [cause('Secret', 'credentials')], configs: ['shop/rules'], now: START }),
    );
    expect(told).toEqual([
      {
        event: 'reloaded',
        workload: web,
        resources: [{ kind: 'Secret', namespace: 'shop', name: 'credentials' }],
        strategy: 'env-vars',
        at: START,
        error: undefined,
        deferral: undefined,
        configs: ['shop/rules'],
      },
    ]);
  });

  test('by eviction is called a restart', () => {
    const { reporter, told } = setUp();
    reporter.reloaded(reloadReport({ rolloutStrategy: 'restart' }));
    expect(told[0]?.strategy).toBe('restart');
  });

  test('counts as reported when the last receiver is done', () => {
    const { reporter, settle, alerted } = setUp(3);
    reporter.reloaded(reloadReport({ seq: 7 }));
    settle[0]?.();
    settle[1]?.();
    expect(alerted).toEqual([]);
    settle[2]?.();
    expect(alerted).toEqual(['Deployment shop/web 7']);
  });
});

describe('A failure', () => {
  const fail = (stage: ReturnType<typeof setUp>, final = false, causes = [cause('Secret', 'credentials')]) =>
    stage.reporter.failed(reloadReport({ causes }), new Error('no quota'), final);

  test('that is final is reported at once, and once', () => {
    const stage = setUp();
    fail(stage, true);
    fail(stage, true);
    expect(stage.told).toMatchObject([{ event: 'failed', error: 'no quota', at: START + 5_000 }]);
    expect(stage.alerted).toEqual([]);
  });

  test('that is retried is reported after the third try, and once', () => {
    const stage = setUp();
    fail(stage);
    fail(stage);
    expect(stage.told).toEqual([]);
    for (let tries = 3; tries < 10; tries++) fail(stage);
    expect(stage.told).toHaveLength(1);
  });

  test('of another change is reported', () => {
    const stage = setUp();
    fail(stage, true);
    fail(stage, true, [cause('ConfigMap', 'settings')]);
    expect(stage.told).toHaveLength(2);
  });

  test('after a success is reported, and its tries count from one', () => {
    const stage = setUp();
    for (let tries = 0; tries < 3; tries++) fail(stage);
    stage.reporter.reloaded(reloadReport());
    fail(stage);
    expect(stage.told.map(({ event }) => event)).toEqual(['failed', 'reloaded']);
    fail(stage);
    fail(stage);
    expect(stage.told.map(({ event }) => event)).toEqual(['failed', 'reloaded', 'failed']);
  });

  test('of a deleted workload is forgotten', () => {
    const stage = setUp();
    fail(stage, true);
    stage.reporter.forget({ kind: 'Deployment', namespace: 'shop', name: 'web' });
    fail(stage, true);
    expect(stage.told).toHaveLength(2);
  });

  test('is followed by the result of restoring its sources', () => {
    const { reporter, told } = setUp();
    const workload = reloadedWorkload([{ seq: 3, sources: ['cm/settings'] }]);
    reporter.attach(fakeView(viewOf(workload)));
    const report = { sources: [], configs: [], message: 'Helm owns it' };
    reporter.restored(workload, { ...report, seq: 3, result: 'refused' });
    reporter.restored(workload, { ...report, seq: 9, result: 'refused' });
    expect(told).toMatchObject([
      { event: 'failed', error: 'nothing is put back: Helm owns it', resources: [{ name: 'settings' }] },
    ]);
  });

  test('of the rollout names the causes of the reload', () => {
    const { reporter, told } = setUp();
    const workload = reloadedWorkload([{ seq: 3, sources: ['secret/credentials', 'cm/ops/ca'] }]);
    reporter.attach(fakeView(viewOf(workload)));
    reporter.rolledOut(workload, 3, 'failed', 'deadline exceeded');
    reporter.rolledOut(workload, 3, 'succeeded', '');
    reporter.rolledOut(workload, 9, 'failed', 'unknown reload');
    expect(told).toMatchObject([
      {
        event: 'failed',
        error: 'the rollout failed: deadline exceeded',
        resources: [
          { kind: 'Secret', namespace: 'shop', name: 'credentials' },
          { kind: 'ConfigMap', namespace: 'ops', name: 'ca' },
        ],
        configs: ['shop/rules'],
      },
    ]);
  });
});

describe('A deferral', () => {
  const want = wantOf({ configs: [configFacts()] });

  test('is reported once for each reason, with its causes', () => {
    const { reporter, told } = setUp();
    const { policy } = want;
    const causes = [cause('Secret', 'credentials')];
    const reload = { causes, configs: [], mark: '', ledger: {} as never, policy };
    reporter.attach(fakeView(viewOf(workloadFacts(), { verdict: verdictOf({ action: 'reload', reload }) })));
    reporter.deferred(workloadFacts(), want, later('paused', START + 60_000));
    reporter.deferred(workloadFacts(), want, later('paused', START + 90_000));
    reporter.deferred(workloadFacts(), want, later('frozen'));
    expect(told).toMatchObject([
      {
        event: 'deferred',
        resources: [{ name: 'credentials' }],
        deferral: { why: 'paused', message: 'because it is paused', until: START + 60_000 },
        configs: ['shop/rules'],
      },
      { deferral: { why: 'frozen', until: undefined } },
    ]);
  });

  test.each(['settling', 'observing'] as const)('by %s is not reported', (why) => {
    const { reporter, told } = setUp();
    reporter.deferred(workloadFacts(), want, later(why));
    expect(told).toEqual([]);
  });

  test('after one that ended is reported', () => {
    const { reporter, told } = setUp();
    const defer = () => reporter.deferred(workloadFacts(), want, later('paused'));
    defer();
    reporter.recorded(workloadFacts(), verdictOf({ action: 'reload' }));
    defer();
    expect(told).toHaveLength(1);
    reporter.recorded(workloadFacts(), verdictOf({ action: 'record' }));
    defer();
    expect(told).toHaveLength(2);
  });
});
