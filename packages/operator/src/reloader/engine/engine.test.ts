import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, it } from 'vitest';
import { formatLedger } from '../ledger/ledger.ts';
import { baseOf, NO_BASE, type ParsedNote } from '../ledger/note.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { PodEvidence } from '../model/decision.ts';
import { NO_PODS_SEEN } from '../model/following.ts';
import type { Ledger, Note } from '../model/ledger.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { WorkloadFacts, WorkloadRef } from '../model/workload.ts';
import type { Executor } from '../patch/executor.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import {
  defaultSettings,
  type FakeWorldParts,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { Engine } from './engine.ts';

const SECRET = { kind: 'Secret', name: 'db' } as const;
const web: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'web' };
const AUTO = { 'reloader.stakater.com/auto': 'true' };
const digest = (word: string): string => word.padEnd(22, '_');
const facts = (parts: Parameters<typeof workloadFacts>[0] = {}): WorkloadFacts =>
  workloadFacts({ annotations: AUTO, podSpec: usingPodSpec(SECRET), ...parts });
const OLD: Ledger = {
  uid: 'uid-web',
  seq: 0,
  writtenAt: 2000,
  template: 'template',
  keyId: 'key1',
  recent: [],
  sources: new Map([['secret/db', { digest: digest('old') }]]),
};
const DONE: Outcome = { kind: 'done', changed: true };
const never = new AbortController().signal;

interface Scene {
  readonly workload?: WorkloadFacts | undefined;
  readonly parts?: FakeWorldParts;
  readonly note?: Note | undefined;
  readonly settings?: Partial<ReloaderSettings>;
  readonly outcomes?: (Outcome | Error)[];
  readonly pods?: PodEvidence;
  readonly content?: string;
  readonly resumeAt?: number;
  /** The workload's state on the API server, for a kind that is listed, not watched. */
  readonly listed?: WorkloadFacts;
}

/** An engine with a fake world, an executor with scripted answers, and a recording notebook and reporter. */
function setUp(scene: Scene = {}) {
  const { outcomes = [DONE], pods = { readSince: [1] }, content = 'new' } = scene;
  const clock = new VirtualClock({ start: 5_000_000 });
  const told: string[] = [];
  const woken: string[] = [];
  const asked: string[] = [];
  const plans: ReloadPlan[] = [];
  const notes = new Map<string, Note>();
  if ('note' in scene ? scene.note : true) notes.set('web', scene.note ?? { record: OLD, base: NO_BASE });
  let workload = 'workload' in scene ? scene.workload : facts();
  const world = () =>
    fakeWorld({
      sources: [sourceFacts({ ...SECRET, digest: digest(content), writtenAt: 3000 })],
      workloads: workload ? [workload] : [],
      namespaces: [namespaceFacts()],
      ...scene.parts,
    });
  const executor = {
    reload: async (plan: ReloadPlan) => {
      plans.push(plan);
      const outcome = outcomes.shift() ?? DONE;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    evictStuckPods: async () => undefined,
    resumeAt: () => scene.resumeAt,
    resume: async () => {
      told.push('resumed');
      return DONE;
    },
    hasInterruptedJobs: true,
    finishInterruptedJobs: async () => {
      told.push('jobs finished');
      return { finished: 0, pending: 1 };
    },
  } satisfies Executor;
  const reporter = new Proxy({} as PipelineReporter, {
    get:
      (_, method: string) =>
      (...args: unknown[]) => {
        if (method === 'problems' && (args[1] as unknown[]).length === 0) return;
        const last = args.at(-1) as { why?: string; result?: string; because?: string } | undefined;
        const detail =
          method === 'reconciled' ? last?.result : method === 'deferred' ? last?.why : last?.because;
        told.push(detail === undefined ? method : `${method} ${detail}`);
      },
  });
  const engine = new Engine({
    world: new Proxy({} as ReturnType<typeof world>, { get: (_, name) => world()[name as 'source'] }),
    settings: defaultSettings({ settleMs: 0, ...scene.settings }),
    install: { at: 100, keyId: 'key1' },
    executor,
    keeper: { restore: async () => ({ kind: 'conflict' }), keep: async () => undefined },
    noteStored: async () => undefined,
    notebook: {
      note: ({ name }): ParsedNote => {
        const note = notes.get(name);
        return note ? { kind: 'note', note } : { kind: 'absent' };
      },
      put: ({ name }, note) => void notes.set(name, note),
      forget: ({ name }) => void told.push(`note of ${name} forgotten`),
    },
    lookAtPods: async (_, why) => {
      asked.push(why);
      return pods;
    },
    verdictOn: () => undefined,
    checkContents: async () => undefined,
    lookAtRollout: async () => {
      asked.push('rollout');
      return NO_PODS_SEEN;
    },
    refreshListed: () =>
      scene.listed &&
      (async () => {
        asked.push('server');
        workload = scene.listed;
      }),
    workloads: () => (workload ? [workload] : []),
    expected: () => (workload ? ['Deployment/shop/web'] : []),
    reporter,
    clock,
    wake: (key) => void woken.push(key),
  });
  return {
    engine,
    clock,
    told,
    woken,
    asked,
    plans,
    notes,
    change: (next: WorkloadFacts | undefined) => {
      workload = next;
    },
    pass: () => engine.reconcile(web, never),
  };
}

describe('the outcome of a reload', () => {
  it.each<[string, Outcome, object, string[], boolean]>([
    // The rollout is checked again after 30 s without progress.
    ['done', DONE, { requeueAfterMs: 30_000 }, ['reloaded', 'reconciled success'], true],
    [
      'done without a change',
      { kind: 'done', changed: false },
      { requeueAfterMs: 30_000 },
      ['unchangedByReload', 'reconciled success'],
      true,
    ],
    [
      'done, and recorded in the notebook only',
      { kind: 'done', changed: true, noteOnly: true },
      {},
      ['reloaded', 'rolledOut', 'reconciled success'],
      true,
    ],
    [
      'not finished',
      { kind: 'continue', afterMs: 700, message: '' },
      { requeueAfterMs: 700 },
      ['reconciled success'],
      false,
    ],
    ['a conflict', { kind: 'conflict', message: '' }, { requeue: true }, ['reconciled success'], false],
    [
      'rejected',
      { kind: 'rejected', message: 'quota' },
      { requeueAfterMs: 300_000 },
      ['failed', 'reconciled success'],
      false,
    ],
  ])('%s', async (_, outcome, result, told, isRecorded) => {
    const stage = setUp({ outcomes: [outcome] });
    expect(await stage.pass()).toEqual(result);
    expect(stage.told).toEqual(told);
    expect(stage.plans).toHaveLength(1);
    expect(stage.notes.get('web')?.record.seq).toBe(isRecorded ? 1 : 0);
  });

  it('forbidden, or an error: the queue tries again', async () => {
    for (const outcome of [{ kind: 'forbidden', message: 'no' } as const, new Error('no route')]) {
      const stage = setUp({ outcomes: [outcome] });
      await expect(stage.pass()).rejects.toThrow(/^no/);
      expect(stage.told).toEqual(['failed', 'reconciled error']);
      expect(stage.engine.states.of(web)?.lastError).toMatch(/^no/);
    }
  });

  it('is noted with the ledger that the PATCH left, or the one that stands there', async () => {
    const patched = setUp();
    await patched.pass();
    expect(patched.notes.get('web')?.base).toBe(baseOf(patched.plans[0]?.ledgerAfter));
    const evicted = setUp({ outcomes: [{ kind: 'done', changed: true, noteOnly: true }] });
    await evicted.pass();
    expect(evicted.notes.get('web')?.base).toBe(NO_BASE);
  });

  it('a re-created Job is noted by the executor, not by the engine', async () => {
    const stage = setUp({ outcomes: [{ kind: 'done', changed: true, noteOnly: true, newUid: 'u2' }] });
    await stage.pass();
    expect(stage.notes.get('web')?.record.seq).toBe(0);
  });

  it('is not repeated before the cache shows the PATCH', async () => {
    const stage = setUp();
    await stage.pass();
    await stage.pass();
    expect(stage.plans).toHaveLength(1);
    expect(stage.told.at(-1)).toBe('reconciled skipped');
  });
});

describe('what is not a reload', () => {
  it('up to date: nothing, and no note', async () => {
    const stage = setUp({ content: 'old' });
    const before = stage.notes.get('web');
    expect(await stage.pass()).toEqual({});
    expect(stage.told).toEqual(['reconciled skipped']);
    expect(stage.notes.get('web')).toBe(before);
  });

  it('seen for the first time: noted, and nothing is written to it', async () => {
    const stage = setUp({ note: undefined, workload: facts({ createdAt: 3500 }) });
    expect(await stage.pass()).toEqual({});
    expect(stage.told).toEqual(['recorded adopted', 'reconciled success']);
    expect(stage.plans).toEqual([]);
    expect(stage.notes.get('web')).toMatchObject({ base: NO_BASE, record: { seq: 0 } });
  });

  it('nothing asks for it: nothing is remembered', async () => {
    const stage = setUp({ workload: facts({ annotations: {} }), note: undefined });
    expect(await stage.pass()).toEqual({});
    expect(stage.engine.states.of(web)).toBeUndefined();
  });

  it('deleted meanwhile: its state and its slot are dropped', async () => {
    const stage = setUp();
    await stage.pass();
    stage.change(undefined);
    expect(await stage.pass()).toEqual({});
    expect(stage.told).toContain('forget');
    expect(stage.told).toContain('note of web forgotten');
    expect(stage.engine.slots().running).toEqual([]);
  });

  it('of a kind that cannot be read now: its state is kept', async () => {
    const stage = setUp({ workload: undefined, parts: { unknownKinds: ['Deployment'] } });
    await stage.pass();
    expect(stage.told).toEqual(['reconciled skipped']);
  });

  it('a missing Job may be one whose re-creation has to be finished', async () => {
    const stage = setUp({ workload: undefined });
    const job = { ...web, kind: 'Job' } as const;
    expect(await stage.engine.reconcile(job, never)).toEqual({ requeueAfterMs: 1_000 });
    expect(stage.told).toContain('jobs finished');
  });

  it('being deleted: left alone', async () => {
    const stage = setUp({ workload: facts({ deleting: true }), resumeAt: 1 });
    expect(await stage.pass()).toEqual({});
    expect(stage.told).toEqual(['reconciled skipped']);
  });

  it('a pause that is over is ended, another one is requeued for its end', async () => {
    const over = setUp({ content: 'old', resumeAt: 4_000_000 });
    await over.pass();
    expect(over.told).toContain('resumed');
    const running = setUp({ content: 'old', resumeAt: 5_060_000 });
    expect(await running.pass()).toEqual({ requeueAfterMs: 60_000 });
  });
});

describe('what has to wait', () => {
  it.each<[string, Partial<ReloaderSettings>, object, boolean]>([
    ['settling', { settleMs: 1_000 }, { requeueAfterMs: 1_000 }, false],
    ['batching', { batchWindowMs: 60_000 }, { requeueAfterMs: 60_000 }, true],
  ])('%s: is looked at again then, and told once', async (why, settings, result, isNoted) => {
    const stage = setUp({ settings });
    expect(await stage.pass()).toEqual(result);
    await stage.pass();
    expect(stage.told.filter((line) => line.startsWith('deferred'))).toEqual([`deferred ${why}`]);
    expect(stage.notes.get('web')?.record.pendingSince !== undefined).toBe(isNoted);
    expect(stage.plans).toEqual([]);
  });

  it('of a kind that is listed: read again before the reload, because a user may have rolled it out', async () => {
    const released = facts({ templateDigest: 'released', templateWrittenAt: 5_000 });
    const stage = setUp({ settings: { settleMs: 1_000 }, listed: released, pods: { readSince: [5_000] } });
    await stage.pass();
    expect(stage.asked, 'not while it waits').toEqual([]);
    await stage.clock.advance(1_000);
    await stage.pass();
    expect(stage.asked).toContain('server');
    expect(stage.plans).toEqual([]);
    expect(stage.notes.get('web')?.record.sources.get('secret/db')?.digest).toBe(digest('new'));
  });

  it('of a kind that is listed, and not rolled out by a user: reloaded, once', async () => {
    const stage = setUp({ settings: { settleMs: 1_000 }, listed: facts() });
    await stage.pass();
    await stage.clock.advance(1_000);
    await stage.pass();
    expect(stage.asked).toEqual(['server']);
    expect(stage.plans).toHaveLength(1);
  });

  it('observing: reported once as a reload that would be made', async () => {
    const stage = setUp({ settings: { mode: 'observe' } });
    await stage.pass();
    await stage.pass();
    expect(stage.told.filter((line) => line === 'wouldReload')).toHaveLength(1);
    expect(stage.plans).toEqual([]);
  });

  it('a rollout under way: is looked at again, and no pods are listed', async () => {
    const rollout = { ...facts().rollout, updated: 0 };
    const workload = facts({ templateDigest: 'other', templateWrittenAt: 4000, rollout });
    const stage = setUp({ workload });
    expect(await stage.pass()).toEqual({ requeueAfterMs: 5_000 });
    expect(stage.asked).toEqual([]);
  });

  it('a doubt: the pods are listed once, and decide', async () => {
    const workload = facts({ templateDigest: 'other', templateWrittenAt: 4000 });
    const old = setUp({ workload, pods: { readSince: [3000] } });
    await old.pass();
    expect([old.asked, old.plans.length]).toEqual([['template-changed'], 1]);
    const young = setUp({ workload, pods: { readSince: [3001] } });
    await young.pass();
    expect([young.asked, young.plans.length]).toEqual([['template-changed'], 0]);
  });

  it('one slot and two passes at the same moment: the second sees that it is taken', async () => {
    const both = [facts(), facts({ name: 'api' })];
    const stage = setUp({ settings: { maxUnfinishedRollouts: 1 }, parts: { workloads: both } });
    stage.notes.set('api', { record: { ...OLD, uid: 'uid-api' }, base: NO_BASE });
    await Promise.all([stage.pass(), stage.engine.reconcile({ ...web, name: 'api' }, never)]);
    expect(stage.plans.map(({ workload }) => workload.metadata.name)).toEqual(['web']);
    expect(stage.told).toContain('deferred capped');
  });

  it('an older ledger that came back: noted, never written to the workload', async () => {
    const ledger = { ...OLD, seq: 4, reloadedAt: 4000 };
    const workload = facts({
      annotations: { ...AUTO, [FIXED_ANNOTATIONS.ledger]: formatLedger({ ...ledger, seq: 3 }) },
    });
    const stage = setUp({ content: 'old', workload, note: { record: ledger, base: 'another' } });
    await stage.pass();
    expect(stage.told).toContain('recorded undone');
    expect(stage.plans).toEqual([]);
    await stage.pass();
    expect(stage.told.filter((line) => line.startsWith('recorded'))).toHaveLength(1);
  });
});

it('a note of another leader replaces the memory of this one', async () => {
  const stage = setUp();
  await stage.pass();
  stage.notes.set('web', { record: { ...OLD, seq: 9 }, base: NO_BASE });
  stage.engine.outdated(web);
  expect(stage.woken).toEqual(['Deployment/shop/web']);
  await stage.pass();
  expect(stage.plans.at(-1)?.seq).toBe(10);
});
