import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import { baseOf, formatNote, NO_BASE, type ParsedNote, parseNote, restoringIn, revisionOf } from './note.ts';

const record = ledgerWith({ seq: 3, pendingSince: 4000, sources: { 'cm/a': 'x' } });

describe('the text of a note', () => {
  it('gives the note back', () => {
    const note = { record, base: baseOf('ledger'), evicting: '{"for":"x","at":5}' };
    expect(parseNote(formatNote(note, { revision: 7 }))).toEqual({ kind: 'note', note });
    for (const held of [true, false]) {
      const doubted = { record, base: NO_BASE, doubt: { fingerprint: 'f', held } };
      expect(parseNote(formatNote(doubted, { revision: 2 }))).toEqual({ kind: 'note', note: doubted });
    }
    const sources = [{ key: 'cm/a', content: 'x#y', version: '12' }];
    const begun = { record, base: NO_BASE, restoring: { seq: 3, sources } };
    expect(parseNote(formatNote(begun, { revision: 2 }))).toEqual({ kind: 'note', note: begun });
    const plain = { record, base: NO_BASE };
    expect(parseNote(formatNote(plain, { revision: 1, name: 'long' }))).toEqual({
      kind: 'note',
      note: plain,
    });
  });

  it('has the rollout that failed', () => {
    const note = { record, base: NO_BASE, failed: { seq: 3, at: 5, message: 'crash' } };
    const text = formatNote(note, { revision: 1 });
    expect(JSON.parse(text)).toMatchObject({ o: { n: 3, r: 'failed', at: 5, m: 'crash' } });
    expect(parseNote(text)).toEqual({ kind: 'note', note });
  });

  it('is compact: no empty fields', () => {
    const text = formatNote({ record, base: NO_BASE, outcomes: [] }, { revision: 1 });
    expect(Object.keys(JSON.parse(text))).toEqual(['n', 'r', 'b']);
  });

  it('names the workload where its key cannot', () => {
    expect(JSON.parse(formatNote({ record, base: NO_BASE }, { revision: 1, name: 'long' }))).toMatchObject({
      w: 'long',
    });
  });

  it.each<[string, object]>([
    ['an eviction that is no text', { ev: 5 }],
    ['no outcome', { o: null }],
    ['a failure without a number', { o: { r: 'failed', at: 5, m: 'crash' } }],
    ['a failure without a time', { o: { n: 3, r: 'failed', m: 'crash' } }],
    ['a failure without a message', { o: { n: 3, r: 'failed', at: 5 } }],
    ['a result that is no failure', { o: { n: 3, r: 'ok', at: 5, m: 'crash' } }],
    ['outcomes that are none', { vo: [] }],
    ['a restore without a number', { rs: { s: [['cm/a', 'x', '1']] } }],
    ['a restore of nothing', { rs: { n: 3, s: [] } }],
    ['a restore that is no list', { rs: { n: 3, s: 'x' } }],
    ['a restore of what is no content', { rs: { n: 3, s: [null] } }],
    ['a doubt about nothing', { d: { h: 1 } }],
  ])('is read without %s', (_, part) => {
    const plain = { record, base: NO_BASE };
    const text = JSON.stringify({ ...JSON.parse(formatNote(plain, { revision: 1 })), ...part });
    const parsed = parseNote(text);
    expect(parsed).toEqual({ kind: 'note', note: plain });
    expect(parsed.kind === 'note' && Object.keys(parsed.note)).toEqual(['record', 'base']);
  });

  it('has an empty version for a content whose version is missing', () => {
    const text = formatNote({ record, base: NO_BASE }, { revision: 1 });
    const rs = { n: 3, s: [['cm/a', 'x']] };
    expect(parseNote(JSON.stringify({ ...JSON.parse(text), rs }))).toMatchObject({
      note: { restoring: { seq: 3, sources: [{ key: 'cm/a', content: 'x', version: '' }] } },
    });
  });

  it('may be longer than a ledger, but its record may not', () => {
    const note = { record, base: NO_BASE, evicting: 'x'.repeat(20_000) };
    expect(parseNote(formatNote(note, { revision: 1 }))).toEqual({ kind: 'note', note });
    const long = ledgerWith({ template: 't'.repeat(20_000) });
    expect(parseNote(formatNote({ record: long, base: NO_BASE }, { revision: 1 })).kind).toBe('unreadable');
  });

  it('tells the restore that was begun after a reload of this workload', () => {
    const restoring = { seq: 3, sources: [{ key: 'cm/a', content: 'x', version: '1' }] };
    const note: ParsedNote = { kind: 'note', note: { record, base: NO_BASE, restoring } };
    expect(restoringIn(note, 'uid-web', 3)).toEqual(restoring);
    expect(restoringIn(note, 'uid-web', 4)).toBeUndefined();
    expect(restoringIn(note, 'uid-other', 3)).toBeUndefined();
    expect(restoringIn({ kind: 'absent' }, 'uid-web', 3)).toBeUndefined();
  });

  it('says how often it was made', () => {
    expect(revisionOf(formatNote({ record, base: NO_BASE }, { revision: 12 }))).toBe(12);
    const none = [undefined, '', '{}', '{"n":"1"}', ' {"n":1,"b":"-"}', '{"n":1'];
    expect(none.map(revisionOf)).toEqual(none.map(() => 0));
  });

  it.each([
    ['nothing', undefined, 'absent'],
    ['no JSON', '{', 'unreadable'],
    ['null', 'null', 'unreadable'],
    ['a text', '"text"', 'unreadable'],
    [
      'a base that is no text',
      formatNote({ record, base: NO_BASE }, { revision: 1 }).replace('"-"', '5'),
      'unreadable',
    ],
    ['no base', '{"n":1,"r":{}}', 'unreadable'],
    ['no record', '{"n":1,"b":"-"}', 'unreadable'],
    ['a record that is none', '{"n":1,"b":"-","r":{"v":1}}', 'unreadable'],
    ['a newer record', '{"n":1,"b":"-","r":{"v":2}}', 'newer'],
  ])('%s is told from a note', (_, text, kind) => {
    expect(parseNote(text).kind).toBe(kind);
  });

  it('names the ledger it was made from', () => {
    expect(baseOf(undefined)).toBe('-');
    expect(baseOf('{"v":1}')).toMatch(/^[0-9a-f]{12}$/);
    expect(baseOf('{"v":1}')).not.toBe(baseOf('{"v":1} '));
  });
});
