import { describe, expect, it } from 'vitest';
import { formatLedger } from '../ledger/ledger.ts';
import { baseOf } from '../ledger/note.ts';
import { afterPatch, emptyMemory, remember } from '../ledger/remember.ts';
import type { Memory } from '../model/memory.ts';
import { configFacts } from '../want/world.test.support.ts';
import {
  carrying,
  decide,
  inputWith,
  ledgerWith,
  markFor,
  memoryOf,
  NOW,
  present,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';
import type { DecideInput } from './input.ts';

const RELOADED = ledgerWith({
  seq: 3,
  writtenAt: 4000,
  reloadedAt: 4000,
  recent: [{ seq: 3, at: 4000, configs: ['shop/rules'], sources: ['cm/a'] }],
  sources: { 'cm/a': 'x' },
});
const want = {
  ...wantFor([present('a', 'x', { configs: ['shop/other'] })]),
  configs: [configFacts()],
};
const reverted = (parts: Partial<DecideInput> = {}): DecideInput =>
  inputWith({ workload: carrying(RELOADED, { mark: null }), want, ...parts });
const OLD = { readSince: [3999] };
const NEW = { readSince: [4000] };

describe('rule 4: our mark vanished from the template', () => {
  it.each([
    ['gone', null],
    ['an older one', markFor(2)],
    ['not to be read', 'what?'],
  ])('%s: looks at the pods once the rollout has ended', (_, mark) => {
    const workload = carrying(RELOADED, { mark });
    expect(decide(reverted({ workload }))).toEqual({
      action: 'ask-pods',
      why: 'reverted',
      waitForRollout: true,
    });
  });

  it('names only configs that ask now, whatever the ledger says', () => {
    const verdict = verdictOn(reverted({ pods: OLD, want: { ...want, configs: [] } }));
    expect(verdict.reload?.configs).toEqual([]);
    expect(verdict.reload?.ledger.recent.at(-1)?.configs).toEqual([]);
  });

  it('a pod from before lives: rolls out again, for the configs that asked, without a cause', () => {
    const verdict = verdictOn(reverted({ pods: OLD }));
    expect(verdict).toMatchObject({ action: 'reload', reverted: true, podsAreOld: true });
    expect(verdict.reload).toMatchObject({ causes: [], configs: ['shop/rules'] });
    expect(verdict.reload?.ledger).toMatchObject({ seq: 4, reloadedAt: 5000 });
    expect(verdict.reload?.ledger.recent.at(-1)).toEqual({
      seq: 4,
      at: 5000,
      configs: ['shop/rules'],
      configIds: ['uid-rule'],
      sources: [],
    });
  });

  it('one of two lives: rolls out again', () => {
    expect(verdictOn(reverted({ pods: { readSince: [4001, 3999] } })).action).toBe('reload');
  });

  it('none lives: nothing, and the pods are not asked again', () => {
    const input = reverted({ pods: NEW });
    const verdict = verdictOn(input);
    expect(verdict).toMatchObject({ action: 'nothing', revertSettled: 3 });
    expect(verdict).not.toHaveProperty('because');
    const memory = remember(input.memory, input.workload, verdict, NOW);
    expect(decide(reverted({ memory })).action).toBe('nothing');
  });

  it('that the pods need not be asked again is noted with the next write', () => {
    const memory: Memory = { ...emptyMemory('uid-web'), revertSettled: 3 };
    const more = wantFor([present('a', 'x'), present('b', 'y')]);
    expect(verdictOn(reverted({ memory, want: more })).record?.unmarked).toBe(true);
  });

  it('the pods are not asked again while the repetition waits, but when the template changes', () => {
    const input = reverted({ pods: OLD });
    const memory = remember(input.memory, input.workload, decide(input), NOW);
    expect(memory.pending?.fingerprint).toBe('revert/3');
    expect(decide(reverted({ memory }))).toMatchObject({
      action: 'reload',
      reverted: true,
      podsAreOld: true,
    });
    for (const facts of [{ templateDigest: 'other' }, { templateWrittenAt: 4500 }]) {
      const workload = carrying(RELOADED, { mark: null, ...facts });
      expect(decide(reverted({ memory, workload })).action).toBe('ask-pods');
    }
  });

  it('a repetition that waits is not taken for one that was taken back', () => {
    const input = reverted({ pods: OLD });
    const { record } = verdictOn(input);
    expect(record?.pendingSince).toBe(5000);
    const note = record && { record, base: verdictOn(input).base };
    const { workload } = input;
    expect(verdictOn({ ...reverted({ pods: OLD }), workload, note })).toMatchObject({
      action: 'reload',
      record: undefined,
    });
    expect(verdictOn({ ...reverted({ pods: NEW }), workload, note })).toMatchObject({
      action: 'record',
      revertSettled: 3,
    });
  });

  it('is repeated three times; then it is only reported, until a source changes', () => {
    let ledger = RELOADED;
    let memory: Memory = emptyMemory('uid-web');
    for (const seq of [4, 5, 6]) {
      const workload = carrying(ledger, { mark: null });
      const pods = { readSince: [3000] };
      const verdict = verdictOn(reverted({ workload, memory, pods }));
      memory = remember(memory, workload, verdict, NOW);
      ledger = verdict.reload?.ledger ?? ledger;
      memory = afterPatch(memory, ledger, baseOf(formatLedger(ledger)));
      expect(ledger.seq).toBe(seq);
    }
    expect(memory.revertRetries).toBe(3);
    const workload = carrying(ledger, { mark: null });
    expect(decide(reverted({ workload, memory }))).toMatchObject({ action: 'nothing', reverted: true });
    const old = { readSince: [0] };
    const changed = verdictOn(reverted({ workload, memory, pods: old, want: wantFor([present('a', 'y')]) }));
    const next = carrying(changed.reload?.ledger, { mark: null });
    expect(decide(reverted({ workload: next, want: wantFor([present('a', 'y')]) })).action).toBe('ask-pods');
  });

  describe('and the ledger with it, as after an undo of the first rollout', () => {
    const memory = memoryOf(RELOADED);
    const gone = (parts: Partial<DecideInput> = {}) =>
      reverted({ workload: carrying(undefined), memory, ...parts });

    it('looks at the pods once the rollout has ended', () => {
      expect(decide(gone())).toEqual({ action: 'ask-pods', why: 'reverted', waitForRollout: true });
    });

    it('a pod from before lives: is reported, and never rolled out again automatically', () => {
      const input = gone({ pods: OLD });
      const verdict = verdictOn(input);
      expect(verdict).toMatchObject({ action: 'nothing', reverted: true, record: undefined });
      const later = remember(memory, input.workload, verdict, NOW);
      expect(decide(gone({ memory: later }))).toMatchObject({ action: 'nothing', reverted: true });
    });

    it('the pods are asked again when the workload changes', () => {
      const input = gone({ pods: OLD });
      const later = remember(memory, input.workload, verdictOn(input), NOW);
      const { metadata, ...rest } = carrying(undefined);
      const workload = { ...rest, metadata: { ...metadata, resourceVersion: '2' } };
      expect(decide(gone({ memory: later, workload })).action).toBe('ask-pods');
    });

    it('none lives: nothing, and the pods are not asked again', () => {
      const input = gone({ pods: NEW });
      const verdict = verdictOn(input);
      expect(verdict).toMatchObject({ action: 'nothing', revertSettled: 3 });
      const later = remember(memory, input.workload, verdict, NOW);
      expect(decide(gone({ memory: later }))).toMatchObject({ action: 'nothing' });
    });

    it('the next change of a source is rolled out', () => {
      const input = gone({ want: wantFor([present('a', 'y')]), pods: { readSince: [0] } });
      expect(verdictOn(input).action).toBe('reload');
    });
  });

  it('the reload for a changed source also repairs the revert', () => {
    const input = reverted({ want: wantFor([present('a', 'y')]), pods: { readSince: [0] } });
    expect(verdictOn(input).reload?.causes).toHaveLength(1);
  });

  it.each([
    ['the mark is there', carrying(RELOADED)],
    ['a newer mark is there', carrying(RELOADED, { mark: markFor(9) })],
    ['nothing was ever reloaded', carrying(ledgerWith({ sources: { 'cm/a': 'x' } }))],
    ['nobody knows when', carrying({ ...ledgerWith({ sources: { 'cm/a': 'x' } }), seq: 3 }, { mark: null })],
    ['the last reload left none', carrying({ ...RELOADED, unmarked: true }, { mark: null })],
    ['a CronJob has none', carrying(RELOADED, { mark: null, kind: 'CronJob' })],
    ['a Job has none', carrying(RELOADED, { mark: null, kind: 'Job' })],
  ])('no revert: %s', (_, workload) => {
    expect(decide(reverted({ workload })).action).toBe('nothing');
  });

  it('no revert: nothing is wanted any more', () => {
    const workload = carrying({ ...RELOADED, sources: new Map() }, { mark: null });
    expect(decide(reverted({ workload, want: wantFor([]) })).action).toBe('nothing');
  });

  it('pods that were evicted got no mark, and the ledger says so', () => {
    const policy = { rolloutStrategy: 'restart' } as const;
    const evicting = wantFor([present('a', 'y')], policy);
    const { reload } = verdictOn(inputWith({ workload: carrying(RELOADED), want: evicting }));
    expect(reload?.ledger.unmarked).toBe(true);
    const workload = carrying(reload?.ledger, { mark: null });
    expect(decide(inputWith({ workload, want: wantFor([present('a', 'y')]) })).action).toBe('nothing');
    const rolled = verdictOn(inputWith({ workload, want: wantFor([present('a', 'z')]) }));
    expect(rolled.reload?.ledger.unmarked).toBeUndefined();
  });
});
