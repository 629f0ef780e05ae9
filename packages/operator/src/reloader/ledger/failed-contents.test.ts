import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import { contentName } from '../model/failed-content.ts';
import type { Note } from '../model/ledger.ts';
import type { OutcomeResult, ReloadOutcome } from '../model/verify.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { FailedContents } from './failed-contents.ts';

const settings = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
const BAD = contentName(settings, 'bad');
const api: WorkloadRef = { kind: 'Deployment', namespace: 'shop', name: 'api' };
const far: WorkloadRef = { kind: 'Deployment', namespace: 'far', name: 'api' };

const note = (key: string, result: OutcomeResult, content = 'bad'): Pick<Note, 'record' | 'outcomes'> => {
  const outcome: ReloadOutcome = {
    seq: 1,
    result,
    at: 1,
    template: 't',
    sources: { [key]: content },
    message: 'm',
  };
  return { record: ledgerWith(), outcomes: [outcome] };
};

describe('Contents that failed', () => {
  it.each<[OutcomeResult, number]>([
    ['failed', 1],
    ['timeout', 1],
    ['open', 0],
    ['ok', 0],
    ['superseded', 0],
  ])('are those of a reload that is %s: %i', (result, count) => {
    const contents = new FailedContents();
    expect(contents.set(api, note('cm/settings', result))).toBe(count > 0);
    expect(contents.of(BAD)).toHaveLength(count);
  });

  it('are the same for workloads of other namespaces, and other content is another', () => {
    const contents = new FailedContents();
    contents.set(api, note('cm/settings', 'failed'));
    contents.set(far, note('cm/shop/settings', 'failed'));
    contents.set({ ...far, name: 'own' }, note('cm/settings', 'failed'));
    expect(contents.of(BAD).map(({ workload }) => workload)).toEqual([
      'Deployment/shop/api',
      'Deployment/far/api',
    ]);
    expect(contents.of(contentName(settings, 'bad#k'))).toEqual([]);
  });

  it('are removed with the note, and only changes are reported', () => {
    const contents = new FailedContents();
    expect(contents.set(api, note('cm/settings', 'failed'))).toBe(true);
    expect(contents.set(api, note('cm/settings', 'timeout'))).toBe(false);
    expect(contents.set(api, note('cm/settings', 'failed', 'worse'))).toBe(true);
    expect(contents.of(BAD)).toEqual([]);
    expect(contents.set(api, undefined)).toBe(true);
    expect(contents.of(contentName(settings, 'worse'))).toEqual([]);
    expect(contents.set(api, undefined)).toBe(false);
  });

  it('stay for one workload when the note of another is removed', () => {
    const contents = new FailedContents();
    contents.set(api, note('cm/settings', 'failed'));
    contents.set({ ...api, name: 'web' }, note('cm/settings', 'failed'));
    contents.set(api, undefined);
    expect(contents.of(BAD).map(({ workload }) => workload)).toEqual(['Deployment/shop/web']);
  });

  it('are known with the reload and its message, which may be missing', () => {
    const contents = new FailedContents();
    contents.set(api, note('cm/settings', 'failed'));
    const failure = { workload: 'Deployment/shop/api', uid: 'uid-web', seq: 1, message: 'm' };
    expect(contents.of(BAD)).toEqual([failure]);
    const { record, outcomes = [] } = note('cm/settings', 'failed');
    contents.set(api, { record, outcomes: outcomes.map(({ message: _, ...rest }) => rest) });
    expect(contents.of(BAD)).toEqual([{ ...failure, message: '' }]);
  });

  it.each([
    ['no outcomes', { record: ledgerWith() }],
    ['an outcome of no source', note('odd/settings', 'failed')],
  ])('are none in a note with %s', (_, empty) => {
    expect(new FailedContents().set(api, empty)).toBe(false);
  });
});
