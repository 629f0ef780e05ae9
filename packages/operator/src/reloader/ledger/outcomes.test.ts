import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { ReloadOutcome } from '../model/verify.ts';
import { formatNote, outcomesOf, parseNote } from './note.ts';
import { contentOf, contentOfRecord, ended, opened, superseding } from './outcomes.ts';

const failed: ReloadOutcome = {
  seq: 1,
  result: 'failed',
  at: 10,
  template: 't',
  sources: { 'cm/a': 'bad' },
  message: 'pod a: crash',
};
const open: ReloadOutcome = { seq: 2, result: 'open', at: 20, template: 't', sources: { 'cm/b': 'new' } };

describe('The outcomes of reloads', () => {
  it('survive in the note, and those of another workload of the name do not count', () => {
    const record = ledgerWith({ seq: 2 });
    const text = formatNote({ record, base: '-', outcomes: [failed, open] }, { revision: 1 });
    const note = parseNote(text);
    expect(outcomesOf(note, record.uid)).toEqual([failed, open]);
    expect(outcomesOf(note, 'another')).toEqual([]);
  });

  it.each(['x', [null], [{ n: 1 }], [{ n: 1, r: 'odd', at: 1, td: '', s: {} }]])(
    'that are %j are none',
    (vo) => {
      const text = formatNote({ record: ledgerWith(), base: '-' }, { revision: 1 });
      const note = parseNote(JSON.stringify({ ...JSON.parse(text), vo }));
      expect(outcomesOf(note, ledgerWith().uid)).toEqual([]);
    },
  );

  it('are carried across reloads, at most four of them', () => {
    let outcomes: readonly ReloadOutcome[] = [failed];
    for (const seq of [2, 3, 4]) outcomes = opened(outcomes, { ...open, seq });
    expect(outcomes.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(opened(outcomes, { ...open, seq: 5 }).map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
    expect(opened(outcomes, { ...open, seq: 4 })).toHaveLength(4);
  });

  it('that can no longer be known are superseded', () => {
    expect(superseding([failed, open], 30)).toEqual([failed, { ...open, result: 'superseded', at: 30 }]);
  });

  it('end once, with a message where they failed', () => {
    const end = { seq: 2, at: 40, message: 'm'.repeat(300) };
    const [, timeout] = ended([failed, open], { ...end, result: 'timeout' }, new Map());
    expect(timeout).toEqual({ ...open, result: 'timeout', at: 40, message: 'm'.repeat(200) });
    const [, ok] = ended([failed, open], { ...end, result: 'ok' }, new Map());
    expect(ok).toEqual({ ...open, result: 'ok', at: 40 });
  });

  it('that succeed clear failures of contents that run now', () => {
    const end = { seq: 2, at: 40, message: '', result: 'ok' as const };
    expect(ended([failed, open], end, new Map([['cm/a', { digest: 'bad' }]]))).toHaveLength(1);
    expect(ended([failed, open], end, new Map([['cm/a', { digest: 'other' }]]))).toHaveLength(2);
  });

  it('are bound to the rolled out contents, also if only the record has them', () => {
    const next = { digest: 'new', scope: 'k' };
    const differences = [
      { key: 'cm/b', finding: 'changed' as const, reload: true, next },
      { key: 'cm/c', finding: 'unchanged' as const, reload: false, next },
    ];
    expect(contentOf(differences)).toEqual({ 'cm/b': 'new#k' });
    const record = ledgerWith({
      recent: [{ seq: 2, at: 1, configs: [], sources: ['cm/b', 'cm/gone'] }],
      sources: { 'cm/b': next },
    });
    expect(contentOfRecord(record, 2)).toEqual({ 'cm/b': 'new#k' });
  });
});
