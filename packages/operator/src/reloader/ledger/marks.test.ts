import { describe, expect, it } from 'vitest';
import { entriesOf } from '../decide/decide.test.support.ts';
import { formatMark, isMarkOf, leavesMark, ledgerFromMark, parseMark } from './marks.ts';

const SOURCES = entriesOf({
  'cm/b': { digest: 'two', scope: 'keys' },
  'cm/a': { digest: 'one' },
  'cm/c': { digest: 'three', gone: true },
});

describe('the mark on the template', () => {
  it('holds the number, the key and the rolled out digests, without deleted sources', () => {
    expect(formatMark({ uid: 'u0123456789', seq: 4, sources: SOURCES, keyId: 'k1' })).toBe(
      '{"n":4,"u":"u0123456","k":"k1","s":{"cm/a":"one","cm/b":"two#keys"}}',
    );
    expect(formatMark({ uid: 'u', seq: 4, sources: new Map() })).toBe('{"n":4,"u":"u","s":{}}');
  });

  it('gives the ledger back, as far as it can tell', () => {
    const mark = parseMark(formatMark({ uid: 'u0123456789', seq: 4, sources: SOURCES, keyId: 'k1' }));
    expect(mark && ledgerFromMark(mark, 'u', 7, 'k2')).toEqual({
      uid: 'u',
      seq: 4,
      writtenAt: 7,
      keyId: 'k1',
      recent: [],
      sources: entriesOf({ 'cm/a': { digest: 'one' }, 'cm/b': { digest: 'two', scope: 'keys' } }),
    });
  });

  it('that names no key is read with the one in use', () => {
    const mark = parseMark(formatMark({ uid: 'u', seq: 4, sources: SOURCES }));
    expect(mark && ledgerFromMark(mark, 'u', 7, 'k2').keyId).toBe('k2');
    expect(mark && 'keyId' in ledgerFromMark(mark, 'u', 7, undefined)).toBe(false);
  });

  it.each([
    undefined,
    '',
    'null',
    '7',
    '{"n":1}',
    '{"n":1,"s":"text"}',
    '{"n":"1","s":{}}',
    '{"n":1.5,"s":{}}',
    '{"n":1,"s":null}',
  ])('%j is none', (text) => {
    expect(parseMark(text)).toBeUndefined();
  });

  it('has neither key nor uid where they are no text', () => {
    const mark = parseMark('{"n":1,"u":2,"k":3,"s":{}}');
    expect(mark && Object.keys(mark)).toEqual(['seq', 'sources']);
  });

  it('is the same whatever the order of the sources', () => {
    const reversed = new Map([...SOURCES].reverse());
    const made = (sources: typeof SOURCES) => formatMark({ uid: 'u', seq: 1, sources });
    expect(made(reversed)).toBe(made(SOURCES));
  });

  it('leaves out digests that are no text', () => {
    expect(parseMark('{"n":1,"s":{"cm/a":"x","cm/b":5}}')?.sources).toEqual(new Map([['cm/a', 'x']]));
  });
});

it.each([
  ['0123456789', true],
  ['01234567', true],
  ['01234568', false],
])('a mark is of the workload %s whose uid it names: %s', (uid, expected) => {
  const mark = parseMark(formatMark({ uid: '0123456789', seq: 1, sources: new Map() }));
  expect(mark && isMarkOf(mark, uid)).toBe(expected);
});

it('a mark of the first version fits any workload', () => {
  const mark = parseMark('{"n":1,"s":{}}');
  expect(mark && isMarkOf(mark, 'any')).toBe(true);
});

describe('a reload leaves a mark', () => {
  const ref = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
  it.each([
    ['Deployment', 'rollout', undefined, true],
    ['StatefulSet', 'rollout', undefined, true],
    ['Deployment', 'restart', undefined, false],
    ['CronJob', 'rollout', undefined, false],
    ['Job', 'rollout', undefined, false],
    ['Rollout', 'rollout', ref, false],
  ] as const)(
    'on a %s with strategy %s and template of %j: %s',
    (kind, rolloutStrategy, workloadRef, expected) => {
      expect(leavesMark({ kind, workloadRef }, { rolloutStrategy })).toBe(expected);
    },
  );
});
