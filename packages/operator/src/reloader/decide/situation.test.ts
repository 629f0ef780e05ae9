import { describe, expect, it } from 'vitest';
import { formatMark } from '../ledger/marks.ts';
import { emptyMemory, remember } from '../ledger/remember.ts';
import type { Memory } from '../model/memory.ts';
import {
  carrying,
  digestOf,
  gone,
  inputWith,
  KEY_ID,
  ledgerWith,
  NOW,
  present,
  shown,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';
import { decide } from './decide.ts';

const known = ledgerWith({
  seq: 5,
  writtenAt: 4000,
  reloadedAt: 4000,
  recent: [{ seq: 5, at: 4000, configs: [], sources: ['cm/a'] }],
  sources: { 'cm/a': 'new' },
});
const remembered: Memory = { ...emptyMemory('uid-web'), ledger: known, stored: true, highestSeq: 5 };
const undoneTo = (parts: Parameters<typeof ledgerWith>[0]) =>
  carrying(ledgerWith({ seq: 4, writtenAt: 3000, reloadedAt: 3000, sources: { 'cm/a': 'old' }, ...parts }));

describe('rule 2: an older ledger comes back, as after a rollout was undone', () => {
  const want = wantFor([present('a', 'new')]);

  it('is recorded again with the number and the reloads we know, and not reloaded', () => {
    const verdict = verdictOn(inputWith({ workload: undoneTo({}), memory: remembered, want }));
    expect(verdict).toMatchObject({ action: 'record', situation: 'undone', because: 'undone' });
    expect(verdict.record).toMatchObject({ seq: 5, reloadedAt: 4000, recent: known.recent });
    expect(shown(verdict.record)).toEqual({ 'cm/a': digestOf('new') });
  });

  it('is recorded again even if it holds the same digests', () => {
    const workload = undoneTo({ sources: { 'cm/a': 'new' } });
    expect(verdictOn(inputWith({ workload, memory: remembered, want }))).toMatchObject({
      action: 'record',
      record: { seq: 5 },
    });
  });

  it('shows also where its number is the same: an earlier note of it', () => {
    const workload = undoneTo({ seq: 5, writtenAt: 3999 });
    expect(verdictOn(inputWith({ workload, memory: remembered, want })).situation).toBe('undone');
  });

  it('is not taken for a revert afterwards', () => {
    const { record } = verdictOn(inputWith({ workload: undoneTo({}), memory: remembered, want }));
    const workload = carrying(record, { mark: formatMark(4, new Map()) });
    const memory = { ...remembered, ...(record && { ledger: record }) };
    expect(decide(inputWith({ workload, memory, want })).action).toBe('nothing');
  });

  describe('with a change that waited', () => {
    const input = inputWith({
      workload: undoneTo({}),
      memory: remembered,
      want: wantFor([present('a', 'newer', { facts: { writtenAt: 4500 } })]),
    });

    it('asks the pods once the rollout has ended', () => {
      expect(decide(input)).toEqual({ action: 'ask-pods', why: 'template-changed', waitForRollout: true });
    });

    it('records where all of them are younger', () => {
      const verdict = verdictOn({ ...input, pods: { createdAt: [4500] } });
      expect(verdict).toMatchObject({ action: 'record', because: 'undone' });
    });

    it('reloads where one is older, with the next number after the highest', () => {
      const verdict = verdictOn({ ...input, pods: { createdAt: [4499] } });
      expect(verdict).toMatchObject({ action: 'reload', podsAreOld: true });
      expect(verdict.reload?.ledger.seq).toBe(6);
      expect(verdict.reload?.ledger.unmarked).toBeUndefined();
    });
  });

  it('does not reload for a deletion: nobody can tell since when', () => {
    const deleted = wantFor([gone('a', { reloadOnDelete: true })]);
    const input = inputWith({ workload: undoneTo({}), memory: remembered, want: deleted });
    expect(verdictOn({ ...input, pods: { createdAt: [1] } })).toMatchObject({
      action: 'record',
      because: 'undone',
    });
  });

  it('while we were away, shows by a template written after the ledger: the pods tell', () => {
    const workload = carrying(ledgerWith({ seq: 4, writtenAt: 3000, sources: { 'cm/a': 'old' } }), {
      templateWrittenAt: 4500,
    });
    const changed = wantFor([present('a', 'new', { facts: { writtenAt: 4000 } })]);
    const input = inputWith({ workload, want: changed });
    expect(decide(input)).toMatchObject({ action: 'ask-pods', waitForRollout: true });
    expect(verdictOn({ ...input, pods: { createdAt: [4500] } }).because).toBe('pods-are-new');
    const settledBefore = carrying(ledgerWith({ seq: 4, writtenAt: 4500, sources: { 'cm/a': 'old' } }), {
      templateWrittenAt: 4500,
    });
    expect(decide({ ...input, workload: settledBefore }).action).toBe('reload');
  });
});

describe('rule 3: the ledger vanished', () => {
  it('while we watched: is written again from memory', () => {
    const workload = carrying(undefined, { mark: formatMark(5, known.sources, KEY_ID) });
    const verdict = verdictOn(
      inputWith({ workload, memory: remembered, want: wantFor([present('a', 'new')]) }),
    );
    expect(verdict).toMatchObject({ action: 'record', situation: 'vanished', recordUrgent: true });
    expect(verdict.record).toMatchObject({ seq: 5, reloadedAt: 4000, recent: known.recent });
  });

  it('together with a change: reloads against what is remembered', () => {
    const verdict = verdictOn(
      inputWith({
        workload: carrying(undefined, { mark: formatMark(5, known.sources, KEY_ID) }),
        memory: remembered,
        want: wantFor([present('a', 'newer')]),
      }),
    );
    expect(verdict).toMatchObject({ action: 'reload', situation: 'vanished' });
    expect(verdict.reload?.ledger.seq).toBe(6);
  });

  it('and was replaced by that of another workload: is written again', () => {
    const workload = carrying(ledgerWith({ uid: 'other' }));
    const verdict = verdictOn(
      inputWith({ workload, memory: remembered, want: wantFor([present('a', 'new')]) }),
    );
    expect(verdict).toMatchObject({ action: 'record', situation: 'vanished' });
  });

  it('with everything that was wanted: stays away', () => {
    const memory = { ...remembered, ledger: { ...known, sources: new Map() } };
    expect(decide(inputWith({ workload: carrying(undefined), memory })).action).toBe('nothing');
  });

  describe('while we were away, and the template has the mark', () => {
    const workload = carrying(undefined, { mark: formatMark(5, known.sources, KEY_ID) });

    it('is written again with its number', () => {
      const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'new')]) }));
      expect(verdict).toMatchObject({ action: 'record', situation: 'restored-from-mark' });
      expect(verdict.record?.seq).toBe(5);
    });

    it('is known before that is written: an older ledger that comes back meanwhile is one of an undone rollout', () => {
      const want = wantFor([present('a', 'new')]);
      const input = inputWith({ workload, want });
      const memory = remember(input.memory, workload, verdictOn(input), NOW);
      expect(memory.stored).toBe(false);
      const situation = (own: ReturnType<typeof undoneTo>) =>
        verdictOn(inputWith({ workload: own, memory, want })).situation;
      expect(situation(undoneTo({}))).toBe('undone');
      expect(situation(undoneTo({ seq: 5 }))).toBe('recorded');
    });

    it('with a change: the pods have the last word', () => {
      const want = wantFor([present('a', 'newer', { facts: { writtenAt: 4500 } })]);
      const input = inputWith({ workload, want });
      expect(decide(input)).toEqual({ action: 'ask-pods', why: 'template-changed', waitForRollout: false });
      expect(verdictOn({ ...input, pods: { createdAt: [4499] } }).action).toBe('reload');
      expect(verdictOn({ ...input, pods: { createdAt: [4500] } })).toMatchObject({
        action: 'record',
        because: 'pods-are-new',
      });
      expect(verdictOn({ ...input, pods: { createdAt: [] } }).action).toBe('record');
    });
  });
});

describe('rule 9: a baseline in memory', () => {
  const baseline = ledgerWith({ writtenAt: 4900, sources: { 'cm/a': 'x' } });
  const memory: Memory = { ...emptyMemory('uid-web'), ledger: baseline };
  const workload = carrying(undefined);

  it('that was not written yet is to be written, as an adoption', () => {
    const verdict = verdictOn(inputWith({ workload, memory, want: wantFor([present('a', 'x')]) }));
    expect(verdict).toMatchObject({ action: 'record', situation: 'in-memory', because: 'adopted' });
  });

  it('counts when a source changes before it was written', () => {
    const verdict = verdictOn(inputWith({ workload, memory, want: wantFor([present('a', 'y')]) }));
    expect(verdict).toMatchObject({ action: 'reload', situation: 'in-memory', recordUrgent: true });
    expect(shown(verdict.record)).toEqual({ 'cm/a': digestOf('x') });
  });

  it('that was refused is not tried again as long as nothing changes', () => {
    const refused: Memory = { ...memory, refused: true };
    const decideOn = (content: string, more: Parameters<typeof present>[] = []) =>
      verdictOn(
        inputWith({
          workload,
          memory: refused,
          want: wantFor([present('a', content), ...more.map((args) => present(...args))]),
        }),
      );
    expect(decideOn('x').action).toBe('nothing');
    expect(decideOn('x', [['b', 'y']]).action).toBe('record');
    expect(decideOn('y').action).toBe('reload');
  });

  it('that was refused counts instead of an older ledger on the workload, and not instead of a newer', () => {
    const refused: Memory = { ...memory, refused: true };
    const want = wantFor([present('a', 'x')]);
    const older = carrying(ledgerWith({ writtenAt: 4800, sources: { 'cm/a': 'old' } }));
    expect(verdictOn(inputWith({ workload: older, memory: refused, want }))).toMatchObject({
      action: 'nothing',
      situation: 'in-memory',
    });
    const newer = carrying(ledgerWith({ writtenAt: 4950, sources: { 'cm/a': 'old' } }));
    expect(verdictOn(inputWith({ workload: newer, memory: refused, want })).situation).toBe('recorded');
  });

  it('gives way to a ledger that somebody else wrote meanwhile', () => {
    const standing = carrying(ledgerWith({ writtenAt: 100, sources: { 'cm/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload: standing, memory, want: wantFor([present('a', 'x')]) }));
    expect(verdict).toMatchObject({ action: 'nothing', situation: 'recorded' });
  });
});

it('never gives a number again that it has seen', () => {
  const workload = carrying(ledgerWith({ seq: 2, sources: { 'cm/a': 'x' } }));
  const memory: Memory = { ...emptyMemory('uid-web'), highestSeq: 7 };
  const verdict = verdictOn(inputWith({ workload, memory, want: wantFor([present('a', 'y')]) }));
  expect(verdict.reload?.ledger.seq).toBe(8);
});

it('never writes a time before the one that stands there', () => {
  const workload = carrying(ledgerWith({ writtenAt: 9000, sources: { 'cm/a': 'x' } }));
  const verdict = verdictOn(inputWith({ workload, now: NOW }));
  expect(verdict.record?.writtenAt).toBe(9000);
});
