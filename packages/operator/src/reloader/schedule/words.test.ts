/** Approval and `now`: which gates a user's instruction overrides, and which not. */
import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import type { UnmetCondition } from '../model/condition.ts';
import type { FailedElsewhere } from '../model/failed-content.ts';
import type { Policy } from '../model/want.ts';
import { ONE_SLOT_TAKEN, scheduleInput } from './schedule.test.support.ts';
import { schedule } from './schedule.ts';
import { REASONS, type ScheduleInput, type Why } from './types.ts';

const NOW = 5_000_000_000_000;
const FAR = NOW + 1_000_000;

const PLAIN = scheduleInput(NOW);

const policy = (given: Partial<Policy>): Partial<ScheduleInput> => ({
  policy: { ...PLAIN.policy, ...given },
});
const approvalOf = (given: Partial<ScheduleInput['change']> = {}): Pick<ScheduleInput, 'change'> => ({
  change: { ...PLAIN.change, needsApproval: true, ...given },
});
const windows = (kind: 'allow' | 'deny'): Policy['windows'] => [
  { where: 'here', windows: [{ kind, from: kind === 'deny' ? 0 : FAR, to: FAR + 1 }] },
];

/** The override table: which instruction overrides which gate. Late: the change has waited for its `maxWait`. */
const FAILURE: FailedElsewhere = {
  source: { kind: 'ConfigMap', namespace: 'shop', name: 'settings' },
  workload: 'Deployment/shop/api',
  uid: 'uid-api',
  seq: 3,
  message: 'pod api-1: container main: CrashLoopBackOff',
};

const UNMET: UnmetCondition = {
  text: "source.labels['env'] == 'prod'",
  where: 'condition in ReloaderConfig shop/rules',
  config: 'shop/rules',
  source: { kind: 'Secret', namespace: 'shop', name: 'db' },
};

const TABLE: readonly {
  readonly gate: string;
  readonly why: Why;
  readonly input: Partial<ScheduleInput>;
  readonly late: boolean;
  readonly now: boolean;
  readonly begun: boolean;
}[] = [
  {
    gate: 'a freeze',
    why: 'frozen',
    input: policy({ freezes: [{ place: 'workload', until: undefined, reason: undefined }] }),
    late: false,
    now: false,
    begun: false,
  },
  {
    gate: 'observe mode',
    why: 'observing',
    input: { mode: 'observe' },
    late: false,
    now: false,
    begun: false,
  },
  {
    gate: 'what cannot be read',
    why: 'invalid',
    input: policy({ invalid: 'x' }),
    late: false,
    now: false,
    begun: true,
  },
  ...(['wave', 'canary'] as const).map((why) => ({
    gate: `the turn by ${why}`,
    why,
    input: {
      order: { [why]: { message: 'x', until: undefined, peers: ['Deployment/shop/api'] }, failures: [] },
    },
    late: false,
    now: true,
    begun: true,
  })),
  {
    gate: 'a condition that is false',
    why: 'condition',
    input: { unmet: [UNMET] },
    late: false,
    now: false,
    begun: true,
  },
  {
    gate: 'content that breaks a rule',
    why: 'invalid',
    input: {
      contents: [
        {
          source: { kind: 'Secret', namespace: 'shop', name: 'db' },
          findings: [{ from: 'test', what: 'is missing' }],
        },
      ],
    },
    late: false,
    now: false,
    begun: true,
  },
  { gate: 'one of many doubts', why: 'doubt', input: { doubt: 'held' }, late: false, now: true, begun: true },
  {
    gate: 'the count of doubts',
    why: 'settling',
    input: { doubt: 'counting' },
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'content that was taken back',
    why: 'refused',
    input: { refused: [{ source: { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } }] },
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'a failure elsewhere',
    why: 'failed-elsewhere',
    input: { failures: [FAILURE] },
    late: false,
    now: true,
    begun: true,
  },
  { gate: 'approval', why: 'approval', input: approvalOf(), late: false, now: true, begun: true },
  {
    gate: 'a denying window',
    why: 'window',
    input: policy({ windows: windows('deny') }),
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'an allowing window',
    why: 'window',
    input: policy({ windows: windows('allow') }),
    late: true,
    now: true,
    begun: true,
  },
  {
    gate: 'the rate',
    why: 'rate',
    input: {
      ...policy({ rateLimit: { perHour: 6, burst: 1 } }),
      recorded: { ...ledgerWith(), rateClock: NOW + 500_000 },
    },
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'a pause',
    why: 'paused',
    input: { ...policy({ pauseMs: FAR }), recorded: ledgerWith({ reloadedAt: NOW / 1000 }) },
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'a batch',
    why: 'batching',
    input: policy({ batchWindowMs: FAR }),
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'settling',
    why: 'settling',
    input: policy({ settleMs: FAR, settleMaxMs: FAR }),
    late: false,
    now: true,
    begun: true,
  },
  {
    gate: 'the cap',
    why: 'capped',
    input: {
      ...policy({ budgets: ONE_SLOT_TAKEN.budgets }),
      slots: ONE_SLOT_TAKEN.slots,
    },
    late: false,
    now: true,
    begun: true,
  },
];

describe('which instruction overrides which gate', () => {
  it('there is a row for every reason', () => {
    expect(new Set(TABLE.map(({ why }) => why))).toEqual(new Set(REASONS));
  });

  it.each(TABLE)('$gate holds', ({ why, input }) => {
    expect(schedule({ ...PLAIN, ...input })).toMatchObject({ kind: 'later', why });
  });

  it.each(TABLE)('$gate yields to `now`: $now', ({ input, now }) => {
    const given = { ...PLAIN, ...input };
    const change = { ...given.change, word: 'now' as const };
    expect(schedule({ ...given, change }).kind === 'now').toBe(now);
  });

  it.each(TABLE)('$gate yields to `approve`: only approval and doubts', ({ input, why }) => {
    const given = { ...PLAIN, ...input };
    const change = { ...given.change, word: 'approved' as const };
    expect(schedule({ ...given, change }).kind === 'now').toBe(why === 'approval' || why === 'doubt');
  });

  it.each(TABLE)(
    '$gate yields to a change that has waited for its maxWait: $late',
    ({ input, late: yields }) => {
      const given = { ...PLAIN, ...input };
      const { recorded = ledgerWith() } = given;
      const late = { ...recorded, pendingSince: NOW / 1000 - 3600 };
      const overdue = { ...given, recorded: late, policy: { ...given.policy, maxWaitMs: 1000 } };
      expect(schedule(overdue).kind === 'now').toBe(yields);
    },
  );

  it.each(TABLE)('$gate lets go on what has begun: $begun', ({ input, begun }) => {
    expect(schedule({ ...PLAIN, ...input, begun: true }).kind === 'now').toBe(begun);
  });
});

describe('approval', () => {
  it('names the change, and the command to give it', () => {
    expect(schedule({ ...PLAIN, ...approvalOf() })).toMatchObject({
      why: 'approval',
      until: undefined,
      change: 'k3v9x2mqpa',
      message:
        'Waits for the approval of change k3v9x2mqpa: reloader approve deployment/web -n shop --change k3v9x2mqpa, or annotation reloader.stakater.com/approve: k3v9x2mqpa on the workload',
    });
  });

  it('is asked for only when changes have settled: each has another name', () => {
    const unsettled = { ...policy({ settleMs: 1000, settleMaxMs: 5000 }), ...approvalOf() };
    expect(schedule({ ...PLAIN, ...unsettled })).toMatchObject({ why: 'settling' });
    expect(schedule({ ...PLAIN, ...unsettled, now: NOW + 1000 })).toMatchObject({ why: 'approval' });
  });

  it('comes before what time opens, which is told beside it', () => {
    const both = { ...policy({ windows: windows('allow') }), ...approvalOf() };
    expect(schedule({ ...PLAIN, ...both })).toMatchObject({ why: 'approval', also: [{ why: 'window' }] });
  });

  it('of another change opens nothing, and is told', () => {
    expect(schedule({ ...PLAIN, ...approvalOf({ otherApproved: 'aaaaaaaaaa' }) })).toMatchObject({
      why: 'approval',
      warnings: [{ event: 'ApprovalForOtherChange', message: expect.stringContaining('"aaaaaaaaaa"') }],
    });
  });
});

describe('one of many doubts', () => {
  const held = schedule({ ...PLAIN, doubt: 'held' });

  it('names what releases all of them, and this one', () => {
    expect(held).toMatchObject({
      why: 'doubt',
      message: expect.stringMatching(/"reloader approve --doubts".*approve: k3v9x2mqpa this one/),
      warnings: [
        { condition: 'ManyDoubts', event: 'ManyDoubts', message: expect.stringContaining('Secret shop/db') },
      ],
    });
  });

  it('is released by an approval of this change, which leaves closed what else holds it', () => {
    const approved = { ...PLAIN.change, word: 'approved' as const };
    expect(schedule({ ...PLAIN, doubt: 'held', change: approved }).kind).toBe('now');
    const capped = { ...policy({ budgets: ONE_SLOT_TAKEN.budgets }), slots: ONE_SLOT_TAKEN.slots };
    expect(schedule({ ...PLAIN, ...capped, doubt: 'held', change: approved })).toMatchObject({
      why: 'capped',
    });
  });
});

it('names where the same content failed, and both ways out', () => {
  const more = { ...FAILURE, workload: 'Deployment/shop/jobs' };
  const later = schedule({ ...PLAIN, failures: [FAILURE, more] });
  expect(later).toMatchObject({
    why: 'failed-elsewhere',
    until: undefined,
    warnings: [{ condition: 'FailedElsewhere', event: 'FailedElsewhere' }],
  });
  expect(later.kind === 'later' && later.message).toBe(
    'This content of ConfigMap shop/settings failed on Deployment shop/api and 1 more (reload 3: pod api-1: container main: ' +
      'CrashLoopBackOff): newer content is rolled out, "reloader now deployment/web -n shop" rolls out this one',
  );
});

describe('a condition', () => {
  it('that is false names itself and the source, and is no warning', () => {
    const later = schedule({ ...PLAIN, unmet: [UNMET] });
    expect(later).toMatchObject({ why: 'condition', until: undefined });
    expect(later).not.toHaveProperty('warnings');
    expect(later.kind === 'later' && later.message).toBe(
      "Held while its condition is false (condition in ReloaderConfig shop/rules) for Secret shop/db: source.labels['env'] == 'prod'",
    );
  });

  it('that cannot be evaluated is a warning, whatever else is false', () => {
    const broken = { ...UNMET, problem: 'column 1: these types do not go together' };
    const later = schedule({ ...PLAIN, unmet: [UNMET, broken] });
    expect(later).toMatchObject({
      warnings: [{ condition: 'InvalidCondition', message: expect.stringContaining('do not go together') }],
    });
  });
});
