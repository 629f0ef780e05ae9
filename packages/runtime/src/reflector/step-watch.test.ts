import { describe, expect, it } from 'vitest';
import { expired, serverError, throttled, tooLarge } from './fake-server.test.support.ts';
import {
  BEGIN,
  bookmark,
  data,
  event,
  failed,
  forbidden,
  garbled,
  list,
  listed,
  lost,
  missing,
  outcomeOf,
  RECEIVE,
  type Row,
  SENT,
  unauthorized,
  WAIT,
  watch,
  watching,
  watchList,
} from './step.test.support.ts';

const watchRows: Row[] = [
  {
    name: 'after a pause the watch goes on from what is known',
    from: listed(),
    input: { type: 'go' },
    expected: { state: 'watching', effect: watch('50') },
  },
  {
    name: 'an accepted watch ends the trouble',
    from: watching({ trouble: { phase: 'backing-off', error: lost } }, { opened: false }),
    input: { type: 'opened' },
    expected: { state: 'watching', effect: RECEIVE, memory: { trouble: undefined } },
  },
  {
    name: 'an event is applied and moves the version',
    from: watching({ recovered: true, stalls: 2, failingSince: 3 }),
    input: event(data('MODIFIED', '51')),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'apply', event: data('MODIFIED', '51'), version: '51' },
      memory: { version: '51', recovered: false, stalls: 0, failingSince: undefined },
    },
  },
  {
    name: 'versions beyond 2^53 are told apart',
    from: watching({ version: '9007199254740993' }),
    input: event(data('MODIFIED', '9007199254740992')),
    expected: { state: 'watching', effect: RECEIVE, memory: { version: '9007199254740993' } },
  },
  {
    name: 'an event from the past is dropped and is no progress',
    from: watching({ recovered: true, stalls: 2 }),
    input: event(data('MODIFIED', '49')),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      memory: { version: '50', recovered: true, stalls: 0 },
    },
  },
  {
    name: 'a repeated event is dropped',
    from: watching(),
    input: event(data('ADDED', '50')),
    expected: { state: 'watching', effect: RECEIVE, memory: { version: '50' } },
  },
  {
    name: 'a deletion is always passed on, and does not move the version back',
    from: watching(),
    input: event(data('DELETED', '40')),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'apply', event: data('DELETED', '40'), version: '50' },
      memory: { version: '50' },
    },
  },
  {
    name: 'a version that is no number is taken as it comes',
    from: watching({ version: 'abc' }),
    input: event(data('MODIFIED', 'abd')),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'apply', event: data('MODIFIED', 'abd'), version: 'abd' },
      memory: { version: 'abd' },
    },
  },
  {
    name: 'a bookmark moves the version and nothing else',
    from: watching(),
    input: bookmark('58'),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'progress', version: '58' },
      memory: { version: '58' },
    },
  },
  {
    name: 'a bookmark from the past is ignored',
    from: watching({ stalls: 1 }),
    input: bookmark('40'),
    expected: { state: 'watching', effect: RECEIVE, memory: { version: '50', stalls: 0 } },
  },
  {
    name: 'what a watch without a version sends first gives no version',
    from: watching({ version: '' }, { unordered: true }),
    input: event(data('ADDED', '51')),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'apply', event: data('ADDED', '51'), version: '' },
      memory: { version: '' },
    },
  },
  {
    name: 'the first change in a watch without a version gives one',
    from: watching({ version: '0' }, { unordered: true }),
    input: event(data('MODIFIED', '51')),
    expected: {
      state: 'watching',
      effect: RECEIVE,
      output: { type: 'apply', event: data('MODIFIED', '51'), version: '51' },
      memory: { version: '51' },
    },
  },
  {
    name: 'a watch that ends in order is opened again at once from what is known',
    from: watching(),
    after: 300_000,
    input: { type: 'closed' },
    expected: { state: 'watching', effect: watch('50') },
  },
  {
    name: 'a watch that ends early after an event is opened again at once',
    from: watching({}, { progressed: true }),
    after: 10,
    input: { type: 'closed' },
    expected: { state: 'watching', effect: watch('50') },
  },
  {
    name: 'a watch that ends at once without an event waits',
    from: watching(),
    after: 999,
    input: { type: 'closed' },
    expected: { state: 'listed', effect: WAIT, problem: 'very-short' },
  },
  {
    name: 'a silent watch is opened again at once and counted',
    from: watching({ stalls: 1 }),
    after: 70_000,
    input: { type: 'idle' },
    expected: { state: 'watching', effect: watch('50'), problem: 'idle', memory: { stalls: 2 } },
  },
  {
    name: 'a lost connection that has worked is opened again at once',
    from: watching({}, { progressed: true }),
    after: 10,
    input: failed(lost),
    expected: { state: 'watching', effect: watch('50'), problem: 'connection' },
  },
  {
    name: 'a refused connection waits and does not relist',
    from: watching({}, { opened: false }),
    after: 5000,
    input: failed(lost),
    expected: { state: 'listed', effect: WAIT, problem: 'connection' },
  },
  {
    name: 'a throttled watch waits as long as it is told and does not relist',
    from: watching({}, { opened: false }),
    input: failed(throttled(5)),
    expected: { state: 'listed', effect: { type: 'wait', retryAfterMs: 5000 }, problem: 'throttled' },
  },
  {
    name: 'an expired watch relists at once at what is known',
    from: watching(),
    input: failed(expired()),
    expected: {
      state: 'watch-listing',
      effect: watchList('50'),
      output: BEGIN,
      problem: 'expired',
      relist: 'expired',
      memory: { recovered: true },
    },
  },
  {
    name: 'a watch that expires again before anything came waits',
    from: watching({ recovered: true }),
    input: failed(expired()),
    expected: { state: 'empty', effect: WAIT, problem: 'expired', relist: 'expired' },
  },
  {
    name: 'a watch at a version that the server has not reached relists the newest state at once',
    from: watching({ watchList: 'off' }, { opened: false }),
    input: failed(tooLarge()),
    expected: {
      state: 'listing',
      effect: list({ limit: 500 }),
      output: BEGIN,
      problem: 'too-large',
      relist: 'too-large',
    },
  },
  {
    name: 'a server error waits and does not relist at first',
    from: watching(),
    input: failed(serverError()),
    expected: { state: 'listed', effect: WAIT, problem: 'server', memory: { failingSince: SENT } },
  },
  {
    name: 'server errors that last lead to a relist',
    from: watching({ failingSince: SENT - 60_000 }),
    input: failed(serverError()),
    expected: {
      state: 'empty',
      effect: WAIT,
      problem: 'server',
      relist: 'errors',
      memory: { failingSince: undefined },
    },
  },
  {
    name: 'a line that cannot be read waits and is asked for again',
    from: watching({}, { progressed: true }),
    input: failed(garbled),
    expected: { state: 'listed', effect: WAIT, problem: 'decode' },
  },
  {
    name: 'an expired token of ours waits and does not relist',
    from: watching({}, { opened: false }),
    input: failed(unauthorized),
    expected: { state: 'listed', effect: WAIT, problem: 'unauthorized' },
  },
  {
    name: 'a forbidden watch waits, keeps what it has and says so',
    from: watching({}, { opened: false }),
    input: failed(forbidden),
    expected: {
      state: 'listed',
      effect: WAIT,
      problem: 'forbidden',
      memory: { version: '50', trouble: { phase: 'forbidden', error: forbidden } },
    },
  },
  {
    name: 'a kind that vanished is listed anew once it is back',
    from: watching({}, { opened: false }),
    input: failed(missing),
    expected: {
      state: 'empty',
      effect: WAIT,
      problem: 'missing',
      relist: 'missing',
      memory: { trouble: { phase: 'missing', error: missing } },
    },
  },
  {
    name: 'an unknown failure waits like any other',
    from: watching(),
    input: failed(new RangeError('a defect')),
    expected: { state: 'listed', effect: WAIT, problem: 'local' },
  },
];

function check(row: Row): void {
  const { actual, memory } = outcomeOf(row);
  const { memory: remembered, ...expected } = row.expected;
  expect(actual).toEqual(expected);
  if (remembered) expect(memory).toMatchObject(remembered);
}

describe('While watching', () => {
  it.each(watchRows)('$name', check);
});
