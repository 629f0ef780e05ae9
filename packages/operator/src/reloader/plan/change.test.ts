import { describe, expect, it } from 'vitest';
import { ledgerWith, POLICY, present, wantFor } from '../decide/decide.test.support.ts';
import type { Difference, Verdict } from '../model/decision.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { changeOf } from './change.ts';

const changed = (name: string, digest: string): Difference => ({
  key: `cm/${name}`,
  finding: 'changed',
  reload: true,
  next: { digest },
});

function verdictWith(differences: readonly Difference[], seq = 1): Verdict {
  return {
    action: 'reload',
    situation: 'recorded',
    base: '-',
    differences,
    recorded: undefined,
    record: undefined,
    recordUrgent: false,
    fingerprint: 'f',
    reload: { ledger: ledgerWith({ seq }), mark: '', causes: [], configs: [], policy: POLICY },
  };
}

const WANT = wantFor([present('a', 'x', { approval: true }), present('b', 'x')]);
const idOf = (differences: readonly Difference[], seq = 1, workload = workloadFacts()): string =>
  changeOf(verdictWith(differences, seq), WANT, workload).id;

describe('the name of a change', () => {
  it('can be typed', () => {
    for (let seq = 1; seq < 200; seq += 1)
      expect(idOf([changed('a', 'd1')], seq)).toMatch(/^[a-km-z2-9]{10}$/);
  });

  it('is of this content, this reload and this workload', () => {
    const id = idOf([changed('a', 'd1')]);
    expect(idOf([changed('a', 'd1')])).toBe(id);
    expect(idOf([changed('a', 'd2')])).not.toBe(id);
    expect(idOf([changed('a', 'd1')], 2)).not.toBe(id);
    expect(idOf([changed('a', 'd1')], 1, workloadFacts({ uid: 'other' }))).not.toBe(id);
  });

  it('does not depend on sources without approval, unless there are no others', () => {
    expect(idOf([changed('a', 'd1'), changed('b', 'd1')])).toBe(
      idOf([changed('a', 'd1'), changed('b', 'd2')]),
    );
    expect(idOf([changed('b', 'd1')])).not.toBe(idOf([changed('b', 'd2')]));
  });

  it('is there also where a reverted reload is repeated, which needs no approval', () => {
    const change = changeOf(verdictWith([]), WANT, workloadFacts());
    expect(change).toMatchObject({ needsApproval: false, id: expect.stringMatching(/^.{10}$/) });
  });
});

describe('the instruction of a user', () => {
  const said = (annotations: Record<string, string>) =>
    changeOf(verdictWith([changed('a', 'd1')]), WANT, workloadFacts({ annotations }));
  const id = idOf([changed('a', 'd1')]);

  it('is needed if the source needs approval', () => {
    expect(said({})).toMatchObject({ needsApproval: true, word: undefined, usedWords: {} });
    expect(changeOf(verdictWith([changed('b', 'd1')]), WANT, workloadFacts()).needsApproval).toBe(false);
  });

  it('counts if it names this change, and is used up by it', () => {
    expect(said({ 'reloader.stakater.com/approve': id })).toMatchObject({
      word: 'approved',
      usedWords: { 'reloader.stakater.com/approve': id },
      otherApproved: undefined,
    });
    expect(said({ 'reloader.stakater.com/now': id, 'reloader.stakater.com/approve': 'other' })).toMatchObject(
      {
        word: 'now',
        usedWords: { 'reloader.stakater.com/now': id },
      },
    );
  });

  it.each(['aaaaaaaaaa', 'any', 'true', '*'])('does not count if it says %s', (word) => {
    expect(said({ 'reloader.stakater.com/approve': word })).toMatchObject({
      word: undefined,
      otherApproved: word,
    });
  });
});
