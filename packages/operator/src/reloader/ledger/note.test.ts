import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import { baseOf, formatNote, NO_BASE, parseNote, revisionOf } from './note.ts';

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

  it('says how often it was made', () => {
    expect(revisionOf(formatNote({ record, base: NO_BASE }, { revision: 12 }))).toBe(12);
    expect([undefined, '', '{}', '{"n":"1"}'].map(revisionOf)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['nothing', undefined, 'absent'],
    ['no JSON', '{', 'unreadable'],
    ['null', 'null', 'unreadable'],
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
