import type { EventRecorder, ObjectReference } from '@reloader/runtime';
import { expect, it } from 'vitest';
import type { ReloadPlan } from '../model/plan.ts';
import { configFacts, fakeWorld, workloadFacts } from '../want/world.test.support.ts';
import { ReloadEvents } from './events.ts';
import type { ReloadReport } from './reporter.ts';

function setUp() {
  let now = 0;
  const told: string[] = [];
  const recorder = {
    record: (reference: ObjectReference, _type: string, _reason: string, message: string) =>
      told.push(`${reference.kind}: ${message}`),
  } as unknown as EventRecorder;
  const config = configFacts({});
  const { namespace, name } = config.metadata;
  const events = new ReloadEvents(
    () => recorder,
    fakeWorld({ configs: [config] }),
    () => now,
  );
  const plan = {
    workload: workloadFacts({}),
    causes: [],
    configs: [`${namespace}/${name}`],
  } as unknown as ReloadPlan;
  return {
    told: (kind: string) => told.filter((line) => line.startsWith(`${kind}:`)),
    reload: (at: number) => {
      now = at;
      events.reloaded({ plan } as ReloadReport);
    },
  };
}

it('a workload hears of every reload, its config at most twice a minute, with what it missed', () => {
  const { told, reload } = setUp();
  for (const at of [0, 1_000, 29_999]) reload(at);
  expect(told('Deployment')).toHaveLength(3);
  expect(told('ReloaderConfig')).toHaveLength(1);
  reload(30_000);
  expect(told('ReloaderConfig')).toHaveLength(2);
  expect(told('ReloaderConfig')[1]).toMatch(/; 2 further reloads since the last Event$/);
  reload(90_000);
  expect(told('ReloaderConfig')[2]).not.toContain('further');
});
