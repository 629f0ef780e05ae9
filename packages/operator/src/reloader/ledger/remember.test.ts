import { describe, expect, it } from 'vitest';
import {
  asVerdict,
  carrying,
  decide,
  digestOf,
  inputWith,
  ledgerWith,
  memoryOf,
  NOW,
  present,
  shown,
  unknown,
  wantFor,
} from '../decide/decide.test.support.ts';
import type { DecideInput } from '../decide/input.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { formatLedger } from './ledger.ts';
import { baseOf, NO_BASE } from './note.ts';
import { afterNote, afterPatch, emptyMemory, remember, returnsSettledBy } from './remember.ts';

const LEDGER = ledgerWith({ seq: 2, sources: { 'cm/a': 'x' } });
const BASE = baseOf(formatLedger(LEDGER));
const changedTo = (content: string): DecideInput =>
  inputWith({ workload: carrying(LEDGER), want: wantFor([present('a', content)]) });
const pass = (memory: Memory | undefined, input: DecideInput, now: number): Memory =>
  remember(memory, input.workload, decide({ ...input, ...(memory && { memory }), now }), now);

describe('after a decision', () => {
  it('the baseline of a first sight is known at once', () => {
    const input = inputWith({ want: wantFor([present('a', 'x')]) });
    const memory = pass(undefined, input, NOW);
    expect(memory).toMatchObject({ uid: 'uid-web', base: NO_BASE, highestSeq: 0 });
    expect(shown(memory.ledger)).toEqual({ 'cm/a': digestOf('x') });
  });

  it('the ledger that stands on the workload is the one we know', () => {
    const memory = pass(emptyMemory('uid-web'), changedTo('x'), NOW);
    expect(memory).toMatchObject({ base: BASE, highestSeq: 2 });
    expect(memory.ledger).toEqual(LEDGER);
  });

  it('a ledger that vanished stays known as it was', () => {
    const before = memoryOf(LEDGER);
    const input = inputWith({ want: wantFor([present('a', 'x'), present('b', 'y')]) });
    expect(pass(before, input, NOW)).toMatchObject({ ledger: LEDGER, base: BASE });
  });

  it('an older ledger that came back does not change the memory', () => {
    const before = memoryOf({ ...LEDGER, seq: 3 });
    expect(pass(before, changedTo('x'), NOW).ledger).toEqual(before.ledger);
  });

  it('a workload that asks for nothing leaves nothing but its version and template', () => {
    expect(pass(undefined, inputWith({}), NOW)).toEqual({
      ...emptyMemory('uid-web'),
      seenVersion: '1',
      template: { digest: 'template', since: 900 },
    });
  });

  it('another uid starts anew', () => {
    const before: Memory = { ...emptyMemory('uid-old'), highestSeq: 9 };
    expect(pass(before, changedTo('x'), NOW)).toMatchObject({
      uid: 'uid-web',
      highestSeq: 2,
    });
  });

  it('nothing is forgotten where the pods are asked', () => {
    const decision = { action: 'ask-pods', why: 'reverted', waitForRollout: true } as const;
    const before = pass(undefined, changedTo('y'), NOW);
    expect(remember(before, carrying(LEDGER), decision, NOW + 1)).toEqual(before);
  });

  it('nothing is forgotten where a source is not in sync', () => {
    const before = pass(undefined, changedTo('y'), NOW);
    const input = { ...changedTo('y'), want: wantFor([unknown('a', { syncing: true })]) };
    expect(pass(before, input, NOW + 1)).toEqual(before);
  });
});

describe('changes of sources until which returns are settled', () => {
  const settledBy = (known: Ledger | undefined, recorded: Ledger, now = NOW): number =>
    returnsSettledBy(
      { ...emptyMemory('uid-web'), ...(known && { ledger: known }), changeSeen: 1900, returnsSettled: 1700 },
      recorded,
      now,
    );

  it.each<[string, Ledger, number]>([
    ['the one we know', LEDGER, 1700],
    ['one of a later reload', { ...LEDGER, seq: 3 }, 1900],
    ['one of a later time', { ...LEDGER, writtenAt: 2001 }, 1900],
    ['one with other contents', ledgerWith({ seq: 2, sources: { 'cm/a': 'y' } }), 1900],
    ['one that only notes a pending change', { ...LEDGER, seq: 3, pendingSince: 1950 }, 1700],
  ])('where the ledger is %s', (_, recorded, expected) => {
    expect(settledBy(LEDGER, recorded)).toBe(expected);
  });

  it.each<[string, number, number]>([
    ['half a minute after it was written', NOW, 2030],
    ['now, if that is before', 2_010_500, 2010],
    ['when it was written, if the clock is behind', 1_000_000, 2000],
  ])('with the first ledger that we see: %s', (_, now, expected) => {
    expect(settledBy(undefined, LEDGER, now)).toBe(expected);
  });

  it('never go back', () => {
    expect(settledBy({ ...LEDGER, seq: 1 }, LEDGER)).toBe(1900);
    expect(
      returnsSettledBy(
        { ...emptyMemory('uid-web'), ledger: LEDGER, returnsSettled: 1950 },
        { ...LEDGER, seq: 3 },
        NOW,
      ),
    ).toBe(1950);
  });
});

describe('the baseline of later changes', () => {
  it.each(['first-sight', 'copied', 'restored-from-mark', 'recreated'] as const)(
    'is the record that is to be noted, on %s',
    (situation) => {
      const verdict = asVerdict(decide(inputWith({ want: wantFor([present('a', 'x')]) })));
      const memory = remember(undefined, carrying(undefined), { ...verdict, situation }, NOW);
      expect(memory.ledger).toEqual(verdict.record);
      expect(memory.ledger).toBeDefined();
    },
  );

  it.each(['undone', 'vanished'] as const)('stays on %s', (situation) => {
    const verdict = asVerdict(decide(inputWith({ want: wantFor([present('a', 'x')]) })));
    const memory = remember(memoryOf(LEDGER), carrying(undefined), { ...verdict, situation }, NOW);
    expect(memory.ledger).toEqual(LEDGER);
  });
});

describe('a change that waits', () => {
  it('is known by when it was first seen, and does not become younger', () => {
    const first = pass(undefined, changedTo('y'), NOW);
    expect(first.pending).toMatchObject({ template: 'template', firstSeen: NOW, lastSeen: NOW });
    expect(pass(first, changedTo('y'), NOW + 700).pending).toEqual(first.pending);
  });

  it('followed by another one begins a new quiet time, not a new longest one', () => {
    const first = pass(undefined, changedTo('y'), NOW);
    const second = pass(first, changedTo('z'), NOW + 700);
    expect(second.pending).toMatchObject({ firstSeen: NOW, lastSeen: NOW + 700 });
    expect(second.pending?.fingerprint).not.toBe(first.pending?.fingerprint);
  });

  it('and was taken back is forgotten', () => {
    expect(pass(pass(undefined, changedTo('y'), NOW), changedTo('x'), NOW + 1).pending).toBeUndefined();
  });

  it('under another template keeps its quiet time where it must still be rolled out', () => {
    const first = pass(undefined, changedTo('y'), NOW);
    const input = { ...changedTo('y'), workload: carrying(LEDGER, { templateDigest: 'other' }) };
    const verdict = asVerdict(decide({ ...input, memory: first, pods: { readSince: [1] } }));
    expect(verdict.podsAreOld).toBe(true);
    const second = remember(first, input.workload, verdict, NOW + 700);
    expect(second.pending).toEqual({ ...first.pending, template: 'other', podsWereOldAt: 900 });
    expect(remember(second, input.workload, verdict, NOW + 900).pending).toEqual(second.pending);
  });
});

describe('after a note or a PATCH', () => {
  const waiting = pass(undefined, changedTo('y'), NOW);

  it('of a reload, nothing waits', () => {
    const ledger = ledgerWith({ seq: 3, sources: { 'cm/a': 'y' } });
    const memory = afterPatch(waiting, ledger, 'base');
    expect(memory).toMatchObject({ ledger, base: 'base', highestSeq: 3 });
    expect(memory.pending).toBeUndefined();
    expect(memory.writtenOver).toBe('1');
    expect(afterPatch(emptyMemory('uid-web'), ledger, 'base')).not.toHaveProperty('writtenOver');
  });

  it('of the time since which a reload waits, it still waits', () => {
    expect(afterNote(waiting, { ...LEDGER, pendingSince: 5000 }, BASE).pending).toEqual(waiting.pending);
  });

  it('the workload from before the PATCH is known as such, and only that', () => {
    const ledger = ledgerWith({ seq: 3, sources: { 'cm/a': 'y' } });
    const memory = afterPatch(waiting, ledger, baseOf(formatLedger(ledger)));
    const on = (workload: WorkloadFacts) => decide({ ...changedTo('z'), workload, memory });
    expect(on(carrying(LEDGER))).toMatchObject({ action: 'nothing', because: 'write-not-seen' });
    expect(on(carrying(undefined))).toMatchObject({ because: 'write-not-seen' });
    expect(remember(memory, carrying(LEDGER), on(carrying(LEDGER)), NOW)).toEqual(memory);
    expect(on(carrying(ledger))).toMatchObject({ action: 'reload', situation: 'recorded' });
    const { metadata, ...later } = carrying(undefined);
    const moved = { ...later, metadata: { ...metadata, resourceVersion: '2' } };
    expect(on(moved)).toMatchObject({ action: 'ask-pods', why: 'template-changed' });
  });

  it('a note leaves the workload as it is, so the same state is decided on', () => {
    const memory = afterNote(waiting, { ...LEDGER, pendingSince: 5000 }, BASE);
    expect(decide({ ...changedTo('y'), memory })).toMatchObject({ action: 'reload', record: undefined });
  });

  it('counts the repetitions after a revert, and begins anew with the next change', () => {
    const retry = { seq: 3, at: 1, configs: [], sources: [] };
    expect(afterNote(waiting, { ...LEDGER, recent: [retry, retry] }, BASE).revertRetries).toBe(2);
    const change = { ...retry, sources: ['cm/a'] };
    expect(afterNote(waiting, { ...LEDGER, recent: [retry, retry, change] }, BASE).revertRetries).toBe(0);
  });
});
