import { describe, expect, it } from 'vitest';
import { baseOf, NO_BASE } from '../ledger/note.ts';
import { emptyMemory, remember } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Memory } from '../model/memory.ts';
import { configFacts } from '../want/world.test.support.ts';
import {
  carrying,
  decide,
  digestOf,
  gone,
  inputWith,
  KEY_ID,
  ledgerWith,
  markFor,
  memoryOf,
  NOW,
  present,
  shown,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';

const known = ledgerWith({
  seq: 5,
  writtenAt: 4000,
  reloadedAt: 4000,
  recent: [{ seq: 5, at: 4000, configs: [], sources: ['cm/a'] }],
  sources: { 'cm/a': 'new' },
});
const remembered = memoryOf(known);
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

  it('is noted once, and not taken for a revert afterwards', () => {
    const workload = undoneTo({});
    const verdict = verdictOn(inputWith({ workload, memory: remembered, want }));
    expect(verdict.base).toBe(baseOf(workload.annotations[FIXED_ANNOTATIONS.ledger]));
    const note = { record: verdict.record ?? known, base: verdict.base };
    expect(verdictOn(inputWith({ workload, note, want }))).toMatchObject({
      action: 'nothing',
      situation: 'recorded',
    });
  });

  it('is detected by a note as well, after a restart', () => {
    const note = { record: known, base: remembered.base ?? '' };
    expect(verdictOn(inputWith({ workload: undoneTo({}), note, want })).situation).toBe('undone');
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

    it('records if all of them are newer', () => {
      const verdict = verdictOn({ ...input, pods: { readSince: [4501] } });
      expect(verdict).toMatchObject({ action: 'record', because: 'undone' });
    });

    it('reloads if one is older, with the next number after the highest', () => {
      const verdict = verdictOn({ ...input, pods: { readSince: [4500] } });
      expect(verdict).toMatchObject({ action: 'reload', podsAreOld: true });
      expect(verdict.reload?.ledger.seq).toBe(6);
      expect(verdict.reload?.ledger.unmarked).toBeUndefined();
    });
  });

  it('does not reload for a deletion: its time is unknown', () => {
    const deleted = wantFor([gone('a', { reloadOnDelete: true })]);
    const input = inputWith({ workload: undoneTo({}), memory: remembered, want: deleted });
    expect(verdictOn({ ...input, pods: { readSince: [1] } })).toMatchObject({
      action: 'record',
      because: 'undone',
    });
  });

  it('while we were away, is detected by a template written after the ledger: the pods decide', () => {
    const workload = carrying(ledgerWith({ seq: 4, writtenAt: 3000, sources: { 'cm/a': 'old' } }), {
      templateWrittenAt: 4500,
    });
    const changed = wantFor([present('a', 'new', { facts: { writtenAt: 4000 } })]);
    const input = inputWith({ workload, want: changed });
    expect(decide(input)).toMatchObject({ action: 'ask-pods', waitForRollout: true });
    expect(verdictOn({ ...input, pods: { readSince: [4500] } }).because).toBe('pods-are-new');
    const settledBefore = carrying(ledgerWith({ seq: 4, writtenAt: 4500, sources: { 'cm/a': 'old' } }), {
      templateWrittenAt: 4500,
    });
    expect(decide({ ...input, workload: settledBefore }).action).toBe('reload');
  });
});

describe('rule 3: the ledger vanished', () => {
  it.each([
    ['while we watched', { memory: remembered }],
    ['while we were away', { note: { record: known, base: remembered.base ?? '' } }],
  ])('%s: the record counts, and nothing is written', (_, knowing) => {
    const workload = carrying(undefined, { mark: markFor(5, known.sources, KEY_ID) });
    const verdict = verdictOn(inputWith({ workload, ...knowing, want: wantFor([present('a', 'new')]) }));
    expect(verdict).toMatchObject({ action: 'nothing', situation: 'vanished', recorded: known });
  });

  it('together with a change: reloads against what is remembered', () => {
    const verdict = verdictOn(
      inputWith({
        workload: carrying(undefined, { mark: markFor(5, known.sources, KEY_ID) }),
        memory: remembered,
        want: wantFor([present('a', 'newer')]),
      }),
    );
    expect(verdict).toMatchObject({ action: 'reload', situation: 'vanished' });
    expect(verdict.reload?.ledger.seq).toBe(6);
  });

  it('and was replaced by that of another workload: the record counts', () => {
    const workload = carrying(ledgerWith({ uid: 'other' }), { mark: markFor(5, known.sources, KEY_ID) });
    const verdict = verdictOn(
      inputWith({ workload, memory: remembered, want: wantFor([present('a', 'new')]) }),
    );
    expect(verdict).toMatchObject({ action: 'nothing', situation: 'vanished', recorded: known });
  });

  it('and nothing is wanted any more: is not written again', () => {
    const memory = { ...remembered, ledger: { ...known, sources: new Map() } };
    expect(decide(inputWith({ workload: carrying(undefined), memory })).action).toBe('nothing');
  });

  describe('with all notes, and the template has the mark', () => {
    const workload = carrying(undefined, { mark: markFor(5, known.sources, KEY_ID) });

    it('is noted with its number', () => {
      const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'new')]) }));
      expect(verdict).toMatchObject({ action: 'record', situation: 'restored-from-mark' });
      expect(verdict.record?.seq).toBe(5);
    });

    it('is known before that is written: an older ledger that comes back meanwhile is one of an undone rollout', () => {
      const want = wantFor([present('a', 'new')]);
      const input = inputWith({ workload, want });
      const memory = remember(input.memory, workload, verdictOn(input), NOW);
      const situation = (own: ReturnType<typeof undoneTo>) =>
        verdictOn(inputWith({ workload: own, memory, want })).situation;
      expect(situation(undoneTo({}))).toBe('undone');
      expect(situation(undoneTo({ seq: 5 }))).toBe('recorded');
    });

    it('with a change: the pods decide', () => {
      const want = wantFor([present('a', 'newer', { facts: { writtenAt: 4500 } })]);
      const input = inputWith({ workload, want });
      expect(decide(input)).toEqual({ action: 'ask-pods', why: 'template-changed', waitForRollout: false });
      expect(verdictOn({ ...input, pods: { readSince: [4500] } }).action).toBe('reload');
      expect(verdictOn({ ...input, pods: { readSince: [4501] } })).toMatchObject({
        action: 'record',
        because: 'pods-are-new',
      });
      expect(verdictOn({ ...input, pods: { readSince: [] } }).action).toBe('record');
    });
  });
});

describe('rule 3: a workload that was created anew', () => {
  const old = ledgerWith({ uid: 'before', seq: 7, writtenAt: 2000, sources: { 'cm/a': 'x' } });
  const note = { record: old, base: NO_BASE };
  const workload = carrying(undefined, { createdAt: 4000 });
  const want = wantFor([present('a', 'y', { facts: { writtenAt: 3000 } })]);

  it('with the note of the earlier one: is adopted', () => {
    const same = wantFor([present('a', 'x')]);
    const verdict = verdictOn(inputWith({ workload, note, want: same }));
    expect(verdict).toMatchObject({ action: 'record', situation: 'recreated', because: 'adopted' });
    expect(verdict.record).toMatchObject({ uid: 'uid-web', seq: 0, recent: [] });
  });

  it('while a change waited: asks whether pods of the earlier one live', () => {
    expect(decide(inputWith({ workload, note, want }))).toEqual({
      action: 'ask-pods',
      why: 'recreated',
      waitForRollout: true,
    });
  });

  it.each([
    ['a pod that stayed and is of before the change, or of its second', [3000, 4001], 'reload'],
    ['a pod that stayed and is younger than the change', [3001], 'record'],
    ['no pod that stayed', [4000, 4001], 'record'],
    ['no pod', [], 'record'],
  ])('with %s (%j): %s', (_, createdAt, action) => {
    expect(verdictOn(inputWith({ workload, note, want, pods: { readSince: createdAt } })).action).toBe(
      action,
    );
  });

  it('says why it reloads or not', () => {
    const given = inputWith({ workload, note, want });
    expect(verdictOn({ ...given, pods: { readSince: [3000] } }).podsAreOld).toBe(true);
    expect(verdictOn({ ...given, pods: { readSince: [3001] } }).because).toBe('adopted');
  });

  describe('before a source changed', () => {
    const later = wantFor([present('a', 'y', { facts: { writtenAt: 4100 } })]);
    const given = inputWith({ workload, note, want: later });

    it.each([
      ['a pod of its own that is older than the change', [4050], 'reload'],
      ['a pod of its own that is of the second of the change', [4100], 'reload'],
      ['a pod of its own that is younger than the change', [4101], 'record'],
      ['a pod that stayed', [3999], 'reload'],
      ['no pod', [], 'record'],
    ])('with %s (%j): %s', (_, readSince, action) => {
      expect(verdictOn({ ...given, pods: { readSince } }).action).toBe(action);
    });

    it('of which the earlier one did not know: the pods decide as for every new workload', () => {
      const added = wantFor([present('a', 'x'), present('b', 'y', { facts: { writtenAt: 4100 } })]);
      expect(decide(inputWith({ workload, note, want: added }))).toMatchObject({ action: 'ask-pods' });
      const old = verdictOn(inputWith({ workload, note, want: added, pods: { readSince: [4050] } }));
      expect(old.reload?.causes.map(({ ref }) => ref.name)).toEqual(['b']);
    });

    it('that it opted in to later: is adopted', () => {
      const late = carrying(undefined, { createdAt: 4000, annotatedAt: 4200 });
      const input = inputWith({ workload: late, note, want: later, pods: { readSince: [4000, 4050] } });
      expect(verdictOn(input)).toMatchObject({ action: 'record', because: 'adopted' });
    });

    it('and while its reload waits, it stays pending', () => {
      const verdict = verdictOn({ ...given, pods: { readSince: [4050] } });
      const noted = verdict.record && { record: verdict.record, base: verdict.base };
      const next = verdictOn(inputWith({ workload, note: noted, want: later }));
      expect(next).toMatchObject({ action: 'reload', situation: 'recorded' });
    });
  });

  it.each(['CronJob', 'Job'] as const)('a %s is adopted', (kind) => {
    const verdict = verdictOn(inputWith({ workload: { ...workload, kind }, note, want }));
    expect(verdict).toMatchObject({ action: 'record', because: 'adopted' });
  });
});

describe('rule 9: a baseline that is not noted yet', () => {
  const baseline = ledgerWith({ writtenAt: 4900, sources: { 'cm/a': 'x' } });
  const memory = memoryOf(baseline, NO_BASE);
  const workload = carrying(undefined);

  it('counts when a source changes', () => {
    const verdict = verdictOn(inputWith({ workload, memory, want: wantFor([present('a', 'y')]) }));
    expect(verdict).toMatchObject({ action: 'reload', situation: 'recorded' });
    expect(shown(verdict.record)).toEqual({ 'cm/a': digestOf('x') });
  });

  it('gives way to a ledger that another process wrote meanwhile', () => {
    const standing = carrying(ledgerWith({ writtenAt: 100, sources: { 'cm/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload: standing, memory, want: wantFor([present('a', 'x')]) }));
    expect(verdict).toMatchObject({ action: 'nothing', situation: 'recorded' });
  });
});

it('never reuses a number that it has seen', () => {
  const workload = carrying(ledgerWith({ seq: 2, sources: { 'cm/a': 'x' } }));
  const memory: Memory = { ...emptyMemory('uid-web'), highestSeq: 7 };
  const verdict = verdictOn(inputWith({ workload, memory, want: wantFor([present('a', 'y')]) }));
  expect(verdict.reload?.ledger.seq).toBe(8);
});

it('never reuses a number that the status of a ReloaderConfig has counted, and names the config by its id', () => {
  const workload = carrying(ledgerWith({ seq: 2, sources: { 'cm/a': 'x' } }));
  const configs = [
    configFacts({ status: { countedReloads: { 'uid-web': '9@100', 'uid-other': '12@100' } } }),
  ];
  const want = { ...wantFor([present('a', 'y', { configs: ['shop/rules'] })]), configs };
  const verdict = verdictOn(inputWith({ workload, want }));
  expect(verdict.reload?.ledger).toMatchObject({
    seq: 10,
    recent: [{ seq: 10, configs: ['shop/rules'], configIds: [configs[0]?.metadata.uid.slice(0, 8)] }],
  });
});

it('has seen the newest end of all earlier contents, whatever their order', () => {
  const past = [
    { digest: 'y', keyDigests: '', from: 4000, until: 4900 },
    { digest: 'z', keyDigests: '', from: 4100, until: 4200 },
  ];
  const want = wantFor([present('a', 'x', { facts: { writtenAt: 4200, past } })]);
  const workload = carrying(ledgerWith({ sources: { 'cm/a': 'x' } }));
  expect(decide(inputWith({ workload, want, pods: { readSince: [] } }))).toMatchObject({ changeSeen: 4900 });
});

it('never writes a time before the recorded one', () => {
  const workload = carrying(ledgerWith({ writtenAt: 9000, sources: { 'cm/a': 'x' } }));
  const verdict = verdictOn(inputWith({ workload, now: NOW }));
  expect(verdict.record?.writtenAt).toBe(9000);
});
