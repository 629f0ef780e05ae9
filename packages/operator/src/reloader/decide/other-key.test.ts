import { describe, expect, it } from 'vitest';
import { emptyMemory } from '../ledger/remember.ts';
import {
  carrying,
  decide,
  digestOf,
  inputWith,
  ledgerWith,
  present,
  presentSecret,
  shown,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';

const RECORDED_AT = 4000;

describe('rule 2: a record that was made with a lost key', () => {
  const recorded = ledgerWith({ writtenAt: RECORDED_AT, keyId: 'lost', sources: { 'secret/a': 'x' } });
  const of = (writtenAt: number, createdAt = 1000) =>
    wantFor([presentSecret('a', 'y', { facts: { createdAt, writtenAt } })]);
  const asked = (writtenAt: number, facts: Parameters<typeof carrying>[1] = {}) =>
    inputWith({ workload: carrying(recorded, facts), want: of(writtenAt) });

  it('is adopted if the Secret was not written since', () => {
    expect(verdictOn(asked(3999))).toMatchObject({ action: 'record' });
  });

  it('is a doubt if it was: the pods decide', () => {
    expect(decide(asked(4001))).toEqual({ action: 'ask-pods', why: 'other-key', waitForRollout: false });
    expect(verdictOn({ ...asked(4500), pods: { readSince: [4500] } }).action).toBe('reload');
    expect(verdictOn({ ...asked(4500), pods: { readSince: [4501] } })).toMatchObject({
      action: 'record',
      because: 'pods-are-new',
    });
  });

  it('has only times as evidence, unless this process observed the change', () => {
    const pods = { readSince: [4000] };
    expect(verdictOn({ ...asked(4500), pods })).toMatchObject({ action: 'reload', byTimesAlone: true });
    const past = [{ digest: 'w', keyDigests: '', from: 4000, until: 4500 }];
    const want = wantFor([presentSecret('a', 'y', { facts: { createdAt: 1000, writtenAt: 4500, past } })]);
    expect(verdictOn({ ...asked(4500), want, pods })).not.toHaveProperty('byTimesAlone');
  });

  it('is adopted if the Secret was written in the second of the record, mostly the write that it was made for', () => {
    expect(decide(asked(RECORDED_AT)).action).toBe('record');
  });

  it('is a doubt if the Secret was written after the writes that the record covers, whatever our clock said', () => {
    const ahead = ledgerWith({ ...recorded, sourcesWrittenAt: 3900, sources: { 'secret/a': 'x' } });
    const at = (writtenAt: number) => inputWith({ workload: carrying(ahead), want: of(writtenAt) });
    expect(decide(at(3901))).toMatchObject({ action: 'ask-pods', why: 'other-key' });
    expect(decide(at(3900)).action).toBe('record');
  });

  it('covers the write that managedFields show, not the time at which we observed a change', () => {
    const facts = { createdAt: 1000, writtenAt: 4300, storedAt: 3900 };
    const want = wantFor([presentSecret('a', 'y', { facts })]);
    const { record } = verdictOn(inputWith({ workload: carrying(recorded), want }));
    expect(record?.sourcesWrittenAt).toBe(3900);
  });

  describe('while a change waited', () => {
    // Our clock was ahead: the record seems to be newer than the change.
    const pending = ledgerWith({ ...recorded, pendingSince: 4010, sources: { 'secret/a': 'x' } });
    const waiting = (readSince?: number[]) => ({
      ...inputWith({ workload: carrying(pending), want: of(3990) }),
      ...(readSince && { pods: { readSince } }),
    });

    it('the pods decide, whatever the time of the record', () => {
      expect(decide(waiting())).toMatchObject({ action: 'ask-pods', why: 'other-key' });
      expect(verdictOn(waiting([3980])).action).toBe('reload');
    });

    it('a workload whose pods were created after the write is not restarted', () => {
      expect(verdictOn(waiting([3991]))).toMatchObject({ action: 'record', because: 'pods-are-new' });
    });
  });

  it('waits for the end of a rollout that may bring the value', () => {
    expect(decide(asked(4500, { templateWrittenAt: 4600 }))).toMatchObject({ waitForRollout: true });
  });

  it.each(['CronJob', 'Job'] as const)('runs no %s: its next run reads the value', (kind) => {
    expect(verdictOn(asked(4500, { kind })).action).toBe('record');
  });

  it('is noted as never rolled out while the reload waits, and other sources as they are', () => {
    const both = ledgerWith({ ...recorded, sources: { 'secret/a': 'x', 'cm/b': 'z' } });
    const want = wantFor([...of(4500).sources, present('b', 'z')]);
    const verdict = verdictOn(inputWith({ workload: carrying(both), want, pods: { readSince: [4000] } }));
    expect(shown(verdict.record)).toEqual({ 'secret/a': '-', 'cm/b': digestOf('z') });
    expect(verdict.recorded).toEqual(both);
  });

  it('has only times as evidence if this process observed changes of other sources', () => {
    const past = [{ digest: digestOf('z'), keyDigests: '', from: 4000, until: 4500, first: true as const }];
    const both = ledgerWith({ ...recorded, sources: { 'secret/a': 'x', 'cm/b': 'z' } });
    const other = present('b', 'z', { facts: { writtenAt: 4500, past } });
    const want = wantFor([...of(4500).sources, other]);
    const input = inputWith({ workload: carrying(both), want, pods: { readSince: [4000] } });
    expect(verdictOn(input)).toMatchObject({ action: 'reload', byTimesAlone: true });
  });

  it('stays pending while it waits, under the new key and across a crash', () => {
    const verdict = verdictOn({ ...asked(4500), pods: { readSince: [4000] } });
    expect(verdict).toMatchObject({ action: 'reload', recordUrgent: true, recorded });
    const { record, base } = verdict;
    if (!record) throw new Error('nothing would be noted');
    const again = inputWith({
      workload: carrying(recorded),
      want: of(4500),
      memory: emptyMemory('uid-web'),
      note: { record, base },
    });
    expect(verdictOn(again)).toMatchObject({ action: 'reload', fingerprint: verdict.fingerprint });
  });
});
