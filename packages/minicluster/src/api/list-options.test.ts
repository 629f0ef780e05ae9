import { describe, expect, test } from 'vitest';
import { StatusError } from '../model/status.ts';
import { readInteger, readListOptions } from './list-options.ts';

const read = (query: string, watch = false, watchList = true) =>
  readListOptions(new URLSearchParams(query), watch, { watchList });

function problems(query: string, watch = false, watchList = true): string[] {
  try {
    read(query, watch, watchList);
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect(error.body).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'ListOptions' } });
    return (error.body.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  }
}

const MATCH = 'resourceVersionMatch: Forbidden: ';

/** The expected messages are those of kube-apiserver 1.36. */
describe('options of a list that exclude each other', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['resourceVersion=5', []],
    ['resourceVersion=5&resourceVersionMatch=Exact', []],
    ['resourceVersion=0&resourceVersionMatch=NotOlderThan', []],
    [
      'resourceVersionMatch=Exact',
      [`${MATCH}resourceVersionMatch is forbidden unless resourceVersion is provided`],
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      [`${MATCH}resourceVersionMatch "exact" is forbidden for resourceVersion "0"`],
    ],
    [
      'resourceVersion=5&resourceVersionMatch=Exact&continue=x',
      [`${MATCH}resourceVersionMatch is forbidden when continue is provided`],
    ],
    [
      'resourceVersion=5&resourceVersionMatch=Foo',
      ['resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""'],
    ],
    ['sendInitialEvents=true', ['sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list']],
  ])('%s', (query, expected) => {
    expect(problems(query)).toEqual(expected);
  });
});

describe('options of a watch that exclude each other', () => {
  const needsMatch = `${MATCH}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`;
  test.each<[string, string[]]>([
    ['', []],
    ['resourceVersion=5', []],
    ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', []],
    ['sendInitialEvents=true', [needsMatch]],
    ['sendInitialEvents=false', [needsMatch]],
    [
      'resourceVersionMatch=NotOlderThan',
      [`${MATCH}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`],
    ],
    [
      'sendInitialEvents=true&resourceVersionMatch=Exact',
      [needsMatch, 'resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"'],
    ],
    ['continue=x', [`${MATCH}resourceVersionMatch is forbidden when continue is provided`]],
  ])('%s', (query, expected) => {
    expect(problems(query, true)).toEqual(expected);
  });

  test('a server without watch-list refuses it', () => {
    expect(problems('sendInitialEvents=true&resourceVersionMatch=NotOlderThan', true, false)).toEqual([
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    ]);
    expect(problems('', true, false)).toEqual([]);
  });
});

test('a watch from no revision in particular asks for what is there', () => {
  expect(read('', true).sendInitialEvents).toBe(true);
  expect(read('resourceVersion=0', true).sendInitialEvents).toBe(true);
  expect(read('resourceVersion=7', true).sendInitialEvents).toBeUndefined();
  expect(read('', true, false).sendInitialEvents).toBeUndefined();
  expect(read('', false).sendInitialEvents).toBeUndefined();
});

test('numbers must be numbers', () => {
  expect(read('limit=5&timeoutSeconds=7')).toMatchObject({ limit: 5, timeoutSeconds: 7 });
  expect(read('limit=-1')).toMatchObject({ limit: 0, timeoutSeconds: undefined });
  expect(() => read('limit=abc')).toThrow('strconv.ParseInt: parsing "abc": invalid syntax');
  expect(readInteger(new URLSearchParams('a='), 'a')).toBeUndefined();
});
