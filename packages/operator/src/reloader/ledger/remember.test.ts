import { describe, expect, it } from 'vitest';
import {
  asVerdict,
  carrying,
  digestOf,
  inputWith,
  ledgerWith,
  NOW,
  present,
  shown,
  unknown,
  wantFor,
} from '../decide/decide.test.support.ts';
import { decide } from '../decide/decide.ts';
import type { DecideInput } from '../decide/input.ts';
import type { Memory } from '../model/memory.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { afterRefusal, afterWrite, emptyMemory, remember } from './remember.ts';

const LEDGER = ledgerWith({ seq: 2, sources: { 'cm/a': 'x' } });
const changedTo = (content: string): DecideInput =>
  inputWith({ workload: carrying(LEDGER), want: wantFor([present('a', content)]) });
const pass = (memory: Memory | undefined, input: DecideInput, now: number): Memory =>
  remember(memory, input.workload, decide({ ...input, ...(memory && { memory }), now }), now);

describe('after a decision', () => {
  it('the baseline of a first sight is known at once, and not stored', () => {
    const input = inputWith({ want: wantFor([present('a', 'x')]) });
    const memory = pass(undefined, input, NOW);
    expect(memory).toMatchObject({ uid: 'uid-web', stored: false, highestSeq: 0 });
    expect(shown(memory.ledger)).toEqual({ 'cm/a': digestOf('x') });
  });

  it('what is adopted before the baseline was written belongs to it', () => {
    const first = pass(undefined, inputWith({ want: wantFor([present('a', 'x')]) }), NOW);
    const more = inputWith({ want: wantFor([present('a', 'x'), present('b', 'y')]) });
    const second = pass(first, more, NOW + 10);
    expect(shown(second.ledger)).toEqual({ 'cm/a': digestOf('x'), 'cm/b': digestOf('y') });
    expect(second.stored).toBe(false);
  });

  it('the ledger that stands on the workload is the one we know', () => {
    const memory = pass({ ...emptyMemory('uid-web'), refused: true }, changedTo('x'), NOW);
    expect(memory).toMatchObject({ stored: true, highestSeq: 2 });
    expect(memory.ledger).toEqual(LEDGER);
    expect(memory.refused).toBeUndefined();
  });

  it('a ledger that vanished stays known, with what was found since', () => {
    const before: Memory = { ...emptyMemory('uid-web'), ledger: LEDGER, stored: true, highestSeq: 2 };
    const input = inputWith({ want: wantFor([present('a', 'x'), present('b', 'y')]) });
    const memory = pass(before, input, NOW);
    expect(memory.stored).toBe(true);
    expect(shown(memory.ledger)).toEqual({ 'cm/a': digestOf('x'), 'cm/b': digestOf('y') });
  });

  it('an older ledger that came back teaches nothing', () => {
    const before: Memory = {
      ...emptyMemory('uid-web'),
      ledger: { ...LEDGER, seq: 3 },
      stored: true,
      highestSeq: 3,
    };
    expect(pass(before, changedTo('x'), NOW).ledger).toEqual(before.ledger);
  });

  it('a workload that asks for nothing leaves nothing', () => {
    expect(pass(undefined, inputWith({}), NOW)).toEqual({ ...emptyMemory('uid-web'), seenVersion: '1' });
  });

  it('another uid starts anew', () => {
    const before: Memory = { ...emptyMemory('uid-old'), highestSeq: 9 };
    expect(pass(before, changedTo('x'), NOW)).toMatchObject({
      uid: 'uid-web',
      highestSeq: 2,
    });
  });

  it.each([
    ['the ledger is left alone', { action: 'leave', version: 2 } as const],
    ['the pods are asked', { action: 'ask-pods', why: 'reverted', waitForRollout: true } as const],
  ])('nothing is forgotten where %s', (_, decision) => {
    const before = pass(undefined, changedTo('y'), NOW);
    expect(remember(before, carrying(LEDGER), decision, NOW + 1)).toEqual(before);
  });

  it('nothing is forgotten where a source is not in sync', () => {
    const before = pass(undefined, changedTo('y'), NOW);
    const input = { ...changedTo('y'), want: wantFor([unknown('a', { syncing: true })]) };
    expect(pass(before, input, NOW + 1)).toEqual(before);
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
    const verdict = asVerdict(decide({ ...input, memory: first, pods: { createdAt: [1] } }));
    expect(verdict.podsAreOld).toBe(true);
    const second = remember(first, input.workload, verdict, NOW + 700);
    expect(second.pending).toEqual({ ...first.pending, template: 'other', podsWereOldAt: 900 });
  });
});

describe('after a write', () => {
  const waiting = pass(undefined, changedTo('y'), NOW);

  it('of a reload, nothing waits', () => {
    const ledger = ledgerWith({ seq: 3, sources: { 'cm/a': 'y' } });
    const memory = afterWrite({ ...waiting, refused: true }, ledger);
    expect(memory).toMatchObject({ ledger, stored: true, highestSeq: 3 });
    expect(memory.pending).toBeUndefined();
    expect(memory.refused).toBeUndefined();
  });

  it('of the time since which a reload waits, it still waits', () => {
    expect(afterWrite(waiting, { ...LEDGER, pendingSince: 5000 }).pending).toEqual(waiting.pending);
  });

  it('the workload from before it is known as such, and only that', () => {
    const ledger = ledgerWith({ seq: 3, sources: { 'cm/a': 'y' } });
    const memory = afterWrite(waiting, ledger);
    const on = (workload: WorkloadFacts) => decide({ ...changedTo('z'), workload, memory });
    expect(on(carrying(LEDGER))).toMatchObject({ action: 'nothing', because: 'write-not-seen' });
    expect(on(carrying(undefined))).toMatchObject({ because: 'write-not-seen' });
    expect(remember(memory, carrying(LEDGER), on(carrying(LEDGER)), NOW)).toEqual(memory);
    expect(on(carrying(ledger))).toMatchObject({ action: 'reload', situation: 'recorded' });
    const { metadata, ...later } = carrying(undefined);
    const moved = { ...later, metadata: { ...metadata, resourceVersion: '2' } };
    expect(on(moved)).toMatchObject({ action: 'ask-pods', why: 'template-changed' });
  });

  it('what waits is not forgotten over the workload from before it', () => {
    const memory = afterWrite(waiting, { ...LEDGER, pendingSince: 5000 });
    const decision = decide({ ...changedTo('y'), memory });
    expect(decision).toMatchObject({ because: 'write-not-seen' });
    expect(remember(memory, carrying(LEDGER), decision, NOW).pending).toEqual(waiting.pending);
  });

  it('counts the repetitions after a revert, and begins anew with the next change', () => {
    const retry = { seq: 3, at: 1, configs: [], sources: [] };
    expect(afterWrite(waiting, { ...LEDGER, recent: [retry, retry] }).revertRetries).toBe(2);
    const change = { ...retry, sources: ['cm/a'] };
    expect(afterWrite(waiting, { ...LEDGER, recent: [retry, retry, change] }).revertRetries).toBe(0);
  });

  it('that was refused, the ledger counts all the same', () => {
    const ledger = ledgerWith({ sources: { 'cm/a': 'y' } });
    const memory = afterRefusal(waiting, ledger);
    expect(memory).toMatchObject({ ledger, stored: false, refused: true, highestSeq: 2 });
    expect(memory.pending).toBeUndefined();
    expect(afterRefusal(waiting, { ...ledger, pendingSince: 5000 }).pending).toEqual(waiting.pending);
  });
});
