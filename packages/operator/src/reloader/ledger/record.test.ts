import { describe, expect, it } from 'vitest';
import { carrying, KEY_ID, ledgerWith, markFor, memoryOf } from '../decide/decide.test.support.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Ledger } from '../model/ledger.ts';
import { formatLedger } from './ledger.ts';
import { baseOf, NO_BASE, type ParsedNote } from './note.ts';
import { recordOf } from './record.ts';

const ledger = (seq: number, parts: Parameters<typeof ledgerWith>[0] = {}): Ledger =>
  ledgerWith({ seq, writtenAt: 1000 + seq, sources: { 'cm/a': `content-${seq}` }, ...parts });
const text = (of: Ledger): string => formatLedger(of);

/** The ledger on the workload. */
const STANDING = {
  absent: undefined,
  own: text(ledger(5)),
  older: text(ledger(4)),
  newer: text(ledger(6)),
  'of another uid': text(ledger(9, { uid: 'other' })),
  unreadable: '{"v":1',
  'beyond all counts': text(ledger(2 ** 31 + 1)),
} as const;
type Standing = keyof typeof STANDING;

/** The note has number 5, and was made from each of these. */
const BASES = {
  none: NO_BASE,
  'the ledger that stands there': 'fits',
  'another ledger': baseOf('another'),
} as const;
type Base = keyof typeof BASES;

const noteFrom = (base: Base, standing: Standing): ParsedNote => ({
  kind: 'note',
  note: {
    record: ledger(5, { sources: { 'cm/a': 'noted' } }),
    base: BASES[base] === 'fits' ? baseOf(STANDING[standing]) : BASES[base],
  },
});

function merged(standing: Standing, note: ParsedNote, mark: string | null = null) {
  const { annotations, ...rest } = carrying(undefined, { mark });
  const ledgerText = STANDING[standing];
  const workload = {
    ...rest,
    annotations: ledgerText === undefined ? annotations : { [FIXED_ANNOTATIONS.ledger]: ledgerText },
  };
  const record = recordOf({ workload, note, memory: undefined, keyId: KEY_ID });
  if (record.kind === 'newer') throw new Error('written by a newer version');
  const content = record.recorded?.sources.get('cm/a')?.digest.replace(/_+$/, '');
  return `${record.situation}: ${content ?? 'nothing'}`;
}

describe('the record of a workload, by ledger and note', () => {
  it.each<[Standing, Base | 'no note', string]>([
    ['absent', 'no note', 'first-sight: nothing'],
    ['absent', 'none', 'recorded: noted'],
    ['absent', 'another ledger', 'vanished: noted'],
    ['own', 'no note', 'recorded: content-5'],
    ['own', 'none', 'recorded: content-5'],
    ['own', 'the ledger that stands there', 'recorded: noted'],
    ['own', 'another ledger', 'recorded: content-5'],
    ['older', 'no note', 'recorded: content-4'],
    ['older', 'none', 'undone: noted'],
    ['older', 'the ledger that stands there', 'recorded: noted'],
    ['older', 'another ledger', 'undone: noted'],
    ['newer', 'no note', 'recorded: content-6'],
    ['newer', 'none', 'recorded: content-6'],
    ['newer', 'the ledger that stands there', 'recorded: noted'],
    ['newer', 'another ledger', 'recorded: content-6'],
    ['of another uid', 'no note', 'copied: nothing'],
    ['of another uid', 'none', 'recorded: noted'],
    ['of another uid', 'another ledger', 'vanished: noted'],
    ['unreadable', 'no note', 'first-sight: nothing'],
    ['unreadable', 'none', 'recorded: noted'],
    ['unreadable', 'another ledger', 'vanished: noted'],
    ['beyond all counts', 'no note', 'first-sight: nothing'],
    ['beyond all counts', 'another ledger', 'vanished: noted'],
  ])('ledger %s, note made from %s: %s', (standing, base, expected) => {
    const note: ParsedNote = base === 'no note' ? { kind: 'absent' } : noteFrom(base, standing);
    expect(merged(standing, note)).toBe(expected);
  });

  it('an unreadable note is none', () => {
    expect(merged('own', { kind: 'unreadable' })).toBe('recorded: content-5');
    expect(merged('absent', { kind: 'unreadable' })).toBe('first-sight: nothing');
  });

  it('what a newer version wrote, in either place, is left alone', () => {
    const workload = carrying(undefined);
    const newer = { ...workload, annotations: { [FIXED_ANNOTATIONS.ledger]: '{"v":2}' } };
    const input = { memory: undefined, keyId: KEY_ID };
    expect(recordOf({ ...input, workload: newer, note: { kind: 'absent' } })).toEqual({
      kind: 'newer',
      version: 2,
    });
    expect(recordOf({ ...input, workload, note: { kind: 'newer', version: 3 } })).toEqual({
      kind: 'newer',
      version: 3,
    });
  });

  it('a note of another uid shows that the workload was re-created', () => {
    const record = ledger(5, { uid: 'before' });
    const note: ParsedNote = { kind: 'note', note: { record, base: NO_BASE } };
    expect(merged('absent', note)).toBe('recreated: content-5');
    expect(merged('own', note), 'its own ledger counts').toBe('recorded: content-5');
    const workload = carrying(undefined);
    expect(recordOf({ workload, note, memory: undefined, keyId: KEY_ID })).toMatchObject({
      recorded: { uid: 'uid-web', seq: 0, recent: [], unmarked: true },
    });
  });
});

describe('the record of a workload, by its mark', () => {
  const mark = (seq: number): string => markFor(seq, ledger(seq).sources, KEY_ID);
  const copied = mark(5).replace('"u":"uid-web"', '"u":"uid-else"');

  it.each<[string, ParsedNote, string, string]>([
    ['alone', { kind: 'absent' }, mark(5), 'restored-from-mark: content-5'],
    ['of another workload, copied with its template', { kind: 'absent' }, copied, 'first-sight: nothing'],
    ['of a reload that was not noted', noteFrom('none', 'absent'), mark(6), 'restored-from-mark: content-6'],
    ['of the reload that was noted', noteFrom('another ledger', 'absent'), mark(5), 'vanished: noted'],
    ['of a reload before', noteFrom('none', 'absent'), mark(4), 'recorded: noted'],
  ])('%s', (_, note, rolled, expected) => {
    expect(merged('absent', note, rolled)).toBe(expected);
  });

  it('of the noted reload changes nothing, with the ledger gone before it was noted', () => {
    expect(merged('absent', noteFrom('none', 'absent'), mark(5))).toBe('recorded: noted');
  });

  it.each<['Deployment' | 'Job', boolean, string]>([
    ['Job', true, 'restored-from-mark'],
    ['Job', false, 'recreated'],
    ['Deployment', true, 'recreated'],
    ['Deployment', false, 'recreated'],
  ])('of a re-created %s, with a mark: %s, makes it %s', (kind, isMarked, situation) => {
    const record = ledger(5, { uid: 'before' });
    const note: ParsedNote = { kind: 'note', note: { record, base: NO_BASE } };
    const workload = carrying(undefined, { kind, mark: isMarked ? mark(5) : null });
    expect(recordOf({ workload, note, memory: undefined, keyId: KEY_ID })).toMatchObject({ situation });
  });

  it('counts for the next number whatever else is known', () => {
    const workload = carrying(ledger(2), { mark: mark(7) });
    const record = recordOf({ workload, note: { kind: 'absent' }, memory: undefined, keyId: KEY_ID });
    expect(record).toMatchObject({ highestSeq: 7 });
  });
});

describe('the record of a workload, by what this process remembers', () => {
  const workload = carrying(ledger(5));
  const note: ParsedNote = { kind: 'note', note: { record: ledger(5), base: baseOf(text(ledger(5))) } };

  it('counts before the note, which may not be stored yet', () => {
    const memory = memoryOf(ledger(5, { sources: { 'cm/a': 'seen' } }), baseOf(text(ledger(5))));
    expect(recordOf({ workload, note, memory, keyId: KEY_ID })).toMatchObject({ recorded: memory.ledger });
  });

  it('but not before a note of a higher number, which another leader wrote', () => {
    const memory = memoryOf(ledger(4));
    expect(recordOf({ workload, note, memory, keyId: KEY_ID })).toMatchObject({ recorded: ledger(5) });
    const bare = carrying(undefined);
    expect(recordOf({ workload: bare, note, memory, keyId: KEY_ID })).toMatchObject({ recorded: ledger(5) });
  });

  it('nor for a workload of another uid', () => {
    const memory = { ...memoryOf(ledger(9)), uid: 'before' };
    expect(recordOf({ workload, note, memory, keyId: KEY_ID })).toMatchObject({
      recorded: ledger(5),
      highestSeq: 5,
    });
  });
});
