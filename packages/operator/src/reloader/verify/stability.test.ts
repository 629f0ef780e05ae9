import type { RolloutStatus } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { type Following, NO_PODS_SEEN, type RolloutPods } from '../model/following.ts';
import type { Verify } from '../model/verify.ts';
import { assess, timed } from './stability.ts';

const START = 1_000_000;
const verify: Verify = { timeoutMs: 300_000, stableForMs: 30_000, maxRestarts: 1 };
const following: Following = {
  seq: 4,
  reloadedAt: START / 1000,
  before: '7',
  template: 't',
  reached: 1,
  movedAt: START,
};
const rolling: RolloutStatus = { state: 'progressing', reason: 'Updating', message: '1 of 3' };
const done: RolloutStatus = { state: 'done', message: '3 of 3' };
const held: RolloutStatus = { state: 'held', reason: 'Paused', message: 'paused' };

const looked = (at: number, pods: Partial<RolloutPods>, more: Partial<Following> = {}): Following => ({
  ...following,
  doneAt: START,
  lookedAt: at,
  pods: { ...NO_PODS_SEEN, ...pods },
  ...more,
});
const open = (lookAt: number, needsPods: boolean) => ({ state: 'open', lookAt, needsPods });
const over = (result: string, message = '') => ({
  state: 'over',
  result,
  message: expect.stringContaining(message),
});

describe('A reload that is verified', () => {
  it.each([
    ['that rolls out', rolling, START + 1_000, open(START + 15_000, false)],
    ['that does not move', rolling, START + 15_000, open(START + 15_000, true)],
    ['that is not rolled out in time', rolling, START + 300_000, over('timeout', 'within 5m: 1 of 3')],
    [
      'that has failed',
      { ...held, state: 'failed', retriable: true, message: 'crash' },
      START,
      over('failed', 'crash'),
    ],
    [
      'that waits for a person',
      held,
      START + 900_000,
      { state: 'open', lookAt: undefined, needsPods: false },
    ],
  ] as [string, RolloutStatus, number, object][])('%s', (_, status, now, expected) => {
    expect(assess(following, status, verify, now)).toEqual(expected);
  });

  it('has to stay ready before its pods are listed, once', () => {
    const ended = timed(following, done, START + 5_000);
    expect(assess(ended, done, verify, START + 5_000)).toEqual(open(START + 35_000, false));
    expect(assess(ended, done, verify, START + 35_000)).toEqual(open(START + 35_000, true));
  });

  it.each([
    ['works', { readyAt: START }, over('ok', '3 of 3, for 30s')],
    [
      'works with as many restarts as allowed',
      { readyAt: START, restarted: { pod: 'a', restarts: 1 } },
      over('ok'),
    ],
    [
      'fails with more',
      { readyAt: START, restarted: { pod: 'a', restarts: 2 } },
      over('failed', 'pod a restarted 2 times'),
    ],
    [
      'fails with a pod that tells why',
      { failing: { pod: 'a', container: 'main', reason: 'CrashLoopBackOff', restarts: 1 }, unready: 'a' },
      over('failed', 'pod a: container main: CrashLoopBackOff'),
    ],
    ['waits for a pod that became ready late', { readyAt: START + 20_000 }, open(START + 50_000, false)],
    ['waits for a pod that is not ready', { unready: 'a', readyAt: START }, open(START + 45_000, false)],
  ] as [string, Partial<RolloutPods>, object][])('%s', (_, pods, expected) => {
    expect(assess(looked(START + 30_000, pods), done, verify, START + 30_000)).toEqual(expected);
  });

  it('whose pods never stay ready runs out of time', () => {
    const at = START + 300_000;
    expect(assess(looked(at, { unready: 'a' }), done, verify, at)).toEqual(over('timeout', 'the last was a'));
    const flapping = looked(at + 5_000, { readyAt: at + 1_000 });
    expect(assess(flapping, done, verify, at + 5_000)).toEqual(over('timeout', 'no 30s without'));
  });

  it('that failed works after all once its pods have run for long', () => {
    const pods = { readyAt: START, restarted: { pod: 'a', restarts: 9 } };
    const at = (ms: number) => assess(looked(START + ms, pods, { failed: 'told' }), done, verify, START + ms);
    expect(at(599_000)).toMatchObject({ state: 'open' });
    expect(at(600_000)).toEqual(over('ok'));
  });

  it('has a timeout that does not run while it waits for a person', () => {
    const resumed = timed(following, held, START + 900_000);
    expect(assess(resumed, rolling, verify, START + 1_199_000)).toMatchObject({ state: 'open' });
    expect(assess(resumed, rolling, verify, START + 1_200_000)).toEqual(over('timeout'));
  });

  it('of an earlier process is judged by its pods at once, and begins anew when it moves', () => {
    const inherited = timed({ ...following, inherited: true }, done, START + 600_000);
    expect(assess(inherited, done, verify, START + 600_000)).toMatchObject({ needsPods: true });
    expect(timed(inherited, rolling, START + 601_000).doneAt).toBeUndefined();
  });
});
