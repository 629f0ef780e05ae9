/** Many workloads of one source: how many together, in which order, and when the last would be through. */
import { describe, expect, it } from 'vitest';
import { NO_BASE } from '../reloader/ledger/note.ts';
import { NO_SLOTS } from '../reloader/model/budget.ts';
import type { Ledger } from '../reloader/model/ledger.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import { refOf, type WorkloadFacts } from '../reloader/model/workload.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../reloader/want/world.test.support.ts';
import type { ClusterView } from './cluster-view.ts';
import { explain } from './explain.ts';
import { whatIf } from './what-if.ts';

const NOW = 5_000_000;
const never = new AbortController().signal;
const secret = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;
const digest = (text: string): string => text.padEnd(22, '_');
const workloads = ['a', 'b', 'c', 'd', 'e'].map((name) =>
  workloadFacts({
    name,
    uid: `uid-${name}`,
    annotations: { 'reloader.stakater.com/auto': 'true' },
    podSpec: usingPodSpec(secret),
  }),
);

interface Given {
  readonly waves?: Readonly<Record<string, string>>;
  readonly settings?: Partial<ReloaderSettings>;
  readonly history?: WorkloadHistory;
  readonly running?: readonly string[];
  readonly windows?: readonly object[];
  /** The recorded content; the current one unless given. */
  readonly recorded?: string;
}

function observerOf(given: Given = {}): ClusterView {
  const { settings, history, running = [], waves = {}, windows, recorded = 'old' } = given;
  const inWaves = workloads.map((each): WorkloadFacts => {
    const wave = waves[each.metadata.name];
    const said = {
      ...(wave !== undefined && { 'reloader.stakater.com/wave': wave }),
      ...(windows && { 'reloader.stakater.com/sync-windows': JSON.stringify(windows) }),
    };
    return { ...each, annotations: { ...each.annotations, ...said } };
  });
  const world = fakeWorld({
    sources: [sourceFacts({ ...secret, digest: digest('old'), writtenAt: 3000 })],
    workloads: inWaves,
    namespaces: [namespaceFacts()],
  });
  const clusterView: Partial<ClusterView> = {
    world,
    settings: defaultSettings({ settleMs: 0, ...settings }),
    now: () => NOW,
    install: () => ({ at: 100, keyId: 'key1' }),
    note: ({ name }) => {
      const record: Ledger = {
        uid: `uid-${name}`,
        seq: 0,
        writtenAt: 2000,
        template: 'template',
        keyId: 'key1',
        recent: [],
        sources: new Map([['secret/db', { digest: digest(recorded) }]]),
      };
      return { kind: 'note', note: { record, base: NO_BASE } };
    },
    memory: () => undefined,
    following: () => undefined,
    blocked: () => undefined,
    lastError: () => undefined,
    notes: () => [],
    history: () => history,
    peers: { of: () => inWaves.map(refOf), isOrdered: () => true },
    slots: () => ({ ...NO_SLOTS, running }),
    workloads: () => inWaves,
    affected: () => inWaves.map(refOf),
    lookAtPods: async () => ({ readSince: [1] }),
    isOperator: true,
    comparesSecrets: true,
  };
  return clusterView as ClusterView;
}

const asked = (given?: Given) => whatIf(secret, {}, observerOf(given), never);
const past: WorkloadHistory = {
  reloads: [{ seq: 1, at: 1, sources: [], configs: [], result: 'succeeded', rollout: 60 }],
};
const capOf = (maxUnfinishedRollouts: number) => ({ settings: { maxUnfinishedRollouts } });

describe('what-if for a source that many use', () => {
  it('says how many restart together, and what limits it', async () => {
    const { warning } = await asked({ settings: { warnFanOut: 4 } });
    expect(warning).toMatch(
      /^A change of Secret shop\/db restarts 5 workloads at the same time \(more than --warn-fan-out=4\)/,
    );
    expect(warning).toContain('maxConcurrent of the ReloaderConfig');
    expect((await asked({ settings: { warnFanOut: 5 } })).warning).toBeUndefined();
    expect((await asked({ settings: { warnFanOut: 4, maxUnfinishedRollouts: 2 } })).warning).toBeUndefined();
  });

  it('says which workload is next, and which ones the others wait for', async () => {
    const { reloads } = await asked({ waves: { a: '-1', c: '5' } });
    const said = reloads.map(({ workload, waits }) => `${workload.name}: ${waits[0]?.message ?? 'now'}`);
    expect(said.sort()).toEqual([
      'a: now',
      'b: Wave 0 waits for wave -1: Deployment shop/a (about to begin)',
      'c: Wave 5 waits for wave -1: Deployment shop/a (about to begin); 3 more of lower waves do not have the change yet',
      'd: Wave 0 waits for wave -1: Deployment shop/a (about to begin)',
      'e: Wave 0 waits for wave -1: Deployment shop/a (about to begin)',
    ]);
  });

  it('orders them by the slots that they get, and names the budget', async () => {
    const { reloads } = await asked(capOf(2));
    expect(reloads.map(({ workload, order }) => `${workload.name} ${order}`)).toEqual([
      'a 1',
      'b 1',
      'c 2',
      'd 2',
      'e 3',
    ]);
    expect(reloads.map(({ waits }) => waits.map(({ message }) => message).join())).toEqual([
      '',
      '',
      ...Array<string>(3).fill('--max-unfinished-rollouts allows 2 at a time: begins when another has ended'),
    ]);
  });

  it('estimates the end from past rollouts, and says that it is an estimate', async () => {
    const { estimate } = await asked({ ...capOf(2), history: past });
    expect(estimate?.ends).toBe(new Date(NOW + 180_000).toISOString());
    expect(estimate?.message).toMatch(
      /^Estimate: the last rollout ends at about .*; past rollouts took 1m0s$/,
    );
    expect((await asked({ history: past })).estimate?.ends).toBe(new Date(NOW + 60_000).toISOString());
  });

  it('estimates one wave after the other', async () => {
    const { estimate, reloads } = await asked({ waves: { a: '-1', c: '5' }, history: past });
    expect(estimate?.ends).toBe(new Date(NOW + 180_000).toISOString());
    expect(estimate?.message).not.toContain('nobody can foretell');
    expect(reloads.map(({ workload, order }) => `${workload.name} ${order}`)).toEqual([
      'a 1',
      'b 2',
      'd 2',
      'e 2',
      'c 3',
    ]);
  });

  it('estimates as many nights as it takes', async () => {
    // It is 01:23 on the first day of the epoch: three of five go through in the first night.
    const windows = [{ schedule: '0 2 * * *', duration: '3m' }];
    const { estimate } = await asked({ ...capOf(1), history: past, windows });
    expect(estimate?.ends).toBe('1970-01-02T02:02:00.000Z');
  });

  it('counts those that run already', async () => {
    const { estimate } = await asked({ ...capOf(1), history: past, running: ['Deployment/lab/x'] });
    expect(estimate?.ends).toBe(new Date(NOW + 360_000).toISOString());
  });

  it('estimates nothing without a history', async () => {
    expect((await asked(capOf(2))).estimate).toBeUndefined();
  });
});

describe('explain of a workload with such a source', () => {
  const first = { kind: 'Deployment', namespace: 'shop', name: 'a' } as const;
  const explained = (given: Given) => explain(first, observerOf(given), never);

  it('estimates when all workloads that wait with the change are complete', async () => {
    const told = await explained({ ...capOf(2), history: past, recorded: 'older' });
    expect(told?.estimate).toEqual({
      ends: new Date(NOW + 180_000).toISOString(),
      message: expect.stringMatching(
        /^Estimate for all 5 workloads with a change of Secret shop\/db: the last rollout ends at about /,
      ),
    });
    expect((await explained({ history: past }))?.estimate, 'nothing waits').toBeUndefined();
  });

  it('says it, too', async () => {
    const told = await explained({ settings: { warnFanOut: 4 } });
    expect(told?.notes).toMatchObject([
      { reason: 'LargeFanOut', message: expect.stringContaining('5 workloads') },
    ]);
    expect((await explained({ settings: { warnFanOut: 0 } }))?.notes).toEqual([]);
    expect((await explained({ settings: { warnFanOut: 4, maxUnfinishedRollouts: 1 } }))?.notes).toEqual([]);
  });
});
