/** Tests of the judge of gates: requests that break each rule and requests that do not. */
import { describe, expect, test } from 'vitest';
import { LEDGER } from '../../reloader/names.ts';
import type { SentRequest } from '../../reloader/stage.ts';
import type { Gates } from './gates.ts';
import { type Circumstances, gatesWereKept, type Ruling } from './judge.ts';

const MINUTE = 60_000;
/** A time inside a window, which opens every three minutes for one. */
const OPEN = Date.UTC(2030, 0, 1);
const workload = { kind: 'Deployment', namespace: 'shop', name: 'web' };

interface Sent {
  readonly at?: number;
  readonly seq?: number;
  readonly user?: string;
  readonly words?: readonly string[];
  readonly code?: number;
  /** The request writes all annotations at once, because the workload had none. */
  readonly bare?: boolean;
}

function reload({
  at = OPEN,
  seq = 1,
  user = 'first',
  words = [],
  code = 200,
  bare = false,
}: Sent): SentRequest {
  const ledger = JSON.stringify({
    v: 1,
    uid: 'x',
    seq,
    t: 1,
    recent: [{ n: seq, at: 1, s: ['secret/db'] }],
    s: {},
  });
  const path = '/metadata/annotations';
  const body = [
    { op: 'test', path: '/metadata/uid', value: 'x' },
    bare
      ? { op: 'add', path, value: { [LEDGER]: ledger } }
      : { op: 'add', path: `${path}/${LEDGER.replace('/', '~1')}`, value: ledger },
    ...words.map((word) => ({ op: 'remove', path: `${path}/reloader.stakater.com~1${word}` })),
    { op: 'add', path: '/spec/template/metadata/annotations', value: {} },
  ];
  const target = { group: 'apps', resource: 'deployments', subresource: '', namespace: 'shop', name: 'web' };
  return { user, verb: 'patch', ...target, code, body, at };
}

function judged(
  gates: Gates,
  sent: readonly Sent[],
  circumstances: Partial<Circumstances> = {},
  sources: Ruling['sources'] = 'all',
) {
  return gatesWereKept(
    sent.map(reload),
    [{ workload, rulings: [{ by: 'its annotations', gates, sources }] }],
    { skewOf: () => 0, longestSkewMs: 0, frozen: new Map(), recordsLost: false, ...circumstances },
  );
}

const AFTER = OPEN + 2 * MINUTE;

describe('a reload is too early', () => {
  test.each<[string, Gates, Sent, RegExp]>([
    [
      'outside of its window',
      { window: 'allow' },
      { at: AFTER },
      /outside of its window \(its annotations\)/,
    ],
    [
      'inside of a denying window',
      { window: 'deny' },
      { at: OPEN + MINUTE / 2 + 10_000 },
      /in a denying window/,
    ],
    ['without approval', { approval: true }, {}, /approved by nobody/],
    [
      'without approval, of a workload without annotations',
      { approval: true },
      { bare: true },
      /approved by nobody/,
    ],
  ])('%s', (_, gates, sent, why) => {
    expect(judged(gates, [sent]).broken).toEqual([expect.stringMatching(why)]);
  });

  test('in a freeze that every operator has seen', () => {
    const frozen = new Map([['web', [{ from: OPEN, to: OPEN + 10 * MINUTE }]]]);
    expect(judged({}, [{ at: OPEN + 5 * MINUTE }], { frozen }).broken).toEqual([
      expect.stringContaining('300 s after it was frozen'),
    ]);
    expect(
      judged({}, [{ at: OPEN + MINUTE }, { seq: 2, at: OPEN + 11 * MINUTE }], { frozen }).broken,
    ).toEqual([]);
  });

  test('more often than its rate', () => {
    const rate = { perHour: 20, burst: 2 };
    const at = (seconds: number, seq: number): Sent => ({ at: OPEN + seconds * 1000, seq });
    const crowd = [at(0, 1), at(10, 2), at(20, 3), at(30, 4)];
    expect(judged({ rate }, crowd).broken).toEqual([expect.stringMatching(/4 times in 30 s/)]);
    expect(judged({ rate }, crowd, { recordsLost: true }).broken).toEqual([]);
    expect(judged({ rate }, [at(0, 1), at(10, 2), at(200, 3), at(400, 4)]).broken).toEqual([]);
  });
});

describe('a reload is allowed', () => {
  test.each<[string, Gates, Sent]>([
    ['inside of its window', { window: 'allow' }, { at: OPEN + 1 }],
    [
      'as long after its window as a request may be on its way',
      { window: 'allow' },
      { at: OPEN + MINUTE + 20_000 },
    ],
    [
      'outside of its window where it may not wait for ever',
      { window: 'allow', maxWaitMinutes: 2 },
      { at: AFTER },
    ],
    ['with its approval', { approval: true }, { words: ['approve'] }],
    ['by a word that passes all', { approval: true, window: 'allow' }, { at: AFTER, words: ['now'] }],
    ['where the server refused it', { approval: true }, { code: 422 }],
  ])('%s', (_, gates, sent) => expect(judged(gates, [sent]).broken).toEqual([]));

  test('by the clock of the operator that sent it', () => {
    const skewOf = (user: string): number => (user === 'second' ? -2 * MINUTE : 0);
    expect(judged({ window: 'allow' }, [{ at: AFTER, user: 'second' }], { skewOf }).broken).toEqual([]);
    expect(judged({ window: 'allow' }, [{ at: AFTER, user: 'first' }], { skewOf }).broken).toHaveLength(1);
  });

  test('outside of its window where the deadline of another ReloaderConfig has passed', () => {
    const rulings = [
      { by: 'one', gates: { window: 'allow' as const }, sources: 'all' as const },
      { by: 'other', gates: { maxWaitMinutes: 2 }, sources: 'all' as const },
    ];
    const circumstances = { skewOf: () => 0, longestSkewMs: 0, frozen: new Map(), recordsLost: false };
    const { broken } = gatesWereKept([reload({ at: AFTER })], [{ workload, rulings }], circumstances);
    expect(broken).toEqual([]);
  });

  test('by rules for other sources, and where its number comes again', () => {
    expect(judged({ approval: true }, [{}], {}, ['cm/other'])).toEqual({ broken: [], judged: 0 });
    expect(judged({ approval: true }, [{ words: ['approve'] }, {}])).toEqual({ broken: [], judged: 1 });
  });
});
