import { describe, expect, it } from 'vitest';
import { emptyMemory } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import {
  carrying,
  decide,
  digestOf,
  gone,
  inputWith,
  KEY_ID,
  ledgerWith,
  NOW,
  present,
  presentSecret,
  shown,
  slotOf,
  unknown,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';

describe('the table: recorded and wanted', () => {
  it('nothing recorded: adopts without a restart', () => {
    const verdict = verdictOn(inputWith({ want: wantFor([present('a', 'x'), gone('b')]) }));
    expect(verdict).toMatchObject({ action: 'record', situation: 'first-sight', because: 'adopted' });
    expect(shown(verdict.record)).toEqual({ 'cm/a': digestOf('x'), 'cm/b': '-!' });
    expect(verdict.record).toMatchObject({ uid: 'uid-web', seq: 0, writtenAt: 5000, template: 'template' });
    expect(verdict.record?.keyId).toBe(KEY_ID);
  });

  it('equal: nothing, and nothing to write', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'x')]) }));
    expect(verdict).toMatchObject({ action: 'nothing', situation: 'recorded', record: undefined });
    expect(verdict.recordUrgent).toBe(false);
  });

  it('changed: reloads, with a ledger that counts it and names who asked', () => {
    const workload = carrying(
      ledgerWith({ seq: 2, reloadedAt: 1500, pendingSince: 4000, sources: { 'cm/a': 'x', 'cm/b': 'y' } }),
    );
    const sources = [
      present('b', 'y', { configs: ['shop/other'] }),
      present('a', 'z', { configs: ['shop/rules', 'shop/all'], container: 'side' }),
    ];
    const { action, reload } = verdictOn(inputWith({ workload, want: wantFor(sources) }));
    expect(action).toBe('reload');
    expect(shown(reload?.ledger)).toEqual({ 'cm/a': digestOf('z'), 'cm/b': digestOf('y') });
    expect(reload?.ledger).toMatchObject({ seq: 3, reloadedAt: 5000, writtenAt: 5000, template: 'template' });
    expect(reload?.ledger.pendingSince).toBeUndefined();
    expect(reload?.ledger.recent).toEqual([
      { seq: 3, at: 5000, configs: ['shop/all', 'shop/rules'], sources: ['cm/a'] },
    ]);
    expect(reload?.configs).toEqual(['shop/all', 'shop/rules']);
    expect(reload?.causes).toEqual([
      {
        ref: { kind: 'ConfigMap', namespace: 'shop', name: 'a' },
        finding: 'changed',
        slot: slotOf('z'),
        writtenAt: 1000,
        container: 'side',
      },
    ]);
    expect(JSON.parse(reload?.mark ?? '')).toMatchObject({ n: 3, k: KEY_ID });
  });

  it('gone: a tombstone; with reload on delete a reload without a hash', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/a': 'x' } }));
    const noted = verdictOn(inputWith({ workload, want: wantFor([gone('a')]) }));
    expect(noted.action).toBe('record');
    expect(shown(noted.record)).toEqual({ 'cm/a': `${digestOf('x')}!` });
    const rolled = verdictOn(inputWith({ workload, want: wantFor([gone('a', { reloadOnDelete: true })]) }));
    expect(rolled.reload?.causes).toMatchObject([{ finding: 'deleted', slot: undefined }]);
    expect(shown(rolled.reload?.ledger)).toEqual({ 'cm/a': `${digestOf('x')}!` });
  });

  it('back with other content: reloads, or with --recreate=ignore records', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/a': { digest: digestOf('x'), gone: true } } }));
    const want = wantFor([present('a', 'y')]);
    expect(verdictOn(inputWith({ workload, want })).action).toBe('reload');
    expect(verdictOn(inputWith({ workload, want, settings: { recreate: 'ignore' } })).action).toBe('record');
  });

  it('created after the ledger: reloads only if asked to', () => {
    const workload = carrying(ledgerWith());
    const facts = { createdAt: 4000, writtenAt: 4000 };
    const action = (reloadOnCreate: boolean): string =>
      decide(inputWith({ workload, want: wantFor([present('a', 'x', { reloadOnCreate, facts })]) })).action;
    expect([action(true), action(false)]).toEqual(['reload', 'record']);
  });

  it('opted out: drops the entry, and keeps a ledger for its number', () => {
    const workload = carrying(ledgerWith({ seq: 3, reloadedAt: 1500, sources: { 'cm/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload }));
    expect(verdict).toMatchObject({ action: 'record', record: { seq: 3, reloadedAt: 1500 } });
    expect(verdict.record?.sources.size).toBe(0);
  });

  it('a workload that asks for nothing gets no ledger', () => {
    expect(verdictOn(inputWith({})).action).toBe('nothing');
  });
});

describe('a reload that waits', () => {
  const old = ledgerWith({ sources: { 'cm/a': 'x', 'cm/b': 'y' } });

  it('keeps the entries of pending changes, and writes only the time', () => {
    const want = wantFor([present('a', 'z'), present('b', 'y')]);
    const verdict = verdictOn(inputWith({ workload: carrying(old), want }));
    expect(shown(verdict.record)).toEqual({ 'cm/a': digestOf('x'), 'cm/b': digestOf('y') });
    expect(verdict).toMatchObject({ recordUrgent: false, record: { pendingSince: 5000, writtenAt: 2000 } });
  });

  it('counts from when the first change was seen', () => {
    const pending = { fingerprint: 'other', template: 'template', firstSeen: 4_200_500, lastSeen: 4_300_000 };
    const memory = { ...emptyMemory('uid-web'), pending };
    const want = wantFor([present('a', 'z'), present('b', 'y')]);
    expect(verdictOn(inputWith({ workload: carrying(old), want, memory })).record?.pendingSince).toBe(4200);
  });

  it('needs no write once its time is recorded', () => {
    const workload = carrying({ ...old, pendingSince: 4000 });
    const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'z'), present('b', 'y')]) }));
    expect(verdict).toMatchObject({ action: 'reload', record: undefined, recordUrgent: false });
  });

  it('notes everything else at once, and a place for a creation that waits with it', () => {
    const late = { createdAt: 4000, writtenAt: 4000 };
    const want = wantFor([
      present('a', 'z'),
      present('c', 'new', { facts: { createdAt: 100 } }),
      present('d', 'new', { reloadOnCreate: true, facts: late }),
    ]);
    const verdict = verdictOn(inputWith({ workload: carrying(old), want }));
    expect(verdict.recordUrgent).toBe(true);
    expect(shown(verdict.record)).toEqual({ 'cm/a': digestOf('x'), 'cm/c': digestOf('new'), 'cm/d': '-' });
  });

  it('keeps the recorded template and time, to detect a later template change', () => {
    const workload = carrying(old, { templateDigest: 'other' });
    const want = wantFor([present('a', 'z'), present('b', 'y')]);
    const verdict = verdictOn(inputWith({ workload, want }));
    expect(verdict.record?.template).toBe('template');
    expect(verdict.reload?.ledger.template).toBe('other');
  });

  it('whose change was taken back is dropped with one note', () => {
    const workload = carrying({ ...old, pendingSince: 4000 });
    const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'x'), present('b', 'y')]) }));
    expect(verdict.action).toBe('record');
    expect(verdict.record?.pendingSince).toBeUndefined();
  });
});

describe('rule 2: ledgers of other versions, workloads and keys', () => {
  it('one of a newer version is left alone', () => {
    const workload = workloadFacts({ annotations: { [FIXED_ANNOTATIONS.ledger]: '{"v":2}' } });
    expect(() => inputWith({ workload, want: wantFor([present('a', 'x')]) })).toThrow('newer version');
  });

  it('one with another uid was copied: adopts', () => {
    const workload = carrying(ledgerWith({ uid: 'other', seq: 9, reloadedAt: 1, sources: { 'cm/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'z')]) }));
    expect(verdict).toMatchObject({ action: 'record', situation: 'copied', because: 'adopted' });
    expect(verdict.record?.seq).toBe(0);
  });

  it('an unreadable one counts as absent', () => {
    const workload = workloadFacts({ annotations: { [FIXED_ANNOTATIONS.ledger]: 'what?' } });
    const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'x')]) }));
    expect(verdict).toMatchObject({ action: 'record', situation: 'first-sight' });
  });

  it('Secrets under another key are adopted, and the ledger names the new key', () => {
    const workload = carrying(ledgerWith({ keyId: 'old', sources: { 'secret/a': 'x', 'cm/b': 'y' } }));
    const want = wantFor([presentSecret('a', 'z'), present('b', 'y')]);
    const verdict = verdictOn(inputWith({ workload, want }));
    expect(verdict).toMatchObject({ action: 'record', record: { keyId: KEY_ID } });
    expect(shown(verdict.record)).toEqual({ 'secret/a': digestOf('z'), 'cm/b': digestOf('y') });
  });

  it('Secrets under another key are recorded even if their digests are equal by chance', () => {
    const workload = carrying(ledgerWith({ keyId: 'old', sources: { 'secret/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload, want: wantFor([presentSecret('a', 'x')]) }));
    expect(verdict).toMatchObject({ action: 'record', record: { keyId: KEY_ID } });
  });

  it('memory of another workload of that name does not count', () => {
    const memory = { ...emptyMemory('uid-old'), ledger: ledgerWith({ uid: 'uid-old' }), base: 'b' };
    const verdict = verdictOn(inputWith({ memory, want: wantFor([present('a', 'x')]) }));
    expect(verdict.situation).toBe('first-sight');
  });
});

describe('rule 7: another scope', () => {
  it('is recorded and never reloaded', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/a': 'x' } }));
    const verdict = verdictOn(inputWith({ workload, want: wantFor([present('a', 'z', { keys: ['k'] })]) }));
    expect(verdict.action).toBe('record');
    expect(verdict.differences).toMatchObject([{ finding: 'rescoped' }]);
  });
});

describe('rule 8: a source counts as deleted only if a synced cache shows it', () => {
  it('an unknown source keeps its entry and does not hold up the others', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/a': 'x', 'cm/b': 'y' } }));
    const want = wantFor([unknown('a', { reloadOnDelete: true }), present('b', 'z')]);
    const verdict = verdictOn(inputWith({ workload, want }));
    expect(verdict.action).toBe('reload');
    expect(shown(verdict.reload?.ledger)).toEqual({ 'cm/a': digestOf('x'), 'cm/b': digestOf('z') });
  });

  it('nothing is decided while a wanted source of the namespace is not in sync', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/a': 'x', 'cm/b': 'y', 'cm/c': 'z' } }));
    const want = wantFor([unknown('a', { syncing: true }), present('b', 'z')]);
    expect(decide(inputWith({ workload, want }))).toMatchObject({
      action: 'nothing',
      because: 'not-in-sync',
      record: undefined,
      differences: [],
    });
  });

  it('another namespace that is not in sync blocks only its own source', () => {
    const workload = carrying(ledgerWith({ sources: { 'cm/other/a': 'x', 'cm/b': 'y' } }));
    const ref = { kind: 'ConfigMap', namespace: 'other', name: 'a' } as const;
    const want = wantFor([unknown('a', { syncing: true, ref, key: 'cm/other/a' }), present('b', 'z')]);
    expect(decide(inputWith({ workload, want })).action).toBe('reload');
  });
});

describe('too many sources', () => {
  const many = (content: string) =>
    Array.from({ length: 300 }, (_, index) => present(`config-${String(index).padStart(3, '0')}`, content));

  it('beyond 8 KiB are named and not followed, and the ledger is stable', () => {
    const first = verdictOn(inputWith({ want: wantFor(many('x')) }));
    expect(first.tooManySources?.length).toBeGreaterThan(50);
    expect((first.record?.sources.size ?? 0) + (first.tooManySources?.length ?? 0)).toBe(300);
    const workload = carrying(first.record);
    expect(workload.annotations[FIXED_ANNOTATIONS.ledger]?.length).toBeLessThan(8192);
    const again = verdictOn(inputWith({ workload, want: wantFor(many('x')), now: NOW + 60_000 }));
    expect(again).toMatchObject({ action: 'nothing', tooManySources: first.tooManySources });
  });

  it('do not push out one that is followed', () => {
    const last = present('zzz', 'x');
    const workload = carrying(verdictOn(inputWith({ want: wantFor([last]) })).record);
    const verdict = verdictOn(inputWith({ workload, want: wantFor([...many('x'), last]) }));
    expect(verdict.record?.sources.has('cm/zzz')).toBe(true);
  });

  it('lead to no reload, which would be repeated in every pass', () => {
    const workload = carrying(verdictOn(inputWith({ want: wantFor(many('x')) })).record);
    const name = 'z'.repeat(60);
    const late = present(name, 'x', { reloadOnCreate: true, facts: { createdAt: 6000, writtenAt: 6000 } });
    const verdict = verdictOn(inputWith({ workload, want: wantFor([...many('x'), late]), now: NOW + 1e6 }));
    expect(verdict.action).toBe('nothing');
    expect(verdict.tooManySources).toContain(`cm/${name}`);
  });
});
