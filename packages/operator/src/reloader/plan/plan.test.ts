import { describe, expect, it } from 'vitest';
import { formatEviction } from '../ledger/eviction.ts';
import { formatLedger } from '../ledger/ledger.ts';
import { formatMark } from '../ledger/marks.ts';
import { NO_BASE, type ParsedNote } from '../ledger/note.ts';
import { emptyMemory } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { Ledger } from '../model/ledger.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { foresee } from './foresee.ts';
import { type PlanInput, plan } from './plan.ts';

const NOW = 5_000_000;
const SECRET = { kind: 'Secret', name: 'db' } as const;
const AUTO = { 'reloader.stakater.com/auto': 'true' };
const digest = (word: string): string => word.padEnd(22, '_');
const facts = (parts: Parameters<typeof workloadFacts>[0] = {}): WorkloadFacts =>
  workloadFacts({ annotations: AUTO, podSpec: usingPodSpec(SECRET), ...parts });
const recorded = (content: string, parts: Partial<Ledger> = {}): Ledger => ({
  uid: 'uid-web',
  seq: 0,
  writtenAt: 2000,
  template: 'template',
  keyId: 'key1',
  recent: [],
  sources: new Map([['secret/db', { digest: digest(content) }]]),
  ...parts,
});
const noted = (record: Ledger): ParsedNote => ({ kind: 'note', note: { record, base: NO_BASE } });
const running =
  (...keys: string[]) =>
  () => ({ running: keys, waiting: [] });
const ROLLING = { ...facts().rollout, updated: 0 };

type Parts = Partial<Omit<PlanInput, 'settings'>> & {
  settings?: Partial<PlanInput['settings']>;
  content?: string;
  writtenAt?: number;
};

function input({ settings, content = 'new', writtenAt = 3000, ...parts }: Parts = {}): PlanInput {
  const workload = parts.workload ?? facts();
  const source = sourceFacts({ ...SECRET, digest: digest(content), writtenAt });
  return {
    workload,
    world: fakeWorld({ sources: [source], workloads: [workload], namespaces: [namespaceFacts()] }),
    settings: defaultSettings({ settleMs: 0, ...settings }),
    install: { at: 100, keyId: 'key1' },
    note: noted(recorded('old')),
    memory: undefined,
    pods: undefined,
    slots: () => NO_SLOTS,
    following: undefined,
    now: NOW,
    ...parts,
  };
}

describe('a plan leaves a workload alone', () => {
  it.each<[string, Parts, string]>([
    ['is being deleted', { workload: facts({ deleting: true }) }, 'deleting'],
    [
      'is a run of a CronJob',
      { workload: facts({ kind: 'Job', controlledBy: 'CronJob/nightly' }) },
      'run-of-cron-job',
    ],
    [
      'asks for nothing, and nothing is recorded',
      { workload: facts({ annotations: {} }), note: { kind: 'absent' } },
      'asks-nothing',
    ],
    ['has a note of a newer version', { note: { kind: 'newer', version: 2 } }, 'newer-record'],
    [
      'has a ledger of a newer version',
      { workload: facts({ annotations: { ...AUTO, [FIXED_ANNOTATIONS.ledger]: '{"v":2}' } }) },
      'newer-record',
    ],
    ['is as it is recorded', { content: 'old' }, 'up-to-date'],
  ])('that %s', (_, parts, why) => {
    expect(plan(input(parts)).action).toMatchObject({ kind: 'leave', why });
  });
});

describe('a plan notes', () => {
  it('what it sees for the first time', () => {
    const { action } = plan(input({ note: { kind: 'absent' }, workload: facts({ createdAt: 3500 }) }));
    expect(action).toMatchObject({ kind: 'record', verdict: { because: 'adopted', base: NO_BASE } });
  });

  it('a change that a finished Job will not read', () => {
    const workload = facts({ kind: 'Job', finished: true });
    const { action } = plan(input({ workload, settings: { finishedJobs: 'skip' } }));
    expect(action).toMatchObject({ kind: 'record', instead: 'finished', ledger: { seq: 0 } });
  });

  it('a change that the next run of a CronJob reads', () => {
    const workload = facts({ kind: 'CronJob', annotations: {} });
    const config = configFacts({ secrets: ['db'], targets: [targetFacts({ kind: 'CronJob' })] });
    const source = sourceFacts({ ...SECRET, digest: digest('new'), writtenAt: 3000 });
    const world = fakeWorld({ sources: [source], workloads: [workload], configs: [config] });
    expect(plan(input({ workload, world })).action).toMatchObject({ kind: 'record', instead: 'next-run' });
  });
});

describe('a ReloaderConfig that opted it in was deleted', () => {
  const workload = facts({ annotations: {} });
  const gone = (agoMs: number | undefined, parts: Parts = {}): PlanInput => {
    const given = input({ workload, ...parts });
    const configGoneAt = agoMs === undefined ? undefined : NOW - agoMs;
    const seen = { ...given.world.optInSeen(workload), configGoneAt };
    return { ...given, world: { ...given.world, optInSeen: () => seen } };
  };

  it.each([
    [0, 10_000],
    [9_999, 1],
    // The clock was set back.
    [-60_000, 10_000],
  ])('%i ms ago: the record and what waits are kept until the config may be back', (agoMs, afterMs) => {
    const pending = { fingerprint: 'change', template: 'template', firstSeen: 1, lastSeen: 1 };
    const memory = { ...emptyMemory('uid-web'), pending };
    const { action, memory: after } = plan(gone(agoMs, { memory }));
    expect(action).toEqual({ kind: 'wait', afterMs, why: 'config-deleted' });
    expect(after).toBe(memory);
  });

  it.each([[10_000], [undefined]])('%s ms ago: it is opted out', (agoMs) => {
    const { action } = plan(gone(agoMs));
    expect(action).toMatchObject({ kind: 'record', ledger: { sources: new Map() } });
  });

  it('and an annotation still asks for its sources: nothing waits for the config', () => {
    expect(plan(gone(0, { workload: facts() })).action.kind).toBe('reload');
  });
});

describe('a plan asks the pods', () => {
  const undone = facts({ templateDigest: 'other', templateWrittenAt: 4000 });

  it('if another client changed the template after the source', () => {
    expect(plan(input({ workload: undone })).action).toEqual({ kind: 'ask-pods', doubt: 'template-changed' });
  });

  it('once a rollout that runs has ended, for which it waits', () => {
    const workload = { ...undone, rollout: ROLLING };
    const first = plan(input({ workload }));
    expect(first.action).toEqual({ kind: 'wait', afterMs: 5_000 });
    expect(first.memory.awaitsRolloutSince).toBe(NOW);
    const later = plan(input({ workload, memory: first.memory, now: NOW + 599_999 }));
    expect(later.action.kind).toBe('wait');
    expect(later.memory.awaitsRolloutSince).toBe(NOW);
  });

  it('after ten minutes, however long that rollout takes', () => {
    const workload = { ...undone, rollout: ROLLING };
    const { memory } = plan(input({ workload }));
    expect(plan(input({ workload, memory, now: NOW + 600_000 })).action.kind).toBe('ask-pods');
  });

  it('and never again with their answer, whatever it is', () => {
    for (const createdAt of [[], [2999], [3000], [1, 9999]]) {
      const { action, memory } = plan(input({ workload: undone, pods: { readSince: createdAt } }));
      expect(['reload', 'record']).toContain(action.kind);
      expect(memory.awaitsRolloutSince).toBeUndefined();
    }
  });
});

describe('a plan reloads', () => {
  it('with one PATCH that holds the new record', () => {
    const { action } = plan(input());
    if (action.kind !== 'reload') throw new Error(action.kind);
    expect(action).toMatchObject({ ledger: { seq: 1 }, seenAt: NOW });
    expect(action.reload).toMatchObject({ seq: 1, ledgerBefore: undefined, evicting: undefined });
    expect(action.reload.ledgerAfter).toBe(formatLedger(action.ledger));
    expect(action.reload.recordBefore?.sources.get('secret/db')).toEqual({ digest: digest('old') });
  });

  it('and knows the eviction that is under way', () => {
    const note: ParsedNote = {
      kind: 'note',
      note: { record: recorded('old'), base: NO_BASE, evicting: 'x' },
    };
    expect(plan(input({ note })).action).toMatchObject({ reload: { evicting: 'x' } });
  });
});

describe('a plan defers', () => {
  const frozen = facts({ annotations: { ...AUTO, 'reloader.stakater.com/freeze': 'true' } });

  it.each<[string, Parts, string, boolean]>([
    ['settling', { settings: { settleMs: 1_000 } }, 'settling', false],
    ['batching', { settings: { batchWindowMs: 60_000 } }, 'batching', true],
    ['freeze', { workload: frozen }, 'frozen', true],
    [
      'the cap',
      { settings: { maxUnfinishedRollouts: 2 }, slots: running('Deployment/shop/a', 'Deployment/shop/b') },
      'capped',
      true,
    ],
    ['observing', { settings: { mode: 'observe' } }, 'observing', false],
  ])('for %s', (_, parts, why, isNoted) => {
    const { action } = plan(input(parts));
    expect(action).toMatchObject({ kind: 'defer', later: { why } });
    expect(action.kind === 'defer' && action.ledger !== undefined).toBe(isNoted);
  });

  it('not for the cap where its own last rollout failed, or its pods are being evicted', () => {
    const full = { settings: { maxUnfinishedRollouts: 1 }, slots: running('Deployment/shop/a') };
    const record = { ...recorded('old'), seq: 3, reloadedAt: 1, unmarked: true as const };
    const note = { record, base: NO_BASE };
    const failed = { seq: 3, at: 2, message: 'it crashes' };
    const actions = [note, { ...note, failed }, { ...note, failed: { ...failed, seq: 2 } }].map(
      (each) => plan(input({ ...full, note: { kind: 'note', note: each } })).action,
    );
    expect(actions.map(({ kind }) => kind)).toEqual(['defer', 'reload', 'defer']);
    expect(actions[1]).toMatchObject({ outsideCap: true });
    const { action } = plan(input({ note: { kind: 'note', note } }));
    if (action.kind !== 'reload') throw new Error(action.kind);
    const evictingFor = (mark: string) => {
      const evicting = formatEviction({ mark, workload: action.reload.workload }, 1);
      return plan(input({ ...full, note: { kind: 'note', note: { ...note, evicting } } })).action;
    };
    expect(evictingFor(action.reload.mark)).toMatchObject({ kind: 'reload', outsideCap: false });
    expect(evictingFor('other content').kind).toBe('defer');
  });

  it('and predicts when the wait ends', () => {
    const settings = { settleMs: 1_000, batchWindowMs: 60_000 };
    const { at, waits, plan: first } = foresee(input({ settings }));
    expect(first.action.kind).toBe('defer');
    expect(at).toBe(NOW + 60_000);
    expect(waits.map(({ why }) => why)).toEqual(['batching']);
    expect(foresee(input({ workload: frozen })).at).toBeUndefined();
    expect(foresee(input()).at).toBe(NOW);
  });

  it('and answers soon for windows that miss each other every minute', () => {
    const windows = [
      { schedule: '*/2 * * * *', duration: '1m' },
      { kind: 'deny', schedule: '*/2 * * * *', duration: '1m' },
    ];
    const annotations = { ...AUTO, [FIXED_ANNOTATIONS.syncWindows]: JSON.stringify(windows) };
    const { at, waits } = foresee(input({ workload: facts({ annotations }) }));
    expect(at).toBeUndefined();
    expect(waits.map(({ why }) => why)).toEqual(['window']);
  });
});

describe('a plan is pure', () => {
  it('the same input gives the same plan, and nothing of the input changes', () => {
    const given = input({ settings: { settleMs: 500 }, memory: emptyMemory('uid-web') });
    const data = { ...given, world: undefined, settings: undefined, slots: given.slots() };
    const before = structuredClone(data);
    expect(plan(given)).toEqual(plan(given));
    expect(data).toEqual(before);
  });

  it('a source that cannot be compared is unknown, and decides nothing', () => {
    const { want, action } = plan(input({ incomparable: () => 'no key' }));
    expect(want.sources[0]?.state).toEqual({ kind: 'unknown', why: 'no key' });
    expect(action).toMatchObject({ kind: 'leave', why: 'up-to-date' });
  });
});

describe('a source that returned after a reload that failed', () => {
  const verify = { ...AUTO, 'reloader.stakater.com/verify': 'true' };
  const failed = recorded('bad', {
    seq: 1,
    reloadedAt: 2000,
    replaced: {
      sources: new Map([['secret/db', { digest: digest('old') }]]),
      fields: 'fields',
      until: 1900,
    },
  });
  const workload = facts({
    annotations: verify,
    templateAnnotations: { [FIXED_ANNOTATIONS.rolled]: formatMark(failed) },
  });
  const outcome = { seq: 1, result: 'failed' as const, at: 2100, template: 'template', sources: {} };
  const note: ParsedNote = { kind: 'note', note: { record: failed, base: NO_BASE, outcomes: [outcome] } };
  const given = (settleMs: number): PlanInput =>
    input({ workload, note, content: 'old', writtenAt: 2500, settings: { settleMs, settleMaxMs: settleMs } });

  it('is an undo, and says so while it still waits', () => {
    expect(plan(given(0)).action).toMatchObject({
      kind: 'reload',
      reload: { undo: { seq: 1, until: 2500 } },
    });
    expect(plan(given(5_000)).action).toMatchObject({ kind: 'defer', undoes: 1 });
  });

  it('is an ordinary reload if its outcome is not known', () => {
    const { action } = plan({ ...given(0), note: noted(failed) });
    expect(action.kind === 'reload' && action.reload.undo).toBeUndefined();
  });
});
