import { describe, expect, it } from 'vitest';
import { formatLedger } from '../ledger/ledger.ts';
import { baseOf } from '../ledger/note.ts';
import { afterNote, afterPatch, remember } from '../ledger/remember.ts';
import type { PastContent } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
import {
  carrying,
  decide,
  digestOf,
  inputWith,
  KEY_ID,
  ledgerWith,
  NOW,
  present,
  shown,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';
import type { DecideInput } from './input.ts';

/** Recorded as `x` at second 2000. From 3000 to 4000 the content was `y`. */
const LEDGER = ledgerWith({ sources: { 'cm/a': 'x', 'cm/b': 'z' } });
const past = (
  content: string,
  from: number,
  until: number,
  more: Partial<PastContent> = {},
): PastContent => ({
  digest: digestOf(content),
  keyDigests: '',
  from,
  until,
  ...more,
});
const THERE = [past('x', 1000, 3000, { first: true }), past('y', 3000, 4000)];
const back = (options: Parameters<typeof present>[2] = {}): WantedSource =>
  present('a', 'x', { ...options, facts: { writtenAt: 4000, past: THERE, ...options.facts } });
const asked = (parts: Partial<DecideInput> = {}): DecideInput =>
  inputWith({ workload: carrying(LEDGER), want: wantFor([back(), present('b', 'z')]), ...parts });
const ASK = { action: 'ask-pods', why: 'there-and-back', waitForRollout: false };

describe('a source that changed and changed back', () => {
  it('makes us ask the pods, because one may have been created in between', () => {
    expect(decide(asked())).toEqual(ASK);
  });

  it.each([[[]], [[2000, 3000]], [[4000]], [[2999, 4001]]])(
    'pods of %j: nothing, and the pods are not asked again',
    (createdAt) => {
      const input = asked({ pods: { readSince: createdAt } });
      const verdict = verdictOn(input);
      expect(verdict).toMatchObject({ action: 'nothing', returnsSettled: 4000 });
      const memory = remember(input.memory, input.workload, verdict, NOW);
      expect(decide(asked({ memory })).action).toBe('nothing');
      const again = wantFor([
        back({ facts: { past: [...THERE, past('x', 4000, 4100), past('y', 4100, 4200)] } }),
      ]);
      expect(decide(asked({ memory, want: again }))).toEqual(ASK);
    },
  );

  it.each([3001, 3999])(
    'a pod of second %i has the content in between: noted, then rolled out',
    (created) => {
      const input = asked({ pods: { readSince: [created, 4500] } });
      const verdict = verdictOn(input);
      expect(verdict).toMatchObject({ action: 'record', because: 'returned', recordUrgent: true });
      expect(shown(verdict.record)).toEqual({ 'cm/a': '-', 'cm/b': digestOf('z') });
      expect(verdict.record).toMatchObject({ seq: 0, writtenAt: 2000, pendingSince: 5000 });
      const workload = carrying(verdict.record);
      // Also by another process that did not observe it.
      const known = verdict.record && afterNote(input.memory, verdict.record, verdict.base);
      for (const memory of [input.memory, known ?? input.memory]) {
        const next = verdictOn(
          asked({ workload, memory, want: wantFor([present('a', 'x'), present('b', 'z')]) }),
        );
        expect(next).toMatchObject({ action: 'reload', record: undefined });
        expect(next.reload?.causes.map(({ ref }) => ref.name)).toEqual(['a']);
        expect(shown(next.reload?.ledger)).toEqual({ 'cm/a': digestOf('x'), 'cm/b': digestOf('z') });
      }
    },
  );

  it('twice: the pods are not asked again about either', () => {
    const facts = { past: [...THERE, past('x', 4000, 4100), past('y', 4100, 4200)] };
    const input = asked({ want: wantFor([back({ facts }), present('b', 'z')]), pods: { readSince: [] } });
    expect(verdictOn(input).returnsSettled).toBe(4200);
  });

  it('that we saw only after the change: a pod of any time since the ledger may have something else', () => {
    const want = wantFor([
      back({ facts: { past: [past('y', 3000, 4000, { first: true })] } }),
      present('b', 'z'),
    ]);
    expect(verdictOn(asked({ want, pods: { readSince: [2000, 4000] } })).action).toBe('nothing');
    expect(verdictOn(asked({ want, pods: { readSince: [2001] } }))).toMatchObject({ because: 'returned' });
  });

  it('counts also if a process that had not seen the change wrote the ledger in between', () => {
    const workload = carrying(ledgerWith({ writtenAt: 3500, sources: { 'cm/a': 'x', 'cm/b': 'z' } }));
    const first = wantFor([
      back({ facts: { past: [past('y', 3000, 4000, { first: true })] } }),
      present('b', 'z'),
    ]);
    for (const want of [asked().want, first]) {
      const verdict = verdictOn(asked({ workload, want, pods: { readSince: [3500] } }));
      expect(verdict).toMatchObject({ action: 'record', because: 'returned' });
    }
  });

  it('counts within seconds after another process wrote the ledger, if we observed the change', () => {
    const first = asked({ now: 2_001_000, want: wantFor([present('a', 'x'), present('b', 'z')]) });
    const memory = remember(first.memory, first.workload, verdictOn(first), first.now);
    const facts = { past: [past('x', 1000, 2003, { first: true }), past('y', 2003, 2006)] };
    const want = wantFor([back({ facts }), present('b', 'z')]);
    expect(decide(asked({ now: 2_007_000, memory, want }))).toEqual(ASK);
  });

  it('is judged before something else is recorded, which would move the time of the ledger', () => {
    const want = wantFor([back(), present('b', 'z'), present('c', 'new')]);
    expect(decide(asked({ want }))).toEqual(ASK);
    const verdict = verdictOn(asked({ want, pods: { readSince: [3500] } }));
    expect(shown(verdict.record)).toMatchObject({ 'cm/a': '-', 'cm/c': digestOf('new') });
  });

  it('is noted also if another source is a reason to reload, because that may be taken back while it waits', () => {
    const want = wantFor([back(), present('b', 'changed', { facts: { writtenAt: 4500 } })]);
    expect(decide(asked({ want }))).toEqual(ASK);
    expect(verdictOn(asked({ want, pods: { readSince: [2000] } })).action).toBe('reload');
    const verdict = verdictOn(asked({ want, pods: { readSince: [3500] } }));
    expect(verdict).toMatchObject({ action: 'record', because: 'returned' });
    expect(shown(verdict.record)).toEqual({ 'cm/a': '-', 'cm/b': digestOf('z') });
    const next = verdictOn(asked({ want, workload: carrying(verdict.record) }));
    expect(next.reload?.causes.map(({ ref }) => ref.name)).toEqual(['a', 'b']);
  });

  it('does not matter once the ledger was written after it', () => {
    const workload = carrying(ledgerWith({ writtenAt: 4000, sources: { 'cm/a': 'x', 'cm/b': 'z' } }));
    expect(decide(asked({ workload })).action).toBe('nothing');
  });

  it('does not matter if only keys changed that do not count', () => {
    const keys = ['used'];
    const facts = {
      keyDigests: 'used\0k1\0other\0o1',
      past: [past('y', 3000, 4000, { keyDigests: 'used\0k1\0other\0o2' })],
    };
    const want = wantFor([back({ keys, facts })]);
    const install = { at: 3001, keyId: KEY_ID };
    const recorded = verdictOn(asked({ workload: carrying(undefined), want, install })).record;
    if (!recorded) throw new Error('it was to be adopted');
    const workload = carrying({ ...recorded, writtenAt: 2000 });
    expect(decide(asked({ workload, want })).action).toBe('nothing');
    const counts = { keyDigests: 'used\0k1', past: [past('y', 3000, 4000, { keyDigests: 'used\0k2' })] };
    expect(decide(asked({ workload, want: wantFor([back({ keys, facts: counts })]) }))).toEqual(ASK);
  });

  describe('is no return if it is the change that was rolled out', () => {
    // Second 4000: from `x` to `y`. Our clock is behind, so the ledger seems to be older than that.
    const changed = wantFor([
      present('a', 'y', { facts: { writtenAt: 4000, past: [past('x', 1000, 4000, { first: true })] } }),
      present('b', 'z'),
    ]);
    const before = asked({ want: changed, now: 3_990_000 });
    const verdict = verdictOn(before);
    const reloaded = verdict.reload?.ledger ?? LEDGER;
    const after = { want: changed, workload: carrying(reloaded) };
    const memory = remember(before.memory, before.workload, verdict, 3_990_000);

    it('by us', () => {
      expect(reloaded.writtenAt).toBe(3990);
      expect(
        decide(asked({ ...after, memory: afterPatch(memory, reloaded, baseOf(formatLedger(reloaded))) }))
          .action,
      ).toBe('nothing');
    });

    it('by us, and the answer got lost; nor in the pass after that', () => {
      const next = verdictOn(asked({ ...after, memory }));
      expect(next.action).toBe('nothing');
      const later = remember(memory, after.workload, next, NOW);
      expect(decide(asked({ ...after, memory: later })).action).toBe('nothing');
    });

    it('by another process', () => {
      const next = verdictOn(asked(after));
      expect(next.action).toBe('nothing');
      const later = remember(asked().memory, after.workload, next, NOW);
      expect(decide(asked({ ...after, memory: later })).action).toBe('nothing');
    });
  });

  it('is no return if a vanished ledger was written again after it, and the write is refused at first', () => {
    // Another client's template brought the change to `x`, while the ledger that said `y` was removed.
    const before = ledgerWith({ sources: { 'cm/a': 'y', 'cm/b': 'z' } });
    const known = { ...afterNote(asked().memory, before, baseOf(formatLedger(before))), seenVersion: '1' };
    const pods = { readSince: [3500, 4500] };
    const first = asked({ workload: carrying(undefined), memory: known, pods: { readSince: [4500] } });
    const workload = { ...first.workload, templateWrittenAt: 4100, templateDigest: 'other' };
    const verdict = verdictOn({ ...first, workload });
    expect(verdict).toMatchObject({ action: 'record', situation: 'vanished', because: 'pods-are-new' });
    const memory = afterNote(remember(known, workload, verdict, NOW), verdict.record ?? before, verdict.base);
    const next = verdictOn(asked({ workload, memory, pods }));
    expect(next.because).not.toBe('returned');
  });

  it('keeps how long another change waits, until it is noted', () => {
    const want = wantFor([back(), present('b', 'changed', { facts: { writtenAt: 4500 } })]);
    const pending = { fingerprint: 'b', template: 'template', firstSeen: 4_600_000, lastSeen: 4_600_000 };
    const memory = { ...asked().memory, pending };
    const input = asked({ want, memory, pods: { readSince: [3500] } });
    expect(remember(memory, input.workload, verdictOn(input), NOW).pending).toEqual(pending);
  });

  describe('is no return if it changed before the workload opted in', () => {
    // From `y` to `x` at second 4000, before the workload, with a pod of second 3500, had opted in.
    const unrecorded = { workload: carrying(undefined, { annotatedAt: 4001 }), pods: { readSince: [3500] } };
    const adopting = asked(unrecorded);
    const verdict = verdictOn(adopting);
    const memory = remember(adopting.memory, adopting.workload, verdict, NOW);

    it('and was adopted as it is', () => {
      const ledger = verdict.record ?? LEDGER;
      const standing = { ...unrecorded, memory: afterNote(memory, ledger, verdict.base) };
      expect(verdict).toMatchObject({ action: 'record', because: 'adopted' });
      expect(decide(asked(standing)).action).toBe('nothing');
    });

    it('and that is decided again before it was noted', () => {
      const next = verdictOn(asked({ ...unrecorded, memory }));
      expect(next).toMatchObject({ action: 'nothing', situation: 'recorded' });
      expect(next.recorded?.sources).toEqual(verdict.record?.sources);
    });

    it('but is one if it changes and changes back before that could be written', () => {
      const again = [...THERE, past('x', 4000, 4100), past('y', 4100, 4200)];
      const want = wantFor([back({ facts: { writtenAt: 4200, past: again } }), present('b', 'z')]);
      const next = verdictOn(asked({ ...unrecorded, want, memory, pods: { readSince: [4150] } }));
      expect(next).toMatchObject({ action: 'record', because: 'returned' });
    });
  });

  it('does not matter to a CronJob, whose template creates no pods by itself', () => {
    expect(decide(asked({ workload: carrying(LEDGER, { kind: 'CronJob' }) })).action).toBe('nothing');
  });
});
