import type { EventExtra, EventRecorder, ObjectReference } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, it } from 'vitest';
import type { ReloadPlan } from '../model/plan.ts';
import { configFacts, fakeWorld, workloadFacts } from '../want/world.test.support.ts';
import { ReloadEvents } from './events.ts';
import { cause, reloadReport } from './report.test.support.ts';
import type { ReloadReport } from './reporter.ts';

function setUp() {
  const clock = new VirtualClock();
  const told: string[] = [];
  const recorder: EventRecorder = {
    record: (reference: ObjectReference, _type, _reason, message: string, extra?: EventExtra) =>
      void told.push(`${reference.kind}: ${message}${extra?.standing ? ' (standing)' : ''}`),
  };
  const config = configFacts({});
  const { namespace, name } = config.metadata;
  const events = new ReloadEvents(() => recorder, fakeWorld({ configs: [config] }), clock);
  return {
    clock,
    events,
    told: (kind: string) => told.filter((line) => line.startsWith(`${kind}:`)),
    reload: (workload: string) => {
      const plan = {
        workload: workloadFacts({ name: workload }),
        causes: [],
        configs: [`${namespace}/${name}`],
      } as unknown as ReloadPlan;
      events.reloaded({ plan } as ReloadReport);
    },
  };
}

it('a workload hears of every reload, its config of a burst at once, by number and name', async () => {
  const { clock, told, reload } = setUp();
  for (const name of ['web', 'api', 'worker']) reload(name);
  await clock.advance(1_000);
  expect(told('Deployment')).toHaveLength(3);
  expect(told('ReloaderConfig')).toEqual([
    'ReloaderConfig: 3 workloads reloaded because of an undone reload: Deployment shop/api, Deployment shop/web, Deployment shop/worker',
  ]);
  reload('web');
  await clock.advance(1_000);
  expect(told('ReloaderConfig')[1]).toBe(
    'ReloaderConfig: Reloaded Deployment shop/web because of an undone reload',
  );
});

it('a problem is told as one that stands, so that no start repeats it', () => {
  const { told, events } = setUp();
  const problems = [{ field: 'reloader.stakater.com/kind', reason: 'UnknownKind', message: 'no kind' }];
  events.problems(workloadFacts(), problems);
  events.problems(workloadFacts(), problems);
  expect(told('Deployment')).toEqual(['Deployment: reloader.stakater.com/kind: no kind (standing)']);
});

it.each([
  ['restored', 'put back'],
  ['refused', 'Nothing is put back: put back'],
  ['fought', 'put back'],
] as const)('what is %s is told to the workload and its config', (result, expected) => {
  const { told, events } = setUp();
  const report = { result, seq: 1, sources: [], configs: ['shop/rules'], message: 'put back' };
  events.restored(workloadFacts(), report);
  expect(told('Deployment')).toEqual([`Deployment: ${expected}`]);
  expect(told('ReloaderConfig')).toEqual([`ReloaderConfig: Deployment shop/web: ${expected}`]);
});

it('an undo is told as such, to the workload and at once to its config', () => {
  const { told, events } = setUp();
  const report = reloadReport({ configs: ['shop/config'], causes: [cause('ConfigMap', 'settings')] });
  const { namespace, name } = configFacts({}).metadata;
  const plan = { ...report.plan, configs: [`${namespace}/${name}`] };
  events.reloaded({ ...report, plan, undoes: 6 });
  const text =
    'Reload 6 of Deployment shop/web had failed and is undone: ConfigMap shop/settings is what it was before';
  expect(told('Deployment')).toEqual([expect.stringContaining(text)]);
  expect(told('ReloaderConfig')).toEqual([expect.stringContaining(text)]);
});
