import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { Budget, Slots, Waiting } from '../model/budget.ts';
import { type ScheduleParts, scheduleInput } from './schedule.test.support.ts';
import { schedule } from './schedule.ts';
import type { Later } from './types.ts';

const NOW = 5_000_000;

const at = (parts: ScheduleParts) => schedule(scheduleInput(NOW, parts));

describe('nothing holds it', () => {
  it('a settle time of zero means at once', () => {
    expect(at({})).toEqual({ kind: 'now' });
  });

  it('a pause the Stakater way defers nothing: it pauses the Deployment', () => {
    const recorded = ledgerWith({ reloadedAt: 4999 });
    expect(at({ recorded, policy: { stakaterPauseMs: 60_000 } })).toEqual({ kind: 'now' });
  });
});

describe('settling', () => {
  const policy = { settleMs: 1000, settleMaxMs: 10_000 };

  it('waits for a quiet time after the latest change', () => {
    expect(at({ policy, firstSeen: NOW - 3000, lastSeen: NOW - 400 })).toMatchObject({
      kind: 'later',
      why: 'settling',
      until: NOW + 600,
    });
    expect(at({ policy, firstSeen: NOW - 3000, lastSeen: NOW - 1000 }).kind).toBe('now');
  });

  it('ends at the latest a while after the first change', () => {
    expect(at({ policy, firstSeen: NOW - 9900, lastSeen: NOW })).toMatchObject({ until: NOW + 100 });
    expect(at({ policy, firstSeen: NOW - 10_000, lastSeen: NOW }).kind).toBe('now');
  });

  it('counts the first change from the ledger after a restart', () => {
    const recorded = ledgerWith({ pendingSince: 4991 });
    expect(at({ policy, recorded })).toMatchObject({ until: NOW + 1000 });
    expect(at({ policy, recorded: ledgerWith({ pendingSince: 4990 }) }).kind).toBe('now');
  });

  it('does not end sooner because the ledger knows only the second', () => {
    const recorded = ledgerWith({ pendingSince: 4999 });
    const input = { policy: { settleMs: 5000, settleMaxMs: 1000 }, recorded, firstSeen: NOW - 100 };
    expect(at(input)).toMatchObject({ until: NOW + 900 });
  });

  it('names the annotation and the flags', () => {
    expect(at({ policy })).toMatchObject({
      message:
        'Waits until nothing changes for 1s, 10s at most (annotation reloader.stakater.com/settle, settle or --settle)',
    });
  });
});

describe('batching', () => {
  const policy = { batchWindowMs: 60_000 };

  it('waits from the first change, however many follow', () => {
    expect(at({ policy, firstSeen: NOW - 50_000, lastSeen: NOW })).toMatchObject({
      why: 'batching',
      until: NOW + 10_000,
    });
    expect(at({ policy, firstSeen: NOW - 60_000, lastSeen: NOW }).kind).toBe('now');
  });

  it('goes on after a restart', () => {
    expect(at({ policy, recorded: ledgerWith({ pendingSince: 4950 }) })).toMatchObject({
      until: NOW + 10_000,
    });
  });

  it('names the annotation and the flags', () => {
    const message = expect.stringContaining(
      'reloader.stakater.com/batch-window, batchWindow or --batch-window',
    );
    expect(at({ policy })).toMatchObject({ message });
  });
});

describe('a pause', () => {
  const policy = { pauseMs: 300_000 };

  it('lets the first change pass', () => {
    expect(at({ policy }).kind).toBe('now');
    expect(at({ policy, recorded: undefined }).kind).toBe('now');
  });

  it('holds later ones for a while after the last reload', () => {
    const recorded = ledgerWith({ reloadedAt: 4800 });
    expect(at({ policy, recorded })).toMatchObject({ why: 'paused', until: 5_100_000 });
    expect(at({ policy, recorded: ledgerWith({ reloadedAt: 4700 }) }).kind).toBe('now');
  });

  it('names the setting that asked for it', () => {
    const recorded = ledgerWith({ reloadedAt: 4800 });
    const pausedBy = 'pausePeriod of ReloaderConfig shop/one';
    const message = expect.stringContaining(`(${pausedBy})`);
    expect(at({ policy: { ...policy, pausedBy }, recorded })).toMatchObject({ message });
  });
});

describe('a freeze', () => {
  it.each([
    ['workload', 'on the workload'],
    ['namespace', 'on Namespace shop'],
    ['cluster', "on the operator's Namespace, which freezes the whole cluster"],
  ] as const)('of the %s holds until somebody ends it, and says where', (frozen, where) => {
    const freezes = [{ place: frozen, until: undefined, reason: undefined }];
    expect(at({ policy: { freezes, settleMs: 1000, batchWindowMs: 5000 }, mode: 'observe' })).toMatchObject({
      why: 'frozen',
      until: undefined,
      message: expect.stringContaining(`reloader.stakater.com/freeze ${where}`),
    });
  });

  it('of several places is told by the one that lasts longest, and names the others', () => {
    const [workload, namespace, cluster] = (['workload', 'namespace', 'cluster'] as const).map((place) => ({
      place,
      until: place === 'namespace' ? undefined : Number.MAX_SAFE_INTEGER,
      reason: undefined,
    }));
    const freezes = [workload, namespace, cluster].flatMap((freeze) => freeze ?? []);
    expect(at({ policy: { freezes } })).toMatchObject({
      until: undefined,
      message:
        'Frozen by annotation reloader.stakater.com/freeze on Namespace shop: remove it to reload; ' +
        'the workload is frozen, too; the whole cluster is frozen, too',
    });
  });
});

describe('observe mode', () => {
  it('holds everything, before any waiting', () => {
    expect(at({ mode: 'observe', policy: { settleMs: 1000 } })).toMatchObject({
      why: 'observing',
      until: undefined,
      message: expect.stringContaining('--mode=reload'),
    });
  });
});

const TWO = ['Deployment/shop/a', 'StatefulSet/shop/db'];
const budget = (limit: number, name = '--max-unfinished-rollouts', has = (_: string) => true): Budget => ({
  name,
  limit,
  has,
});
const running = (keys: readonly string[], waiting: Slots['waiting'] = []) => ({
  slots: () => ({ running: keys, waiting }),
});
const capOf = (limit: number) => ({ policy: { budgets: [budget(limit)] } });

describe('the cap', () => {
  it('holds while as many rollouts as allowed have not ended', () => {
    expect(at({ ...running(TWO), ...capOf(2) })).toMatchObject({
      why: 'capped',
      until: undefined,
      message: expect.stringContaining('--max-unfinished-rollouts allows 2'),
    });
    expect(at({ ...running(TWO.slice(1)), ...capOf(2) }).kind).toBe('now');
    expect(at(running(TWO)).kind).toBe('now');
  });

  it('does not count its own rollout', () => {
    expect(at({ ...running(['Deployment/shop/web']), ...capOf(1) }).kind).toBe('now');
  });

  it('names those it waits for, three at most', () => {
    expect(at({ ...running(TWO), ...capOf(2) })).toMatchObject({
      message: expect.stringMatching(/waits for Deployment shop\/a, StatefulSet shop\/db$/),
    });
    const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `Deployment/shop/${name}`);
    expect(at({ ...running(six), ...capOf(2) })).toMatchObject({
      message: expect.stringMatching(/Deployment shop\/c and 3 more$/),
    });
  });

  it('holds neither a reload after a failure nor one that has begun', () => {
    expect(at({ ...running(TWO), ...capOf(2), passesCap: true }).kind).toBe('now');
    expect(at({ ...running(TWO), ...capOf(2), begun: true }).kind).toBe('now');
  });

  it('comes after what has a time', () => {
    expect(at({ ...running(TWO), policy: { settleMs: 1000, budgets: [budget(2)] } })).toMatchObject({
      why: 'settling',
    });
  });
});

describe('several budgets', () => {
  const inShop = (key: string): boolean => key.includes('/shop/');
  const elsewhere = ['Deployment/lab/a', 'Deployment/lab/b'];

  it('count only their own', () => {
    const budgets = [budget(2, 'of shop', inShop)];
    expect(at({ ...running(elsewhere), policy: { budgets } }).kind).toBe('now');
    expect(at({ ...running([...elsewhere, ...TWO]), policy: { budgets } })).toMatchObject({
      message: 'of shop allows 2 at a time: waits for Deployment shop/a, StatefulSet shop/db',
    });
  });

  it('the tightest is named', () => {
    const budgets = [budget(3, 'loose'), budget(1, 'tight', inShop)];
    expect(at({ ...running([...elsewhere, ...TWO]), policy: { budgets } })).toMatchObject({
      message: expect.stringMatching(/^tight allows 1 at a time/),
    });
  });
});

describe('the oldest first', () => {
  const waiting = (name: string, since: number, parts: Partial<Waiting> = {}): Waiting => ({
    key: `Deployment/shop/${name}`,
    since,
    from: NOW,
    looksAt: NOW,
    budgets: [budget(2)],
    ...parts,
  });
  const older = [waiting('x', NOW - 3000), waiting('y', NOW - 2000)];

  it('what waited for longer takes the free slots', () => {
    expect(at({ ...running([], older), ...capOf(2) })).toMatchObject({
      why: 'capped',
      message:
        '--max-unfinished-rollouts allows 2 at a time: goes after Deployment shop/x, Deployment shop/y, which waited for longer',
    });
    expect(at({ ...running([], older), ...capOf(3) }).kind).toBe('now');
    const { message } = at({ ...running(TWO.slice(1), older), ...capOf(2) }) as Later;
    expect(message).toContain('waits for StatefulSet shop/db, and goes after Deployment shop/x');
  });

  it('of equals the name decides, and the younger does not count', () => {
    const equal = [waiting('a', NOW)];
    expect(at({ ...running([], equal), ...capOf(1) }).kind).toBe('later');
    expect(at({ ...running([], [waiting('z', NOW)]), ...capOf(1) }).kind).toBe('now');
    expect(at({ ...running([], [waiting('a', NOW + 1)]), ...capOf(1) }).kind).toBe('now');
  });

  it.each<[string, Partial<Waiting>]>([
    ['its window is closed', { from: NOW + 1 }],
    ['it did not look for its slot for a minute', { from: NOW - 60_000, looksAt: NOW - 60_000 }],
    ['another budget holds it', { budgets: [budget(2), budget(1, 'tight', (key) => key.endsWith('/db'))] }],
  ])('one that could not begin holds up no other: %s', (_, parts) => {
    const held = [waiting('x', NOW - 3000, parts)];
    expect(at({ ...running(TWO.slice(1), held), ...capOf(2) }).kind).toBe('now');
  });
});

describe('several reasons', () => {
  it.each([
    ['the pause', { settleMs: 1000, batchWindowMs: 2000, pauseMs: 3000 }, 'paused', NOW + 3000],
    ['the batch', { settleMs: 1000, batchWindowMs: 3000, pauseMs: 2000 }, 'batching', NOW + 3000],
    ['the settling', { settleMs: 3000, batchWindowMs: 2000, pauseMs: 1000 }, 'settling', NOW + 3000],
    ['of equals the pause', { settleMs: 3000, batchWindowMs: 3000, pauseMs: 3000 }, 'paused', NOW + 3000],
  ] as const)('the one that holds longest is shown: %s', (_, policy, why, until) => {
    expect(at({ policy, recorded: ledgerWith({ reloadedAt: 5000 }) })).toMatchObject({ why, until });
  });

  it('what has a time ends: at that time the reload may happen', () => {
    const ms = fc.nat({ max: 100_000 });
    fc.assert(
      fc.property(
        fc.record({ settleMs: ms, settleMaxMs: ms, batchWindowMs: ms, pauseMs: ms }),
        fc.record({
          first: ms,
          last: ms,
          reloadedAt: fc.nat({ max: 5000 }),
          pendingSince: fc.nat({ max: 5000 }),
        }),
        (policy, { first, last, reloadedAt, pendingSince }) => {
          const firstSeen = NOW - Math.max(first, last);
          const input = scheduleInput(NOW, {
            policy,
            firstSeen,
            lastSeen: NOW - Math.min(first, last),
            recorded: ledgerWith({ reloadedAt, pendingSince }),
          });
          const when = schedule(input);
          if (when.kind === 'now') return;
          expect(when.until).toBeGreaterThan(NOW);
          expect(schedule({ ...input, now: when.until ?? 0 })).toEqual({ kind: 'now' });
          const { why, until } = when;
          expect(schedule({ ...input, now: (until ?? 0) - 1 })).toMatchObject({ why, until });
        },
      ),
    );
  });
});

it('asks for an approval as soon as the change has settled, whatever else holds it for longer', () => {
  const policy = { settleMs: 1_000, settleMaxMs: 10_000, batchWindowMs: 3_600_000 };
  const change = { id: 'k3v9x2mqpa', needsApproval: true, word: undefined, otherApproved: undefined };
  const at = (now: number, rest: Partial<typeof change> | { word: 'approved' } = {}) =>
    schedule({ ...scheduleInput(NOW, { policy }), change: { ...change, ...rest }, now });
  expect(at(NOW)).toMatchObject({ why: 'batching', lookAt: NOW + 1_000 });
  expect(at(NOW + 1_000)).toMatchObject({ why: 'approval', also: [{ why: 'batching' }] });
  expect(at(NOW, { word: 'approved' })).not.toMatchObject({ lookAt: NOW + 1_000 });
});
