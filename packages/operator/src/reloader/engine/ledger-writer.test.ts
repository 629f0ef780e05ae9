import { describe, expect, it } from 'vitest';
import { emptyMemory } from '../ledger/remember.ts';
import type { Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Outcome } from '../model/plan.ts';
import type { Executor } from '../patch/executor.ts';
import type { PipelineReporter } from '../report/reporter.ts';
import { wantOf } from '../want/want.ts';
import { defaultSettings, fakeWorld, workloadFacts } from '../want/world.test.support.ts';
import { LedgerWriter } from './ledger-writer.ts';
import { newState } from './state.ts';

const DONE: Outcome = { kind: 'done', changed: false };

function setUp(settings: Parameters<typeof defaultSettings>[0] = {}, adopting = false) {
  const written: string[] = [];
  const recorded: Verdict[] = [];
  const answers: Outcome[] = [];
  const executor = {
    record: (_workload: unknown, _before: unknown, after: string) => {
      written.push(after);
      return Promise.resolve(answers.shift() ?? DONE);
    },
  } as unknown as Executor;
  const reporter = {
    recorded: (_: unknown, verdict: Verdict) => recorded.push(verdict),
  } as unknown as PipelineReporter;
  const all = defaultSettings({ settleMs: 1_000, ...settings });
  const writer = new LedgerWriter({ executor, reporter, settings: all });
  const workload = workloadFacts({ annotations: adopting ? {} : CARRYING });
  const want = wantOf(workload, fakeWorld(), all);
  const state = newState(emptyMemory(workload.metadata.uid));
  const { signal } = new AbortController();
  const write = (verdict: Partial<Verdict>, now: number) =>
    writer.write({ key: 'k', workload, want, state, now, signal }, { ...VERDICT, ...verdict }, LEDGER);
  return { written, recorded, answers, state, write, writer, want, workload, signal };
}

const LEDGER: Ledger = { uid: 'u', seq: 0, writtenAt: 5, recent: [], sources: new Map() };
const VERDICT: Verdict = {
  action: 'record',
  situation: 'recorded',
  differences: [],
  recorded: undefined,
  record: LEDGER,
  recordUrgent: true,
};
const ADOPTED: Partial<Verdict> = { situation: 'first-sight', because: 'adopted' };
const CARRYING = { 'reloader.stakater.com/ledger': '{}' };

describe('A ledger', () => {
  it('is written at once where something changed', async () => {
    const { write, written, recorded, state } = setUp();
    expect(await write({}, 0)).toEqual({});
    expect(written).toHaveLength(1);
    expect(recorded).toHaveLength(1);
    expect(state.memory).toMatchObject({ stored: true, ledger: LEDGER });
  });

  it('of an adopted workload waits until the workload has settled', async () => {
    const { write, written } = setUp({}, true);
    expect(await write(ADOPTED, 10_000)).toEqual({ requeueAfterMs: 1_000 });
    // Another pass sees the baseline in memory; it is still the first ledger.
    expect(await write({ situation: 'in-memory' }, 10_400)).toEqual({ requeueAfterMs: 600 });
    expect(written).toEqual([]);
    expect(await write(ADOPTED, 11_000)).toEqual({});
    expect(written).toHaveLength(1);
  });

  it('of the next adopted workload comes ten milliseconds later', async () => {
    const { write, writer, want, workload, signal } = setUp({}, true);
    await write(ADOPTED, 0);
    const other = newState(emptyMemory('other'));
    const pass = { key: 'o', workload, want, state: other, now: 0, signal };
    expect(await writer.write(pass, { ...VERDICT, ...ADOPTED }, LEDGER)).toEqual({ requeueAfterMs: 1_010 });
  });

  it('that somebody takes away is written again at growing distances', async () => {
    const { write, written, state } = setUp();
    const vanished: Partial<Verdict> = { situation: 'vanished' };
    let now = 0;
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      expect(await write(vanished, now)).toEqual({});
      const { requeueAfterMs = 0 } = await write(vanished, now);
      waits.push(requeueAfterMs);
      now += requeueAfterMs;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1000));
    expect(written).toHaveLength(10);
    expect(state.vanished).toBe(10);
  });

  it('that may not be written lives in memory, and is not tried again until it is another one', async () => {
    const { write, written, answers, state } = setUp();
    answers.push({ kind: 'forbidden', message: 'you may not' });
    expect(await write({}, 0)).toEqual({});
    expect(state).toMatchObject({ lastError: 'you may not', memory: { stored: false, ledger: LEDGER } });
    await write({}, 1_000);
    expect(written).toHaveLength(1);
    state.refused = 'another';
    await write({}, 2_000);
    expect(written).toHaveLength(2);
  });

  it('tells of foreign digests when it is written, once', async () => {
    const { write, recorded, state } = setUp();
    state.foreignSlots = ['STAKATER_DB_SECRET'];
    await write({}, 0);
    await write({}, 1);
    expect(recorded.map(({ foreignSlots }) => foreignSlots)).toEqual([['STAKATER_DB_SECRET'], undefined]);
  });

  it('that somebody else wrote meanwhile is decided again', async () => {
    const { write, answers, state } = setUp();
    answers.push({ kind: 'conflict', message: 'changed' });
    expect(await write({}, 0)).toEqual({ requeue: true });
    expect(state.memory.stored).toBe(false);
  });

  it('is never written in observe mode', async () => {
    const { write, written, state } = setUp({ mode: 'observe' });
    expect(await write({}, 0)).toEqual({});
    expect(written).toEqual([]);
    expect(state.memory).toMatchObject({ stored: false, ledger: LEDGER });
  });
});
