/** Messages and opening times of each gate, at the edges that the override table does not reach. */
import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { UnmetCondition } from '../model/condition.ts';
import { findingText } from '../model/content-rule.ts';
import type { Freeze, Policy } from '../model/want.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { ONE_SLOT_TAKEN, type ScheduleParts, scheduleInput } from './schedule.test.support.ts';
import { DEAF_TO_NOW, isHeldByItself, schedule } from './schedule.ts';
import { type Later, TOLD_BY_CHANGE } from './types.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const source = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;

function held(parts: ScheduleParts, now = NOW): Later {
  const result = schedule(scheduleInput(now, parts));
  if (result.kind !== 'later') throw new Error('Nothing holds it');
  return result;
}
const isNow = (parts: ScheduleParts): boolean => schedule(scheduleInput(NOW, parts)).kind === 'now';

describe('the reasons to wait', () => {
  it('that no `now` ends', () => {
    expect([...DEAF_TO_NOW].sort()).toEqual(['condition', 'frozen', 'invalid', 'observing']);
  });

  it('that are told again for each change', () => {
    expect([...TOLD_BY_CHANGE].sort()).toEqual(['approval', 'failed-elsewhere', 'invalid', 'refused']);
  });

  it.each<[string, ScheduleParts, boolean]>([
    ['nothing', {}, false],
    ['observe mode', { mode: 'observe' }, true],
    ['a doubt', { doubt: 'held' }, true],
    ['settings that cannot be read', { policy: { invalid: 'settle: x' } }, true],
    ['refused content', { refused: [{ source }] }, true],
    ['settling', { policy: { settleMs: 1000 } }, false],
    ['the cap', { policy: { budgets: ONE_SLOT_TAKEN.budgets }, slots: ONE_SLOT_TAKEN.slots }, false],
  ])('held by %s, before any other workload matters: %s', (_, parts, expected) => {
    expect(isHeldByItself(scheduleInput(NOW, parts))).toBe(expected);
  });
});

describe('a freeze', () => {
  const until = (time: number | undefined, place: Freeze['place'] = 'workload'): Freeze => ({
    place,
    until: time,
    reason: undefined,
  });
  const frozen = (...freezes: Freeze[]) => ({ policy: { freezes } });

  it('ends at its time', () => {
    expect(isNow(frozen(until(NOW)))).toBe(true);
    expect(held(frozen(until(NOW + 1)))).toMatchObject({
      why: 'frozen',
      until: NOW + 1,
      message:
        'Frozen by annotation reloader.stakater.com/freeze on the workload: it ends at the time that it names',
    });
  });

  it('that has ended is not named beside one that holds', () => {
    expect(held(frozen(until(NOW, 'namespace'), until(NOW + 1))).message).not.toContain('too');
  });

  it('is told by the longest, whatever the order', () => {
    const three = [until(NOW + 1), until(NOW + 3, 'namespace'), until(NOW + 2, 'cluster')];
    expect(held(frozen(...three)).until).toBe(NOW + 3);
    expect(held(frozen(...three.toReversed())).until).toBe(NOW + 3);
    expect(held(frozen(...three, until(undefined))).until).toBeUndefined();
  });
});

describe('conditions', () => {
  const unmet = (text: string, problem?: string): UnmetCondition => ({
    text,
    where: 'annotation',
    source,
    ...(problem !== undefined && { problem }),
  });
  const because = (...conditions: UnmetCondition[]): Later => held({ unmet: conditions });

  it('that cannot be evaluated come first, whatever the order', () => {
    const [bad, unmetOne] = [unmet('bad', 'no such key'), unmet('false')];
    for (const order of [
      [bad, unmetOne],
      [unmetOne, bad],
    ])
      expect(because(...order).message).toMatch(/no such key.*; and 1 more/);
    expect(because(bad).warnings).toMatchObject([
      { condition: 'InvalidCondition', event: 'InvalidCondition' },
    ]);
  });

  it('are named once, with the number of the others', () => {
    expect(because(unmet('false')).message).not.toContain('more');
    expect(because(unmet('a'), unmet('b'), unmet('c')).message).toMatch(/; and 2 more$/);
  });

  it('are quoted up to a length', () => {
    const longest =
      /^x+$/.exec(/x+/.exec(because(unmet('x'.repeat(500))).message)?.[0] ?? '')?.[0].length ?? 0;
    expect(longest).toBeGreaterThan(20);
    expect(longest).toBeLessThan(500);
    expect(because(unmet('x'.repeat(longest))).message).not.toContain('…');
    expect(because(unmet('x'.repeat(longest + 1))).message).toContain(`${'x'.repeat(longest)}…`);
  });
});

describe('content that is not what it has to be', () => {
  const finding = { from: 'validate of ReloaderConfig shop/rules', key: 'port', what: 'is no number' };
  const contents = (...counts: number[]): NonNullable<ScheduleParts['contents']> =>
    counts.map((count) => ({ source, findings: Array.from({ length: count }, () => finding) }));

  it.each([
    [[1], ''],
    [[2], '; and 1 more'],
    [[1, 2], '; and 2 more'],
  ])('with findings %j names the first%s', (counts, more) => {
    const later = held({ contents: contents(...counts) });
    const what = 'The content of ConfigMap shop/settings is not what it has to be';
    const rest = `${more}. Nothing is rolled out until it is put right: content that passes goes through at once`;
    expect(later.message).toBe(`${what}: ${findingText(finding)}${rest}`);
    expect(later.warnings).toMatchObject([{ condition: 'InvalidChange', event: 'InvalidChange' }]);
  });

  it('holds nothing without a finding', () => {
    expect(isNow({ contents: contents(0) })).toBe(true);
    expect(isNow({ contents: [] })).toBe(true);
  });
});

describe('a failure on a peer', () => {
  const failure = (name: string) => ({
    source,
    workload: `Deployment/shop/${name}`,
    uid: `uid-${name}`,
    seq: 3,
    message: 'crash',
  });

  it('is told with the first peer, which is waited for, and the number of the others', () => {
    const one = held({ failures: [failure('api')] });
    expect(one.message).toBe(
      'This content of ConfigMap shop/settings failed on Deployment shop/api (reload 3: crash): newer content is rolled out, "reloader now deployment/web -n shop" rolls out this one',
    );
    expect(one.peers).toEqual(['Deployment/shop/api']);
    const two = held({ failures: [failure('api'), failure('db')] });
    expect(two.message).toContain('failed on Deployment shop/api and 1 more (reload 3');
    expect(two.peers).toEqual(['Deployment/shop/api']);
  });
});

it('refused content is told with its source, and the command that rolls it out', () => {
  const later = held({ refused: [{ source }] });
  const message =
    'This content of ConfigMap shop/settings failed here, and the one before it was put back; now it was written again, and nothing is put back twice. Put it right where it is kept (Secret shop/db): newer content is rolled out, "reloader now deployment/web -n shop" rolls out this one';
  expect(later).toMatchObject({ why: 'refused', until: undefined, message });
  expect(later.warnings).toEqual([{ condition: 'RestoreFought', event: 'RestoreFought', message }]);
});

it('doubts that are being counted hold until every workload was looked at', () => {
  expect(held({ doubt: 'counting' })).toMatchObject({
    why: 'settling',
    until: undefined,
    message: 'Waits until every workload was looked at once: whether many are as doubtful as this one',
  });
});

it('many doubts are told with their number', () => {
  expect(held({ doubt: 'held' }).message).toMatch(
    /^Nothing recorded tells what its pods run with, and by times alone more than \d+ workloads would restart at one start: /,
  );
});

describe('a workload that was never recorded', () => {
  const policy: Partial<Policy> = { rateLimit: { perHour: 6, burst: 1 } };

  it('is held by no rate', () => {
    expect(isNow({ recorded: undefined, policy })).toBe(true);
  });
});

describe('a moment to look again', () => {
  const change = { id: 'c', needsApproval: true, word: undefined, otherApproved: undefined };
  const night = {
    windows: [{ where: 'here', windows: [{ kind: 'allow' as const, from: NOW + 9e8, to: NOW + 9.1e8 }] }],
  };
  const workload = workloadFacts();

  it('is when a change that needs approval has settled, before its window opens', () => {
    const settling = { ...night, settleMs: 10_000, settleMaxMs: 60_000 };
    expect(held({ change, workload, policy: settling }).lookAt).toBe(NOW + 10_000);
    const asked = { ...change, needsApproval: false };
    expect(held({ change: asked, policy: settling }).lookAt).toBe(NOW + 30 * 86_400_000);
  });

  it('is not by another gate that time opens', () => {
    const pausing = { ...night, pauseMs: 10_000 };
    const recorded = ledgerWith({ reloadedAt: NOW / 1000 });
    expect(held({ change, recorded, policy: pausing }).lookAt).toBe(NOW + 30 * 86_400_000);
  });

  it('is the next one where the search was not finished', () => {
    const order = {
      failures: [],
      wave: { message: 'm', until: undefined, peers: [], unfinished: true as const },
    };
    expect(held({ order }).lookAt).toBe(NOW + 1);
  });
});
