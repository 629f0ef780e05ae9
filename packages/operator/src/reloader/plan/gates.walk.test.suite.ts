/**
 * Random policies, clocks, user instructions, kills and refused writes over one workload: nothing is lost once the
 * gates open, nothing happens twice, and no reload is planned while a gate that applies is closed. The oracle
 * implements the override table independently of the product code.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseOf, type ParsedNote } from '../ledger/note.ts';
import { afterNote, afterPatch } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS, pausePeriodOf } from '../model/annotations.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { RateLimit } from '../model/rate.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import type { Action } from './action.ts';
import { type PlanInput, plan } from './plan.ts';

const SECRET = { kind: 'Secret', name: 'db' } as const;
const START = Date.UTC(2026, 10, 16);
const HOUR = 3_600_000;

interface Rules {
  /** Open from this hour of the day (UTC) for so many hours; undefined: always. */
  readonly allow: readonly [hour: number, hours: number] | undefined;
  readonly deny: readonly [hour: number, hours: number] | undefined;
  readonly maxWaitHours: number | undefined;
  readonly approval: boolean;
  readonly rate: RateLimit | undefined;
  readonly pauseMs: number;
  readonly batchMs: number;
  readonly settleMs: number;
  /** The source must have a label. */
  readonly condition: boolean;
  /** One rollout at a time in the cluster. */
  readonly cap: boolean;
}

/** Half of the walks have none: a gate that is always closed tests nothing. */
const HALF = { nil: undefined, freq: 2 };
const rarely = fc.constantFrom(true, false, false, false);
const hours = fc.option(fc.tuple(fc.constantFrom(0, 2, 12, 22), fc.constantFrom(1, 4, 20)), HALF);
const mixed: fc.Arbitrary<Rules> = fc.record({
  allow: hours,
  deny: hours,
  maxWaitHours: fc.option(fc.integer({ min: 1, max: 30 }), HALF),
  approval: rarely,
  rate: fc.option(fc.record({ perHour: fc.constantFrom(1, 2), burst: fc.constantFrom(1, 2) }), HALF),
  pauseMs: fc.constantFrom(0, 0, 600_000, 6 * HOUR),
  batchMs: fc.constantFrom(0, 0, 90_000, 2 * HOUR),
  settleMs: fc.constantFrom(0, 0, 1000, 120_000),
  condition: rarely,
  cap: rarely,
});

/** One gate alone: among many others, that one of them does not hold is seldom seen. */
const NONE: Rules = {
  allow: undefined,
  deny: undefined,
  maxWaitHours: undefined,
  approval: false,
  rate: undefined,
  pauseMs: 0,
  batchMs: 0,
  settleMs: 0,
  condition: false,
  cap: false,
};
const lone = fc.constantFrom<Rules>(
  { ...NONE, allow: [12, 1] },
  { ...NONE, allow: [12, 1], maxWaitHours: 3 },
  { ...NONE, deny: [0, 20] },
  { ...NONE, approval: true },
  { ...NONE, rate: { perHour: 1, burst: 1 } },
  { ...NONE, rate: { perHour: 2, burst: 2 } },
  { ...NONE, pauseMs: 6 * HOUR },
  { ...NONE, batchMs: 2 * HOUR },
  { ...NONE, settleMs: 120_000 },
  { ...NONE, condition: true },
  { ...NONE, cap: true },
);
const rules = fc.oneof({ weight: 2, arbitrary: mixed }, { weight: 1, arbitrary: lone });

const STEPS = [
  'edit',
  'pass',
  'refused',
  'crash',
  'approve',
  'now',
  'other',
  'freeze',
  'unfreeze',
  'label',
  'unlabel',
  'observe',
  'act',
  'busy',
  'free',
] as const;
type Step = (typeof STEPS)[number];
const history = fc.array(
  fc.tuple(
    fc.constantFrom<Step>(...STEPS, ...Array<Step>(8).fill('pass'), ...Array<Step>(6).fill('edit')),
    fc.constantFrom(1, 60, 600, 1800, 7200, 20_000),
  ),
  { maxLength: 30, size: 'max' },
);

const SETTLE_MAX_MS = 600_000;
const OPEN = { frozen: false, unlabelled: false, observing: false, busy: false };
const SWITCHES = {
  freeze: { frozen: true },
  unfreeze: { frozen: false },
  unlabel: { unlabelled: true },
  label: { unlabelled: false },
  observe: { observing: true },
  act: { observing: false },
  busy: { busy: true },
  free: { busy: false },
} as const;

class Walk {
  readonly #rules: Rules;
  now = START;
  #content = 0;
  #writtenAt = START;
  /** When the oldest change that is not rolled out was made. */
  #pendingSince: number | undefined;
  #words: Record<string, string> = {};
  #closed: Readonly<Record<'frozen' | 'unlabelled' | 'observing' | 'busy', boolean>> = OPEN;
  /** How many reloads the rate still allows. */
  #tokens: number;
  #ledger: string | undefined;
  #mark: string | undefined;
  #version = 1;
  #note: ParsedNote = { kind: 'absent' };
  #memory: PlanInput['memory'];
  #lastId = '';
  readonly reloads: { readonly at: number; readonly content: number; readonly byNow: boolean }[] = [];

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#tokens = rules.rate?.burst ?? 0;
    this.pass();
  }

  do(step: Step): void {
    switch (step) {
      case 'edit':
        this.#content += 1;
        this.#writtenAt = this.now;
        this.#pendingSince ??= this.now;
        return;
      case 'pass':
        this.pass();
        return;
      case 'refused':
        this.pass(true);
        return;
      case 'crash':
        this.#memory = undefined;
        return;
      case 'approve':
      case 'now':
        this.#words = { [FIXED_ANNOTATIONS[step]]: this.#lastId };
        return;
      case 'other':
        this.#words = { [FIXED_ANNOTATIONS.approve]: 'aaaaaaaaaa', [FIXED_ANNOTATIONS.now]: 'any' };
        return;
      default:
        this.#closed = { ...this.#closed, ...SWITCHES[step] };
    }
  }

  pass(refused = false): void {
    const input = this.#input();
    const { action, memory } = plan(input);
    this.#memory = memory;
    if (action.kind === 'record') this.#noteDown(action.ledger, action.verdict.base);
    if (action.kind === 'defer') {
      this.#lastId = action.later.change;
      if (action.ledger) this.#noteDown(action.ledger, action.verdict.base);
    }
    if (action.kind === 'reload') this.#reload(action, refused);
  }

  /** Users open all gates, and time passes. */
  openAll(): void {
    this.#closed = OPEN;
    for (let round = 0; round < 4 && this.#pendingSince !== undefined; round += 1) {
      this.now += 10_000;
      this.pass();
      this.#words = { [FIXED_ANNOTATIONS.now]: this.#lastId };
      this.pass();
    }
  }

  get isPending(): boolean {
    return this.#pendingSince !== undefined;
  }

  #reload(action: Extract<Action, { kind: 'reload' }>, refused: boolean): void {
    const { ledger, reload } = action;
    const byNow = FIXED_ANNOTATIONS.now in reload.usedWords;
    this.#mayReload(byNow, FIXED_ANNOTATIONS.approve in reload.usedWords);
    if (refused) return;
    this.#tokens = Math.max(0, this.#tokensNow() - 1);
    this.reloads.push({ at: this.now, content: this.#content, byNow });
    for (const name of Object.keys(reload.usedWords)) delete this.#words[name];
    this.#version += 1;
    this.#ledger = reload.ledgerAfter;
    this.#mark = reload.mark;
    this.#pendingSince = undefined;
    const base = baseOf(reload.ledgerAfter);
    if (this.#memory) this.#memory = afterPatch(this.#memory, ledger, base);
    this.#note = { kind: 'note', note: { record: ledger, base } };
  }

  /** The override table, implemented from the rules of this walk only. */
  #mayReload(byNow: boolean, approved: boolean): void {
    const { condition, cap, approval, deny } = this.#rules;
    expect(this.#closed.frozen, 'a reload while frozen').toBe(false);
    expect(this.#closed.observing, 'a reload in observe mode').toBe(false);
    if (condition) expect(this.#closed.unlabelled, 'a reload against its condition').toBe(false);
    expect(this.#pendingSince, 'a reload without a change').toBeDefined();
    if (byNow) return;
    if (cap) expect(this.#closed.busy, 'a reload without a slot').toBe(false);
    if (approval) expect(approved, 'a reload without approval').toBe(true);
    if (deny) expect(isInside(deny, this.now), 'a reload in a denying window').toBe(false);
    this.#mayReloadBy(this.#pendingSince ?? this.now);
  }

  /** Gates that open by time. Records are to the second, so one second of difference is allowed. */
  #mayReloadBy(since: number): void {
    const { allow, maxWaitHours, rate, pauseMs, batchMs, settleMs } = this.#rules;
    const has = (ms: number, from: number): boolean => this.now + 1000 >= from + ms;
    if (allow && !(maxWaitHours !== undefined && has(maxWaitHours * HOUR, since))) {
      expect(isInside(allow, this.now), 'a reload outside of its window').toBe(true);
    }
    const last = this.reloads.at(-1)?.at;
    if (last !== undefined) expect(has(pauseMs, last), 'a reload within its pause').toBe(true);
    expect(has(batchMs, since), 'a reload before all changes were collected').toBe(true);
    const isSettled = has(settleMs, this.#writtenAt) || has(SETTLE_MAX_MS, since);
    expect(isSettled, 'a reload while it settles').toBe(true);
    if (rate) expect(this.#tokensNow() + 0.001, 'a reload too many').toBeGreaterThanOrEqual(1);
  }

  /** With a token bucket, which the product code does not use. */
  #tokensNow(): number {
    const { perHour, burst } = this.#rules.rate ?? { perHour: 0, burst: 0 };
    const since = this.now - (this.reloads.at(-1)?.at ?? this.now);
    return Math.min(burst, this.#tokens + (since / HOUR) * perHour);
  }

  #noteDown(record: Parameters<typeof afterNote>[1], base: string): void {
    this.#note = { kind: 'note', note: { record, base } };
    if (this.#memory) this.#memory = afterNote(this.#memory, record, base);
  }

  #input(): PlanInput {
    const annotations = {
      'reloader.stakater.com/auto': 'true',
      ...windowsText(this.#rules),
      ...(this.#rules.approval && { [FIXED_ANNOTATIONS.approval]: 'required' }),
      ...(this.#closed.frozen && { [FIXED_ANNOTATIONS.freeze]: 'true' }),
      ...waitsText(this.#rules),
      ...(this.#ledger !== undefined && { [FIXED_ANNOTATIONS.ledger]: this.#ledger }),
      ...this.#words,
    };
    const templateAnnotations: Record<string, string> =
      this.#mark === undefined ? {} : { [FIXED_ANNOTATIONS.rolled]: this.#mark };
    const podSpec = usingPodSpec(SECRET);
    // On a Deployment the annotation means Stakater's pause, which holds no reload.
    const plain = workloadFacts({ kind: 'StatefulSet', annotations, templateAnnotations, podSpec });
    const workload = { ...plain, metadata: { ...plain.metadata, resourceVersion: String(this.#version) } };
    const digest = String(this.#content).padStart(22, 'd');
    const labels: Record<string, string> = this.#closed.unlabelled ? {} : { go: '' };
    const source = sourceFacts({ ...SECRET, digest, labels, writtenAt: Math.floor(this.#writtenAt / 1000) });
    const started = (this.reloads.at(-1)?.at ?? START - HOUR) / 1000;
    return {
      workload,
      world: fakeWorld({ sources: [source], workloads: [workload], namespaces: [namespaceFacts()] }),
      settings: defaultSettings({
        settleMs: 0,
        settleMaxMs: SETTLE_MAX_MS,
        reloadRate: this.#rules.rate,
        maxUnfinishedRollouts: this.#rules.cap ? 1 : 0,
        mode: this.#closed.observing ? 'observe' : 'reload',
      }),
      install: { at: START / 1000 + 1, keyId: 'key1' },
      note: this.#note,
      memory: this.#memory,
      pods: { readSince: [Math.floor(started)] },
      slots: () => ({ ...NO_SLOTS, running: this.#closed.busy ? ['Deployment/lab/other'] : [] }),
      following: undefined,
      now: this.now,
    };
  }
}

function windowsText({ allow, deny, maxWaitHours }: Rules): Record<string, string> {
  const windows = [
    ...(allow ? [{ kind: 'allow', schedule: `0 ${allow[0]} * * *`, duration: `${allow[1]}h` }] : []),
    ...(deny ? [{ kind: 'deny', schedule: `0 ${deny[0]} * * *`, duration: `${deny[1]}h` }] : []),
  ];
  return {
    ...(windows.length > 0 && { [FIXED_ANNOTATIONS.syncWindows]: JSON.stringify(windows) }),
    ...(maxWaitHours !== undefined && { [FIXED_ANNOTATIONS.maxWait]: `${maxWaitHours}h` }),
  };
}

function waitsText({ pauseMs, batchMs, settleMs, condition }: Rules): Record<string, string> {
  return {
    ...(pauseMs > 0 && { [pausePeriodOf('StatefulSet')]: `${pauseMs}ms` }),
    ...(batchMs > 0 && { [FIXED_ANNOTATIONS.batchWindow]: `${batchMs}ms` }),
    ...(settleMs > 0 && { [FIXED_ANNOTATIONS.settle]: `${settleMs}ms` }),
    ...(condition && { [FIXED_ANNOTATIONS.condition]: "'go' in source.labels" }),
  };
}

/** By the hours of the day. */
function isInside([hour, length]: readonly [number, number], now: number): boolean {
  const since = (((now / HOUR) % 24) - hour + 24) % 24;
  return since < length;
}

function isNeverOpen({ allow, deny }: Rules): boolean {
  if (!allow || !deny) return false;
  const opens = Array.from({ length: 24 }, (_, hour) => hour * HOUR);
  return opens.every((moment) => !isInside(allow, moment) || isInside(deny, moment));
}

/** A walk takes milliseconds, on a busy machine much longer. */
const LONGEST_MS = 3_600_000;

/** `runs` walks. */
export function gateWalks(runs: number): void {
  describe('random policies, clocks, instructions and kills', () => {
    it(
      'plan no reload while a gate is closed, lose none and make none twice',
      () => {
        fc.assert(
          fc.property(rules, history, (given, steps) => {
            const walk = new Walk(given);
            let edits = 0;
            for (const [step, seconds] of steps) {
              walk.now += seconds * 1000;
              walk.do(step);
              if (step === 'edit') edits += 1;
            }
            walk.openAll();
            // Windows that never open together are a configuration error, which no instruction overrides.
            if (!isNeverOpen(given)) expect(walk.isPending, 'lost').toBe(false);
            expect(walk.reloads.length).toBeLessThanOrEqual(edits);
            const contents = walk.reloads.map(({ content }) => content);
            expect(new Set(contents).size, 'the same content twice').toBe(contents.length);
          }),
          { numRuns: runs },
        );
      },
      LONGEST_MS,
    );
  });
}
