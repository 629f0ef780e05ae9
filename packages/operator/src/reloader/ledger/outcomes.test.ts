import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { ReloadOutcome } from '../model/verify.ts';
import { formatNote, outcomesOf, parseNote } from './note.ts';
import {
  contentOf,
  contentOfRecord,
  ended,
  formatOutcome,
  opened,
  outcomesOfNote,
  outcomeWith,
  parseOutcomes,
  superseding,
} from './outcomes.ts';

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

  it.each<[string, object]>([
    ['without a number', { n: undefined }],
    ['without a time', { at: undefined }],
    ['without a template', { td: undefined }],
    ['without contents', { s: undefined }],
    ['with null for contents', { s: null }],
    ['with a text for contents', { s: 'x' }],
  ])('leave out one %s', (_, part) => {
    expect(parseOutcomes([{ ...formatOutcome(failed), ...part }, formatOutcome(open)])).toEqual([open]);
  });

  it('are read within their limits', () => {
    const contents = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`cm/${index}`, 'x']));
    const [read] = parseOutcomes([
      { ...formatOutcome(failed), s: { odd: 5, ...contents }, m: 'm'.repeat(300) },
    ]);
    expect(Object.keys(read?.sources ?? {})).toEqual(Object.keys(contents).slice(0, 8));
    expect(read?.message).toBe('m'.repeat(200));
    const many = [1, 2, 3, 4, 5].map((n) => ({ ...formatOutcome(open), n }));
    expect(parseOutcomes(many).map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
  });

  it('take no room where they have nothing to say', () => {
    expect(outcomesOfNote([])).toEqual({});
    expect(outcomesOfNote([open])).toEqual({ outcomes: [open] });
    expect(formatOutcome(open)).not.toHaveProperty('m');
  });

  it('are carried across reloads, at most four of them', () => {
    let outcomes: readonly ReloadOutcome[] = [failed];
    for (const seq of [2, 3, 4]) outcomes = opened(outcomes, { ...open, seq });
    expect(outcomes.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(opened(outcomes, { ...open, seq: 5 }).map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
    expect(opened(outcomes, { ...open, seq: 4 })).toHaveLength(4);
    expect(opened([failed, open], open)).toEqual([failed, open]);
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
    const both = { ...failed, sources: { 'cm/a': 'bad', 'cm/c': 'worse' } };
    expect(ended([both, open], end, new Map([['cm/a', { digest: 'bad' }]]))[0]).toEqual({
      ...failed,
      sources: { 'cm/c': 'worse' },
    });
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
    expect(contentOfRecord(record, 3)).toEqual({});
    const many = Array.from({ length: 10 }, (_, index) => ({
      key: `cm/${index}`,
      finding: 'changed' as const,
      reload: true,
      next,
    }));
    expect(Object.keys(contentOf(many))).toHaveLength(8);
  });
});

it('An outcome that was left open is superseded when a later reload ends', () => {
  const left = { ...open, seq: 1 };
  const end = { seq: 2, result: 'ok' as const, at: 30, message: '' };
  expect(ended([left, open], end, new Map()).map(({ result }) => result)).toEqual(['superseded', 'ok']);
});

describe('The outcome that decides about a content', () => {
  const made = (
    seq: number,
    result: ReloadOutcome['result'],
    sources: Record<string, string>,
  ): ReloadOutcome => ({
    ...open,
    seq,
    result,
    sources,
  });
  const a = { 'cm/a': 'x' };
  const b = { 'cm/b': 'y' };

  it.each<[string, ReloadOutcome[], number | undefined]>([
    ['its own', [made(1, 'failed', a), made(2, 'ok', b)], 1],
    ['its last', [made(1, 'failed', a), made(2, 'ok', a)], 2],
    [
      'that of a later reload that succeeded',
      [made(1, 'superseded', a), made(2, 'superseded', b), made(3, 'ok', b)],
      3,
    ],
    [
      'the success before one that is open',
      [made(1, 'superseded', a), made(2, 'ok', b), made(3, 'open', b)],
      2,
    ],
    ['that of a later reload that is open', [made(1, 'superseded', a), made(2, 'open', b)], 2],
    ['unknown where a later reload failed', [made(1, 'superseded', a), made(2, 'failed', b)], 1],
    [
      'unknown where the source changed',
      [made(1, 'superseded', a), made(2, 'superseded', { 'cm/a': 'z' }), made(3, 'ok', b)],
      1,
    ],
    ['none for a content that no reload brought', [made(1, 'ok', b)], undefined],
  ])('is %s', (_, outcomes, seq) => {
    const last = Math.max(...outcomes.map((each) => each.seq));
    expect(outcomeWith(outcomes, 'cm/a', 'x', last)?.seq).toBe(seq);
  });

  it('is that of the last reload where the one before was left open', () => {
    const left = made(1, 'open', a);
    expect(outcomeWith([left, made(2, 'ok', b)], 'cm/a', 'x', 2)?.seq).toBe(2);
    expect(outcomeWith([left, made(2, 'open', b)], 'cm/a', 'x', 2)?.seq).toBe(2);
    expect(outcomeWith([left], 'cm/a', 'x', 2)).toBe(left);
    expect(outcomeWith([left], 'cm/a', 'x', 1)).toBe(left);
  });
});
