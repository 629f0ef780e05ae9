import { describe, expect, it } from 'vitest';
import { expired, serverError, throttled, tooLarge } from './fake-server.test.support.ts';
import {
  BEGIN,
  badToken,
  DISCARD,
  failed,
  list,
  listing,
  lost,
  missing,
  outcomeOf,
  type Row,
  WAIT,
  watch,
} from './step.test.support.ts';

const listRows: Row[] = [
  {
    name: 'the last page makes what was collected the state and opens a watch from there',
    from: listing({ watchList: 'skip', trouble: { phase: 'backing-off', error: lost } }),
    input: { type: 'page', meta: { resourceVersion: '60' } },
    expected: {
      state: 'watching',
      effect: watch('60'),
      output: { type: 'replace', version: '60', byWatchList: false },
      memory: { version: '60', watchList: 'use', trouble: undefined },
    },
  },
  {
    name: 'a page with a token leads to the next page, without a version beside the token',
    from: listing({}, { resourceVersion: '50', resourceVersionMatch: 'NotOlderThan' }, '50'),
    input: { type: 'page', meta: { resourceVersion: '60', continue: 't' } },
    expected: {
      state: 'listing',
      effect: list({ limit: 500, continue: 't' }),
      memory: { version: undefined, keepPaging: false },
    },
  },
  {
    name: 'the version of a list in pages is that of its first page',
    from: listing({}, { limit: 500, continue: 't' }, '', '60'),
    input: { type: 'page', meta: { resourceVersion: '66' } },
    expected: {
      state: 'watching',
      effect: watch('60'),
      output: { type: 'replace', version: '60', byWatchList: false },
    },
  },
  {
    name: 'a list of version "0" that comes in pages shows that there is no cache',
    from: listing({}, { resourceVersion: '0', limit: 500 }, '0'),
    input: { type: 'page', meta: { resourceVersion: '60', continue: 't' } },
    expected: { state: 'listing', effect: list({ limit: 500, continue: 't' }), memory: { keepPaging: true } },
  },
  {
    name: 'an expired token leads to one list in one piece at once',
    from: listing({}, { limit: 500, continue: 't' }, '', '60'),
    input: failed(expired()),
    expected: { state: 'listing', effect: list({}), output: BEGIN, problem: 'expired' },
  },
  {
    name: 'a token that the server cannot read leads to one list in one piece',
    from: listing({}, { limit: 500, continue: 't' }, '0', '60'),
    input: failed(badToken),
    expected: {
      state: 'listing',
      effect: list({ resourceVersion: '0' }),
      output: BEGIN,
      problem: 'unsupported',
    },
  },
  {
    name: 'an expired version leads to the newest state at once',
    from: listing({ version: '50' }, { resourceVersion: '50' }, '50'),
    input: failed(expired()),
    expected: {
      state: 'listing',
      effect: list({ limit: 500 }),
      output: BEGIN,
      problem: 'expired',
      memory: { versionUnavailable: true },
    },
  },
  {
    name: 'a version that the server has not reached leads to the newest state at once',
    from: listing({ version: '50' }, { resourceVersion: '50' }, '50'),
    input: failed(tooLarge()),
    expected: {
      state: 'listing',
      effect: list({ limit: 500 }),
      output: BEGIN,
      problem: 'too-large',
      memory: { versionUnavailable: true },
    },
  },
  {
    name: 'the newest state is asked for at once only once',
    from: listing({ version: '50', versionUnavailable: true }),
    input: failed(tooLarge()),
    expected: { state: 'empty', effect: WAIT, output: DISCARD, problem: 'too-large' },
  },
  {
    name: 'a throttled page is asked for again after the wait, and nothing collected is lost',
    from: listing({}, { limit: 500, continue: 't' }, '', '60'),
    input: failed(throttled(7)),
    expected: { state: 'listing', effect: { type: 'wait', retryAfterMs: 7000 }, problem: 'throttled' },
  },
  {
    name: 'a page after a wait is the same page',
    from: listing({}, { limit: 500, continue: 't' }, '', '60'),
    input: { type: 'go' },
    expected: { state: 'listing', effect: list({ limit: 500, continue: 't' }) },
  },
  {
    name: 'a page whose connection is lost is asked for again',
    from: listing({}, { limit: 500, continue: 't' }, '', '60'),
    input: failed(lost),
    expected: { state: 'listing', effect: WAIT, problem: 'connection' },
  },
  {
    name: 'a list that falls silent is asked for again',
    from: listing(),
    input: { type: 'idle' },
    expected: { state: 'listing', effect: WAIT, problem: 'idle', memory: { stalls: 1 } },
  },
  {
    name: 'a server error starts the list over',
    from: listing({}, { limit: 500, continue: 't' }, '', '60'),
    input: failed(serverError()),
    expected: { state: 'empty', effect: WAIT, output: DISCARD, problem: 'server' },
  },
  {
    name: 'a list of a kind that is not served is a state of its own',
    from: listing(),
    input: failed(missing),
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'missing',
      memory: { trouble: { phase: 'missing', error: missing } },
    },
  },
  {
    name: 'a list older than what is known is refused, and the newest state asked for next',
    from: listing({ version: '50' }, { resourceVersion: '50' }, '50'),
    input: { type: 'page', meta: { resourceVersion: '49' } },
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'older-answer',
      memory: { version: '50', versionUnavailable: true, refusals: 0 },
    },
  },
  {
    name: 'an older list is refused by length too, not as a word',
    from: listing({ version: '100' }, { resourceVersion: '100' }, '100'),
    input: { type: 'page', meta: { resourceVersion: '99' } },
    expected: { state: 'empty', effect: WAIT, output: DISCARD, problem: 'older-answer' },
  },
  {
    name: 'an older quorum read counts towards a rollback',
    from: listing({ version: '50', versionUnavailable: true, refusals: 3 }),
    input: { type: 'page', meta: { resourceVersion: '49' } },
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'older-answer',
      memory: { refusals: 4 },
    },
  },
  {
    name: 'quorum reads that stay behind mean that the server was rolled back',
    from: listing({ version: '50', versionUnavailable: true, refusals: 7 }),
    input: { type: 'page', meta: { resourceVersion: '49' } },
    expected: {
      state: 'watching',
      effect: watch('49'),
      output: { type: 'replace', version: '49', byWatchList: false },
      memory: { version: '49', refusals: 0, versionUnavailable: false },
    },
  },
];

function check(row: Row): void {
  const { actual, memory } = outcomeOf(row);
  const { memory: remembered, ...expected } = row.expected;
  expect(actual).toEqual(expected);
  if (remembered) expect(memory).toMatchObject(remembered);
}

describe('While pages are listed', () => {
  it.each(listRows)('$name', check);
});
