import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, ledgerWith } from '../decide/decide.test.support.ts';
import type { Ledger, RecentReload } from '../model/ledger.ts';
import {
  formatLedger,
  isOlder,
  ledgerKey,
  parseLedger,
  retriesOf,
  sameEntry,
  sameSources,
  sourceOfLedgerKey,
} from './ledger.ts';

const name = fc.stringMatching(/^[a-z]([a-z0-9.-]{0,20}[a-z0-9])?$/);
const count = fc.nat({ max: 2_000_000_000 });
const entry = fc.record(
  {
    digest: fc.oneof(fc.constant('-'), fc.stringMatching(/^[A-Za-z0-9_-]{22}$/)),
    scope: fc.stringMatching(/^[A-Za-z0-9_-]{8}$/),
    gone: fc.constant(true as const),
  },
  { requiredKeys: ['digest'] },
);
const sources = (minLength: number): fc.Arbitrary<Ledger['sources']> =>
  fc
    .array(fc.tuple(name, entry), { minLength, maxLength: 5 })
    .map((list) => new Map(list.map(([key, value]) => [`cm/${key}`, value])));
const recent = (configs: fc.Arbitrary<string[]>): fc.Arbitrary<RecentReload> =>
  fc.record(
    { seq: count, at: count, configs, sources: fc.array(name, { maxLength: 2 }), undoes: count },
    { requiredKeys: ['seq', 'at', 'configs', 'sources'] },
  );
const identified = fc
  .tuple(recent(fc.tuple(name, name)), fc.tuple(name, name))
  .map(([reload, configIds]) => ({ ...reload, configIds }));
const ledgers: fc.Arbitrary<Ledger> = fc.record(
  {
    uid: fc.uuid(),
    seq: count,
    writtenAt: count,
    sourcesWrittenAt: count,
    reloadedAt: count,
    pendingSince: count,
    keyId: name,
    digestVersion: fc.integer({ min: 2, max: 9 }),
    template: name,
    unmarked: fc.constant(true as const),
    installation: name,
    rateClock: count,
    replaced: fc.record({ sources: sources(1), fields: name, until: count }),
    refused: fc.array(fc.record({ key: name, content: fc.constantFrom('a', 'b#c') }), {
      minLength: 1,
      maxLength: 8,
    }),
    recent: fc.array(fc.oneof(recent(fc.array(name, { maxLength: 2 })), identified), { maxLength: 5 }),
    sources: sources(0),
  },
  { requiredKeys: ['uid', 'seq', 'writtenAt', 'recent', 'sources'] },
);

describe('the text of a ledger', () => {
  it('has no ids of configs where their number differs from that of the names', () => {
    const read = (part: object) => {
      const text = JSON.stringify({
        v: 1,
        uid: 'x',
        seq: 1,
        t: 1,
        recent: [{ n: 1, at: 1, ...part }],
        s: {},
      });
      const parsed = parseLedger(text);
      return parsed.kind === 'ledger' ? parsed.ledger.recent[0]?.configIds : parsed;
    };
    expect(read({ c: ['a/b', 'a/c'], ci: ['x', 'y'] })).toEqual(['x', 'y']);
    for (const ci of [['x'], ['x', 'y', 'z'], ['x', 1], 'xy', undefined])
      expect(read({ c: ['a/b', 'a/c'], ci })).toBeUndefined();
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(ledgers, (ledger) => {
        expect(parseLedger(formatLedger(ledger))).toEqual({ kind: 'ledger', ledger });
      }),
    );
  });

  it('is the same whatever the order of its sources', () => {
    const one = ledgerWith({ sources: { 'cm/a': 'x', 'cm/b': 'y' } });
    const other = ledgerWith({ sources: { 'cm/b': 'y', 'cm/a': 'x' } });
    expect(formatLedger(one)).toBe(formatLedger(other));
    expect(formatLedger(other)).toContain('"s":{"cm/a":');
  });

  it('is compact: short names, no empty fields', () => {
    const { keyId: _, template: __, ...ledger } = ledgerWith({ sources: { 'cm/a': { digest: 'x' } } });
    expect(formatLedger(ledger)).toBe('{"v":1,"uid":"uid-web","seq":0,"t":2000,"s":{"cm/a":"x"}}');
  });

  it('keeps the five newest reloads', () => {
    const recent = [1, 2, 3, 4, 5, 6].map((seq) => ({ seq, at: seq, configs: [], sources: [] }));
    const parsed = parseLedger(formatLedger(ledgerWith({ recent })));
    expect(parsed.kind === 'ledger' && parsed.ledger.recent.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6]);
  });

  it.each([
    ['nothing', undefined, { kind: 'absent' }],
    ['more than we write', `{"v":1,${'['.repeat(20_000)}`, { kind: 'unreadable', why: 'it is too long' }],
    ['no JSON', '{', { kind: 'unreadable', why: 'it is not JSON' }],
    ['null', 'null', { kind: 'unreadable', why: 'it has no version' }],
    ['a number', '7', { kind: 'unreadable', why: 'it has no version' }],
    ['no version', '{"uid":"u","seq":1,"t":1,"s":{}}', { kind: 'unreadable', why: 'it has no version' }],
    [
      'no uid',
      '{"v":1,"seq":1,"t":1,"s":{}}',
      { kind: 'unreadable', why: 'uid, seq, t or s is missing or out of range' },
    ],
    [
      'a number that nobody counted to',
      '{"v":1,"uid":"u","seq":2147483649,"t":1,"s":{}}',
      { kind: 'unreadable' },
    ],
    ['half a number', '{"v":1,"uid":"u","seq":1.5,"t":1,"s":{}}', { kind: 'unreadable' }],
    ['a time before all', '{"v":1,"uid":"u","seq":1,"t":-1,"s":{}}', { kind: 'unreadable' }],
    ['no sources', '{"v":1,"uid":"u","seq":1,"t":1,"s":null}', { kind: 'unreadable' }],
    ['a text for sources', '{"v":1,"uid":"u","seq":1,"t":1,"s":"x"}', { kind: 'unreadable' }],
    ['a newer version', '{"v":2,"what":"ever"}', { kind: 'newer', version: 2 }],
  ])('%s is told from a ledger', (_, text, expected) => {
    expect(parseLedger(text)).toMatchObject(expected);
  });

  it('leaves out what it cannot read and keeps the rest', () => {
    const text =
      '{"v":1,"uid":"u","seq":1,"t":1,"k":5,"td":5,"e":true,"at":"x","recent":[null,{"n":1},{"n":1,"at":2,"c":"x","s":[1,"cm/a"]}],' +
      '"s":{"cm/a":"ok","cm/b":"not ok","cm/c":5,"__proto__":"x"}}';
    const parsed = parseLedger(text);
    expect(parsed).toEqual({
      kind: 'ledger',
      ledger: {
        uid: 'u',
        seq: 1,
        writtenAt: 1,
        recent: [{ seq: 1, at: 2, configs: [], sources: ['cm/a'] }],
        sources: new Map([
          ['cm/a', { digest: 'ok' }],
          ['__proto__', { digest: 'x' }],
        ]),
      },
    });
  });

  it('reads a list of reloads that is none as none', () => {
    const parsed = parseLedger('{"v":1,"uid":"u","seq":1,"t":1,"recent":{},"s":{}}');
    expect(parsed).toMatchObject({ ledger: { recent: [] } });
  });
});

/** The ledger that is read from a text with these fields beside the required ones. */
const readWith = (fields: object): Partial<Ledger> => {
  const parsed = parseLedger(JSON.stringify({ v: 1, uid: 'u', seq: 1, t: 1, s: {}, ...fields }));
  if (parsed.kind !== 'ledger') throw new Error(parsed.kind);
  return parsed.ledger;
};

describe('the data for an undo', () => {
  const p = { s: { 'cm/a': 'x' }, f: 'fields', t: 5 };

  it('is read where it is whole', () => {
    expect(readWith({ p }).replaced).toEqual({
      sources: new Map([['cm/a', { digest: 'x' }]]),
      fields: 'fields',
      until: 5,
    });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a number', 7],
    ['without sources', { ...p, s: undefined }],
    ['with null for sources', { ...p, s: null }],
    ['with a text for sources', { ...p, s: 'x' }],
    ['with no source', { ...p, s: {} }],
    ['with a source that cannot be read', { ...p, s: { 'cm/a': 'x', 'cm/b': 'not ok' } }],
    ['without fields', { ...p, f: undefined }],
    ['with fields that are no text', { ...p, f: 5 }],
    ['without a time', { ...p, t: undefined }],
    ['with a time before all', { ...p, t: -1 }],
  ])('is none if it is %s', (_, part) => {
    expect(readWith({ p: part })).not.toHaveProperty('replaced');
  });
});

describe('contents that were refused', () => {
  const pairs = Array.from({ length: 10 }, (_, index) => [`cm/${index}`, 'x']);
  const refused = pairs.map(([key = '', content = '']) => ({ key, content }));

  it('are kept, the eight newest of them', () => {
    expect(readWith({ x: pairs }).refused).toEqual(refused.slice(2));
    const text = formatLedger(ledgerWith({ refused }));
    expect(JSON.parse(text)).toMatchObject({ x: pairs.slice(2) });
  });

  it('take no room where there are none', () => {
    expect(JSON.parse(formatLedger(ledgerWith({ refused: [] })))).not.toHaveProperty('x');
    expect(readWith({ x: [] })).not.toHaveProperty('refused');
  });

  it.each<[string, unknown]>([
    ['a text', 'cm/a'],
    ['null', null],
    ['without a content', ['cm/a']],
    ['with a content that no entry has', ['cm/a', 'not ok']],
    ['with a content that is no text', ['cm/a', 5]],
    ['with a key that is no text', [5, 'x']],
  ])('leave out a pair that is %s', (_, pair) => {
    expect(readWith({ x: [pair, ['cm/b', 'x']] }).refused).toEqual([{ key: 'cm/b', content: 'x' }]);
  });
});

describe('a field of the ledger', () => {
  it.each<[string, object, object]>([
    ['the first version of digests', { d: 1 }, {}],
    ['another version of digests', { d: 2 }, { digestVersion: 2 }],
    ['the longest name of an installation', { i: 'i'.repeat(320) }, { installation: 'i'.repeat(320) }],
    ['a longer name of an installation', { i: 'i'.repeat(321) }, {}],
    ['a name of an installation that is no text', { i: 5 }, {}],
    ['the largest number of a reload', { seq: 2 ** 31 }, { seq: 2 ** 31 }],
    ['a clock of the rate limit', { g: 7 }, { rateClock: 7 }],
    ['a clock that is no number', { g: '7' }, {}],
  ])('with %s', (_, fields, expected) => {
    const plain = { uid: 'u', seq: 1, writtenAt: 1, recent: [], sources: new Map() };
    expect(readWith(fields)).toEqual({ ...plain, ...expected });
  });

  it('with the first version of digests is not written', () => {
    expect(JSON.parse(formatLedger(ledgerWith({ digestVersion: 1 })))).not.toHaveProperty('d');
  });

  it('with empty lists of a reload takes no room', () => {
    const recent = [{ seq: 1, at: 2, configs: [], configIds: ['x'], sources: [] }];
    expect(JSON.parse(formatLedger(ledgerWith({ recent })))).toHaveProperty('recent', [{ n: 1, at: 2 }]);
  });

  it('with more reloads than are kept is written as the five newest', () => {
    const recent = [1, 2, 3, 4, 5, 6].map((seq) => ({ seq, at: seq, configs: [], sources: [] }));
    const { recent: kept } = JSON.parse(formatLedger(ledgerWith({ recent })));
    expect(kept).toHaveLength(5);
  });

  it('with more reloads than are kept is read as the five newest', () => {
    const recent = [1, 2, 3, 4, 5, 6].map((n) => ({ n, at: n }));
    expect(readWith({ recent }).recent?.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6]);
  });
});

describe('the key of a source', () => {
  it.each([
    ['ConfigMap', 'shop', 'cm/a'],
    ['Secret', 'shop', 'secret/a'],
    ['SecretProviderClass', 'shop', 'spc/a'],
    ['Secret', 'other', 'secret/other/a'],
  ] as const)('%s in %s is %s, and back', (kind, namespace, key) => {
    const ref = { kind, namespace, name: 'a' };
    expect(ledgerKey(ref, 'shop')).toBe(key);
    expect(sourceOfLedgerKey(key, 'shop')).toEqual(ref);
  });

  it.each(['', 'cm', 'cm/', 'x/a', 'cm/a/b/c'])('%j names no source', (key) => {
    expect(sourceOfLedgerKey(key, 'shop')).toBeUndefined();
  });
});

describe('two ledgers', () => {
  const entryOfX = { digest: digestOf('x') };

  it('are in the order of their numbers, then of their times', () => {
    const at = (seq: number, writtenAt: number): Ledger => ledgerWith({ seq, writtenAt });
    expect(isOlder(at(1, 9), at(2, 1))).toBe(true);
    expect(isOlder(at(2, 1), at(2, 2))).toBe(true);
    expect(isOlder(at(2, 2), at(2, 2))).toBe(false);
    expect(isOlder(at(3, 1), at(2, 2))).toBe(false);
  });

  it('have the same sources if every entry is the same', () => {
    const of = (sources: Parameters<typeof ledgerWith>[0]) => ledgerWith(sources).sources;
    const one = of({ sources: { 'cm/a': 'x' } });
    expect(sameSources(one, of({ sources: { 'cm/a': 'x' } }))).toBe(true);
    expect(sameSources(one, of({ sources: { 'cm/a': 'y' } }))).toBe(false);
    expect(sameSources(one, of({ sources: { 'cm/b': 'x' } }))).toBe(false);
    expect(sameSources(one, of({ sources: { 'cm/a': 'x', 'cm/b': 'x' } }))).toBe(false);
    const gone = { ...entryOfX, gone: true as const };
    expect(sameSources(one, of({ sources: { 'cm/a': gone } }))).toBe(false);
    expect(sameSources(one, of({ sources: { 'cm/a': { ...entryOfX, scope: 's' } } }))).toBe(false);
  });

  it('have the same entry where neither has one', () => {
    expect(sameEntry(undefined, undefined)).toBe(true);
    expect(sameEntry(entryOfX, undefined)).toBe(false);
  });
});

it('counts the repetitions of the last reload: those that name no source', () => {
  const recent = (...sources: string[][]) => ({
    recent: sources.map((list, seq) => ({ seq, at: seq, configs: [], sources: list })),
  });
  expect(retriesOf(recent())).toBe(0);
  expect(retriesOf(recent(['cm/a']))).toBe(0);
  expect(retriesOf(recent([], ['cm/a'], [], []))).toBe(2);
});
