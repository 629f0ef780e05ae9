import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ledgerWith, POLICY } from '../decide/decide.test.support.ts';
import type { Policy } from '../model/want.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { schedule } from './schedule.ts';
import type { ScheduleInput } from './types.ts';

const NOW = 5_000_000;

type Parts = Partial<Omit<ScheduleInput, 'policy' | 'pending'>> & {
  readonly policy?: Partial<Policy>;
  readonly firstSeen?: number;
  readonly lastSeen?: number;
};

function inputOf({ policy, firstSeen = NOW, lastSeen = firstSeen, ...rest }: Parts = {}): ScheduleInput {
  return {
    policy: { ...POLICY, settleMs: 0, ...policy },
    pending: { fingerprint: 'f', template: 't', firstSeen, lastSeen },
    recorded: ledgerWith(),
    workload: workloadFacts(),
    change: { id: 'k3v9x2mqpa', needsApproval: false, word: undefined, otherApproved: undefined },
    causes: 'Secret shop/db',
    mode: 'reload',
    unfinished: [],
    maxUnfinished: 0,
    passesCap: false,
    begun: false,
    now: NOW,
    ...rest,
  };
}

const at = (parts: Parts) => schedule(inputOf(parts));

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

  it('names who asked for it', () => {
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

describe('the cap', () => {
  it('holds while as many rollouts as allowed have not ended', () => {
    expect(at({ unfinished: TWO, maxUnfinished: 2 })).toMatchObject({
      why: 'capped',
      until: undefined,
      message: expect.stringContaining('--max-unfinished-rollouts allows 2'),
    });
    expect(at({ unfinished: TWO.slice(1), maxUnfinished: 2 }).kind).toBe('now');
    expect(at({ unfinished: TWO, maxUnfinished: 0 }).kind).toBe('now');
  });

  it('names those it waits for, three at most', () => {
    expect(at({ unfinished: TWO, maxUnfinished: 2 })).toMatchObject({
      message: expect.stringMatching(/waits for Deployment shop\/a, StatefulSet shop\/db$/),
    });
    expect(at({ unfinished: [...TWO, ...TWO, ...TWO], maxUnfinished: 2 })).toMatchObject({
      message: expect.stringMatching(/Deployment shop\/a and 3 more$/),
    });
  });

  it('holds neither the way out of a failure nor what has begun', () => {
    expect(at({ unfinished: TWO, maxUnfinished: 2, passesCap: true }).kind).toBe('now');
    expect(at({ unfinished: TWO, maxUnfinished: 2, begun: true }).kind).toBe('now');
  });

  it('comes after what has a time', () => {
    expect(at({ unfinished: TWO, maxUnfinished: 2, policy: { settleMs: 1000 } })).toMatchObject({
      why: 'settling',
    });
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
          const input = inputOf({
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
