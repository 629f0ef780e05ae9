/** Annotations that any user may write: ledger and mark on a workload, and the operator's own notes. */
import { formatLedger, parseLedger } from '../../../packages/operator/src/reloader/ledger/ledger.ts';
import { formatMark, parseMark } from '../../../packages/operator/src/reloader/ledger/marks.ts';
import { formatNote, parseNote, revisionOf } from '../../../packages/operator/src/reloader/ledger/note.ts';
import { recordOf } from '../../../packages/operator/src/reloader/ledger/record.ts';
import { FIXED_ANNOTATIONS } from '../../../packages/operator/src/reloader/model/annotations.ts';
import type { WorkloadFacts } from '../../../packages/operator/src/reloader/model/workload.ts';
import { must, type Target } from '../target.ts';

const UID = '0a1b2c3d-0000-4000-8000-000000000001';
const LEDGER = {
  v: 1,
  uid: UID,
  seq: 3,
  t: 1_893_456_000,
  at: 1_893_456_000,
  k: 'key1',
  td: 'abcdef',
  g: 1_893_456_000,
  e: 1,
  p: { s: { 'cm/settings': 'old' }, f: 'fields', t: 1_893_456_001 },
  recent: [{ n: 3, at: 1_893_456_000, c: ['shop/config'], s: ['cm/settings'] }],
  s: {
    'cm/settings': 'AAAAAAAAAAAAAAAAAAAAAA',
    'secret/other/db': 'BBBBBBBBBBBBBBBBBBBBBB#scope123',
    'spc/x': '-!',
  },
};

export const ledger: Target = {
  name: 'ledger',
  code: ['operator/src/reloader/ledger/'],
  longest: 20_000,
  words: [
    ...Object.keys(LEDGER).map((field) => `"${field}":`),
    '"n":1,',
    '"b":"-",',
    '"o":[]',
    '"d":{}',
    '__proto__',
    '"constructor"',
    'null',
    '2147483648',
    '4294967296',
    '#',
    '!',
    UID,
  ],
  seeds: [
    JSON.stringify(LEDGER),
    `{"n":7,"b":"-",${JSON.stringify(LEDGER).slice(1)}`,
    JSON.stringify({ n: 3, s: { 'cm/settings': 'AAAA' }, k: 'key1', u: UID.slice(0, 8) }),
    '{"v":2}',
    '[]',
    'null',
    '',
  ],
  run(input) {
    const parsed = parseLedger(input);
    if (parsed.kind === 'ledger') {
      const again = parseLedger(formatLedger(parsed.ledger));
      // A longer ledger would not be read again: the operator reports it in a condition and never writes it.
      if (formatLedger(parsed.ledger).length <= 8_192)
        must(same(again, parsed), 'a ledger that is written and read again is another one');
    }
    const note = parseNote(input);
    if (note.kind === 'note') {
      const text = formatNote(note.note, { revision: 1 });
      must(same(parseNote(text), note), 'a note that is written and read again is another one');
    }
    const mark = parseMark(input);
    if (mark && parsed.kind === 'ledger') formatMark(parsed.ledger);
    must(revisionOf(input) >= 0, 'a revision is a count');
    const workload = {
      kind: 'Deployment',
      metadata: { uid: UID },
      annotations: { [FIXED_ANNOTATIONS.ledger]: input },
      templateAnnotations: { [FIXED_ANNOTATIONS.rolled]: input },
      createdAt: 1_893_450_000,
    } as unknown as WorkloadFacts;
    const record = recordOf({ workload, note, memory: undefined, keyId: 'key1' });
    if (record.kind === 'record' && record.standing)
      must(record.standing.uid === UID, 'a record of another workload counts');
    must(!('polluted' in {}), 'a prototype was changed');
  },
};

/** Deep equality, Maps included. */
function same(one: unknown, other: unknown): boolean {
  const plain = (_: string, value: unknown): unknown => (value instanceof Map ? [...value].sort() : value);
  return JSON.stringify(one, plain) === JSON.stringify(other, plain);
}
