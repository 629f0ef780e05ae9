/** Which contents are refused after they were restored, and for how long. */
import { describe, expect, it } from 'vitest';
import { digestOf, ledgerWith, POLICY } from '../decide/decide.test.support.ts';
import { NO_BASE, type ParsedNote } from '../ledger/note.ts';
import type { Difference, Verdict } from '../model/decision.ts';
import type { Ledger, RefusedContent } from '../model/ledger.ts';
import { DEFAULT_VERIFY, type OutcomeResult } from '../model/verify.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { refusedChanges, withRefused } from './refused.ts';

const workload = workloadFacts();
const { uid } = workload.metadata;
const content = (name: string): RefusedContent => ({ key: 'cm/a', content: digestOf(name) });
const policy = {
  ...POLICY,
  verify: { ...DEFAULT_VERIFY, isPeer: () => true },
  onFailure: 'restore' as const,
};

function verdictOf(
  refused: readonly RefusedContent[] | undefined,
  differences: readonly Difference[] = [],
): Verdict {
  const recorded: Ledger = { ...ledgerWith({ seq: 4 }), uid, ...(refused && { refused }) };
  const ledger: Ledger = { ...ledgerWith({ seq: 5 }), uid, ...(refused && { refused }) };
  return {
    recorded,
    differences,
    reload: { ledger, policy, causes: [], configs: [], mark: '' },
  } as unknown as Verdict;
}

function noteOf(taken: readonly RefusedContent[], seq = 4, result?: OutcomeResult): ParsedNote {
  const restoring = { seq, sources: taken.map((each) => ({ ...each, version: '7' })) };
  const outcome = result && { seq: 3, result, at: 1, template: 't', sources: { 'cm/a': digestOf('bad') } };
  const record = { ...ledgerWith({ seq: 4 }), uid };
  return {
    kind: 'note',
    note: { record, base: NO_BASE, restoring, ...(outcome && { outcomes: [outcome] }) },
  };
}

describe('the ledger of the next reload', () => {
  const refusedAfter = (verdict: Verdict, note: ParsedNote) =>
    withRefused(verdict, workload, note).reload?.ledger.refused;

  it('has the contents that were replaced after the reload before, in addition to the known ones', () => {
    expect(refusedAfter(verdictOf(undefined), noteOf([content('bad')]))).toEqual([content('bad')]);
    expect(refusedAfter(verdictOf([content('old')]), noteOf([content('bad')]))).toEqual([
      content('old'),
      content('bad'),
    ]);
  });

  it('has nothing of an earlier reload, nor anything twice', () => {
    expect(refusedAfter(verdictOf(undefined), noteOf([content('bad')], 3))).toBeUndefined();
    expect(refusedAfter(verdictOf([content('bad')]), noteOf([content('bad')]))).toEqual([content('bad')]);
  });

  it('drops a content that a user rolled out all the same, and that works', () => {
    expect(refusedAfter(verdictOf([content('bad')]), noteOf([], 4, 'ok'))).toBeUndefined();
    expect(refusedAfter(verdictOf([content('bad')]), noteOf([], 4, 'failed'))).toEqual([content('bad')]);
  });

  it('has the last eight, and never exceeds its limit', () => {
    const many = Array.from({ length: 12 }, (_, index) => content(`bad${index}`));
    expect(refusedAfter(verdictOf(many), noteOf([]))).toEqual(many.slice(-8));
    const long = many.map((each) => ({ ...each, key: `cm/${'x'.repeat(250)}` }));
    const left = refusedAfter(verdictOf(long), noteOf([])) ?? [];
    expect(left.length).toBeLessThan(8);
    expect(left).toEqual(long.slice(-left.length));
  });
});

describe('a change', () => {
  const change = (name: string, reload = true): Difference => ({
    key: 'cm/a',
    finding: 'changed',
    reload,
    next: { digest: digestOf(name) },
  });
  const isRefused = (verdict: Verdict): boolean => refusedChanges(workload, verdict).length > 0;

  it('that brings back a replaced content is refused', () => {
    const verdict = verdictOf([content('bad')], [change('bad')]);
    expect(refusedChanges(workload, verdict)).toEqual([
      { source: { kind: 'ConfigMap', namespace: 'shop', name: 'a' } },
    ]);
  });

  it('that brings anything else goes through', () => {
    expect(isRefused(verdictOf([content('bad')], [change('newer')]))).toBe(false);
    expect(isRefused(verdictOf(undefined, [change('bad')]))).toBe(false);
    expect(isRefused(verdictOf([content('bad')], [change('bad', false)]))).toBe(false);
  });

  it('is not held if the policy no longer asks for it', () => {
    const verdict = verdictOf([content('bad')], [change('bad')]);
    const held = {
      ...verdict,
      reload: { ...verdict.reload, policy: { ...policy, onFailure: 'hold' } },
    } as Verdict;
    expect(isRefused(held)).toBe(false);
  });
});
