import { describe, expect, it } from 'vitest';
import { digestOf, entriesOf, ledgerWith, POLICY } from '../decide/decide.test.support.ts';
import { formatMark } from '../ledger/marks.ts';
import { NO_BASE, type ParsedNote } from '../ledger/note.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Difference, Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { OutcomeResult } from '../model/verify.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { undoOf } from './undo.ts';

const REPLACED = { sources: entriesOf({ 'cm/a': 'good' }), fields: 'fields', until: 900 };
const FAILED: Ledger = ledgerWith({ seq: 4, sources: { 'cm/a': 'bad', 'cm/b': 'b' }, replaced: REPLACED });
const RELOADED: Ledger = {
  ...ledgerWith({ seq: 5, sources: { 'cm/a': 'good', 'cm/b': 'b' } }),
  replaced: REPLACED,
  recent: [
    { seq: 4, at: 1, configs: [], sources: ['cm/a'] },
    { seq: 5, at: 2, configs: [], sources: ['cm/a'] },
  ],
};

const returned: Difference = {
  key: 'cm/a',
  finding: 'changed',
  reload: true,
  next: { digest: digestOf('good') },
};
const same: Difference = {
  key: 'cm/b',
  finding: 'unchanged',
  reload: false,
  next: { digest: digestOf('b') },
};

interface Parts {
  readonly workload?: Parameters<typeof workloadFacts>[0];
  readonly verdict?: Partial<Verdict>;
  readonly differences?: readonly Difference[];
  readonly policy?: Partial<typeof POLICY>;
  readonly result?: OutcomeResult;
  readonly outcomeOf?: number;
  readonly template?: string;
  readonly mark?: string;
}

function undo(parts: Parts = {}): ReturnType<typeof undoOf> {
  const mark = parts.mark ?? formatMark(FAILED);
  const workload: WorkloadFacts = workloadFacts({
    templateAnnotations: { [FIXED_ANNOTATIONS.rolled]: mark },
    ...parts.workload,
  });
  const { result = 'failed', outcomeOf = 4, template = workload.templateDigest } = parts;
  const outcome = { seq: outcomeOf, result, at: 1, template, sources: { 'cm/a': digestOf('bad') } };
  const note: ParsedNote = {
    kind: 'note',
    note: { record: FAILED, base: NO_BASE, outcomes: [outcome] },
  };
  const verdict = {
    situation: 'recorded',
    recorded: FAILED,
    differences: parts.differences ?? [returned, same],
    reload: { ledger: RELOADED, causes: [{ writtenAt: 950 }], policy: { ...POLICY, ...parts.policy } },
    ...parts.verdict,
  } as unknown as Verdict;
  return undoOf(workload, verdict, note);
}

describe('A reload is undone', () => {
  it('when it failed and its sources are what they were', () => {
    expect(undo()).toMatchObject({ seq: 4, fields: 'fields', from: 900, until: 950 });
    expect(undo({ result: 'timeout' })).toBeDefined();
  });

  it('with a ledger that counts it, marks the missing mark as intended, and has no data for another undo', () => {
    const ledger = undo()?.ledger;
    expect(ledger).toMatchObject({ seq: 5, unmarked: true, sources: RELOADED.sources });
    expect(ledger?.replaced).toBeUndefined();
    expect(ledger?.recent).toEqual([RELOADED.recent[0], { ...RELOADED.recent[1], undoes: 4 }]);
  });

  it.each<[string, Parts]>([
    ['its content is another one', { differences: [{ ...returned, next: { digest: 'newer' } }, same] }],
    ['only a part of its sources returned', { differences: [same] }],
    [
      'another source changed as well',
      { differences: [returned, { ...same, finding: 'changed', reload: true }] },
    ],
    ['another source is new', { differences: [returned, { ...same, finding: 'adopted' }] }],
    ['it did not fail', { result: 'ok' }],
    ['nobody knows yet', { result: 'open' }],
    ['somebody changed the template before anybody knew', { result: 'superseded' }],
    ['somebody changed the template since', { template: 'other' }],
    ['another reload failed', { outcomeOf: 3 }],
    ['its mark is gone from the template', { workload: { templateAnnotations: {} } }],
    ['an older mark stands on the template', { mark: formatMark({ ...FAILED, seq: 3 }) }],
    ['the workload keeps no revisions', { workload: { kind: 'DeploymentConfig' } }],
    ['pods are evicted instead', { policy: { rolloutStrategy: 'restart' } }],
    ['the Deployment is paused with each reload', { policy: { stakaterPauseMs: 1000 } }],
    ['a revert is repeated', { verdict: { reverted: true } }],
    ['its ledger came back from somewhere', { verdict: { situation: 'undone' } }],
    ['what it replaced is not known', { verdict: { recorded: { ...ledgerWith({ seq: 4 }) } } }],
  ])('but not if %s', (_, parts) => {
    expect(undo(parts)).toBeUndefined();
  });
});
