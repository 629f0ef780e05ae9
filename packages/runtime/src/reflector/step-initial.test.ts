import { describe, expect, it } from 'vitest';
import { expired, serverError, throttled, tooLarge } from './fake-server.test.support.ts';
import {
  BEGIN,
  bookmark,
  DISCARD,
  data,
  empty,
  event,
  failed,
  forbidden,
  list,
  lost,
  outcomeOf,
  RECEIVE,
  type Row,
  unsupported,
  WAIT,
  watchList,
  watchListing,
} from './step.test.support.ts';

const toFill: Row[] = [
  {
    name: 'the first read is a watch-list of the newest state',
    from: empty(),
    input: { type: 'go' },
    expected: { state: 'watch-listing', effect: watchList(''), output: BEGIN },
  },
  {
    name: 'a first read may take what the cache of the server holds',
    from: empty(),
    config: { firstListVersion: '0' },
    input: { type: 'go' },
    expected: { state: 'watch-listing', effect: watchList('0'), output: BEGIN },
  },
  {
    name: 'a relist asks for nothing older than what is known',
    from: empty({ version: '50' }),
    input: { type: 'go' },
    expected: { state: 'watch-listing', effect: watchList('50'), output: BEGIN },
  },
  {
    name: 'a relist asks for the newest state when the known version cannot be served',
    from: empty({ version: '50', versionUnavailable: true }),
    input: { type: 'go' },
    expected: { state: 'watch-listing', effect: watchList(''), output: BEGIN },
  },
  {
    name: 'without watch-list the newest state comes in pages',
    from: empty({ watchList: 'off' }),
    input: { type: 'go' },
    expected: { state: 'listing', effect: list({ limit: 500 }), output: BEGIN },
  },
  {
    name: 'without watch-list version "0" is asked for in pages',
    from: empty({ watchList: 'skip' }),
    config: { firstListVersion: '0' },
    input: { type: 'go' },
    expected: { state: 'listing', effect: list({ resourceVersion: '0', limit: 500 }), output: BEGIN },
  },
  {
    name: 'a relist at a known version is not paged, so that the cache of the server may answer',
    from: empty({ watchList: 'off', version: '50' }),
    input: { type: 'go' },
    expected: {
      state: 'listing',
      effect: list({ resourceVersion: '50', resourceVersionMatch: 'NotOlderThan' }),
      output: BEGIN,
    },
  },
  {
    name: 'a relist at a known version is paged where the server has no cache',
    from: empty({ watchList: 'off', version: '50', keepPaging: true }),
    input: { type: 'go' },
    expected: {
      state: 'listing',
      effect: list({ resourceVersion: '50', resourceVersionMatch: 'NotOlderThan', limit: 500 }),
      output: BEGIN,
    },
  },
  {
    name: 'a page size of 0 asks for everything at once',
    from: empty({ watchList: 'off' }),
    config: { pageSize: 0 },
    input: { type: 'go' },
    expected: { state: 'listing', effect: list({}), output: BEGIN },
  },
];

const watchListRows: Row[] = [
  {
    name: 'an accepted watch-list ends the trouble',
    from: watchListing({ trouble: { phase: 'forbidden', error: forbidden } }, '', false),
    input: { type: 'opened' },
    expected: { state: 'watch-listing', effect: RECEIVE, memory: { trouble: undefined } },
  },
  {
    name: 'a synthetic ADDED is collected and gives no version',
    from: watchListing(),
    input: event(data('ADDED', '70')),
    expected: {
      state: 'watch-listing',
      effect: RECEIVE,
      output: { type: 'collect', event: data('ADDED', '70') },
      memory: { version: undefined },
    },
  },
  {
    name: 'a DELETED in the initial phase is collected too',
    from: watchListing(),
    input: event(data('DELETED', '71')),
    expected: {
      state: 'watch-listing',
      effect: RECEIVE,
      output: { type: 'collect', event: data('DELETED', '71') },
    },
  },
  {
    name: 'a plain bookmark does not end the initial phase',
    from: watchListing({ stalls: 1 }),
    input: bookmark('60'),
    expected: { state: 'watch-listing', effect: RECEIVE, memory: { version: undefined, stalls: 0 } },
  },
  {
    name: 'the end mark makes what was collected the state, and the stream goes on',
    from: watchListing({ unfinished: 2, versionUnavailable: true }),
    input: bookmark('60', true),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'replace', version: '60', byWatchList: true },
      memory: { version: '60', unfinished: 0, versionUnavailable: false },
    },
  },
  {
    name: 'an end mark older than what is known is refused',
    from: watchListing({ version: '50' }, '50'),
    input: bookmark('49', true),
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'older-answer',
      memory: { version: '50', versionUnavailable: true, refusals: 0 },
    },
  },
  {
    name: 'a server that does not know watch-lists is asked for pages at once, and not again for a watch-list',
    from: watchListing({}, '', false),
    input: failed(unsupported),
    expected: {
      state: 'listing',
      effect: list({ limit: 500 }),
      output: BEGIN,
      problem: 'unsupported',
      memory: { watchList: 'off' },
    },
  },
  {
    name: 'a watch-list closed before its end is followed by a list at once',
    from: watchListing(),
    input: { type: 'closed' },
    expected: {
      state: 'listing',
      effect: list({ limit: 500 }),
      output: BEGIN,
      problem: 'unfinished',
      memory: { watchList: 'skip', unfinished: 1 },
    },
  },
  {
    name: 'the second watch-list in a row that is closed before its end is followed by a list after a pause',
    from: watchListing({ unfinished: 1 }),
    input: { type: 'closed' },
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'unfinished',
      memory: { watchList: 'skip', unfinished: 2 },
    },
  },
  {
    name: 'the third unfinished watch-list in a row is the last',
    from: watchListing({ unfinished: 2 }),
    input: { type: 'closed' },
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'unfinished',
      memory: { watchList: 'off' },
    },
  },
  {
    name: 'a watch-list that falls silent is replaced by a list at once',
    from: watchListing(),
    input: { type: 'idle' },
    expected: {
      state: 'listing',
      effect: list({ limit: 500 }),
      output: BEGIN,
      problem: 'idle',
      memory: { watchList: 'skip', stalls: 1 },
    },
  },
  {
    name: 'a watch-list of an expired version asks for the newest state at once',
    from: watchListing({ version: '50' }, '50', false),
    input: failed(expired()),
    expected: { state: 'watch-listing', effect: watchList(''), output: BEGIN, problem: 'expired' },
  },
  {
    name: 'a watch-list of a version that the server has not reached asks for the newest state at once',
    from: watchListing({ version: '50' }, '50', false),
    input: failed(tooLarge()),
    expected: { state: 'watch-listing', effect: watchList(''), output: BEGIN, problem: 'too-large' },
  },
  {
    name: 'a watch-list of the newest state that is expired all the same waits',
    from: watchListing({ version: '50', versionUnavailable: true }, '', false),
    input: failed(expired()),
    expected: { state: 'empty', effect: WAIT, output: DISCARD, problem: 'expired' },
  },
  {
    name: 'a refused connection says nothing against watch-lists',
    from: watchListing({}, '', false),
    input: failed(lost),
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'connection',
      memory: { watchList: 'use' },
    },
  },
  {
    name: 'a connection lost half way leads to a list',
    from: watchListing(),
    input: failed(lost),
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'connection',
      memory: { watchList: 'skip', unfinished: 1 },
    },
  },
  {
    name: 'a server error leads to a list',
    from: watchListing({}, '', false),
    input: failed(serverError()),
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'server',
      memory: { watchList: 'skip' },
    },
  },
  {
    name: 'a throttled watch-list waits as long as it is told',
    from: watchListing({}, '', false),
    input: failed(throttled(5)),
    expected: {
      state: 'empty',
      effect: { type: 'wait', retryAfterMs: 5000 },
      output: DISCARD,
      problem: 'throttled',
      memory: { watchList: 'use' },
    },
  },
  {
    name: 'a forbidden watch-list is a state of its own',
    from: watchListing({}, '', false),
    input: failed(forbidden),
    expected: {
      state: 'empty',
      effect: WAIT,
      output: DISCARD,
      problem: 'forbidden',
      memory: { trouble: { phase: 'forbidden', error: forbidden } },
    },
  },
];

function check(row: Row): void {
  const { actual, memory } = outcomeOf(row);
  const { memory: remembered, ...expected } = row.expected;
  expect(actual).toEqual(expected);
  if (remembered) expect(memory).toMatchObject(remembered);
}

describe('Filling the store', () => {
  it.each(toFill)('$name', check);
});

describe('While the watch-list sends the initial state', () => {
  it.each(watchListRows)('$name', check);
});
