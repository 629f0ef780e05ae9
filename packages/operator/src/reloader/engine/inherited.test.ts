import { describe, expect, it } from 'vitest';
import type { ParsedNote } from '../ledger/note.ts';
import type { Ledger, Note } from '../model/ledger.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { fakeWorld, workloadFacts } from '../want/world.test.support.ts';
import { type Inherited, InheritedRollouts, inheritedRollout } from './inherited.ts';
import { UnfinishedRollouts } from './rollouts.ts';

const NOW = 5_000_000;
const DEADLINE = 900_000;
const base = workloadFacts();
const rolling = { ...base.rollout, wanted: 3, updated: 1, available: 3, total: 3 };
const outcome = { at: 4_990, template: 't', sources: {} };
const record: Ledger = {
  uid: base.metadata.uid,
  seq: 3,
  writtenAt: 4_990,
  reloadedAt: 4_990,
  recent: [],
  sources: new Map(),
};

const noteOf = (note: Partial<Note>): ParsedNote => ({ kind: 'note', note: { record, base: '-', ...note } });

function inherited(facts: Partial<WorkloadFacts>, note: Partial<Note> | undefined): Inherited | undefined {
  const workload = workloadFacts({ templateWrittenAt: 0, rollout: rolling, ...facts });
  return inheritedRollout(workload, note ? noteOf(note) : { kind: 'absent' }, DEADLINE, NOW);
}

describe('A process that begins to lead counts', () => {
  it.each<[string, Partial<WorkloadFacts>, Partial<Note> | undefined]>([
    ['a rollout of ours that runs', {}, {}],
    [
      'one that is rolled out and whose outcome is open',
      { rollout: base.rollout },
      { outcomes: [{ ...outcome, seq: 3, result: 'open' }] },
    ],
    ['pods that are being evicted', { rollout: base.rollout }, { evicting: 'x' }],
    ['one that failed before the reload that runs', {}, { failed: { seq: 2, at: 1, message: '' } }],
  ])('%s', (_, facts, note) => {
    expect(inherited(facts, note)).toEqual({ since: undefined });
  });

  it('a change that waited, from when on it did', () => {
    const waiting = { record: { ...record, pendingSince: 4_100 } };
    expect(inherited({ rollout: base.rollout }, waiting)).toEqual({ since: 4_100_000 });
  });
});

describe('It does not count', () => {
  it.each<[string, Partial<WorkloadFacts>, Partial<Note> | undefined]>([
    ['one that has ended', { rollout: base.rollout }, {}],
    [
      'one that is known to work',
      { rollout: base.rollout },
      { outcomes: [{ ...outcome, seq: 3, result: 'ok' }] },
    ],
    ['one that is not ours', {}, undefined],
    [
      'one that was never reloaded',
      {},
      { record: { ...record, seq: 0, reloadedAt: undefined } as unknown as Ledger },
    ],
    ['one that failed', {}, { failed: { seq: 3, at: 1, message: '' } }],
    ['one that somebody began after us', { templateWrittenAt: 4_991 }, {}],
    ['one that is older than the deadline', {}, { record: { ...record, reloadedAt: 4_000 } }],
  ])('%s', (_, facts, note) => {
    expect(inherited(facts, note)).toBeUndefined();
  });
});

describe('The slots of a process that begins to lead', () => {
  const MANY = 20_000;
  const workloads = Array.from({ length: MANY }, (_, number) =>
    workloadFacts({ templateWrittenAt: 0, rollout: rolling, name: `web-${number}` }),
  );

  function begin(): { slots: InheritedRollouts; reads: () => number } {
    let reads = 0;
    const note = (): ParsedNote => {
      reads += 1;
      return noteOf({});
    };
    const slots = new InheritedRollouts(
      {
        world: fakeWorld(),
        settings: { rolloutDeadlineMs: DEADLINE },
        notebook: { note },
        workloads: () => workloads,
        clock: { now: () => NOW },
      },
      new UnfinishedRollouts(
        () => {},
        () => NOW,
        DEADLINE,
      ),
    );
    return { slots, reads: () => reads };
  }

  it('are not read as long as no plan asks for them', () => {
    const { slots, reads } = begin();
    expect([slots.areMissing, reads()]).toEqual([false, 0]);
  });

  it('are missing from the first question until all workloads were looked at, a few in each turn', async () => {
    const { slots, reads } = begin();
    expect(slots.slots().running).toEqual([]);
    expect(slots.areMissing).toBe(true);
    const found = slots.found();
    let turns = 0;
    for (; slots.areMissing; turns++) await new Promise((resolve) => setImmediate(resolve));
    await found;
    expect(turns).toBeGreaterThan(2);
    expect(slots.slots().running).toHaveLength(MANY);
    await slots.found();
    expect(reads()).toBe(MANY);
  });
});
