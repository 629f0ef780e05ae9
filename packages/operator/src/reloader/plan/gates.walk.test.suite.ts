/**
 * Random policies, clocks, words of people, kills and refused writes over one workload: nothing is lost once the gates
 * open, nothing happens twice, and no reload is planned while a gate that counts is closed, by an oracle that knows the
 * override table and nothing of the code.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseOf, type ParsedNote } from '../ledger/note.ts';
import { afterNote, afterPatch } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
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
}

const hours = fc.option(fc.tuple(fc.constantFrom(0, 2, 12, 22), fc.constantFrom(1, 4, 20)), {
  nil: undefined,
});
const rules: fc.Arbitrary<Rules> = fc.record({
  allow: hours,
  deny: hours,
  maxWaitHours: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  approval: fc.boolean(),
  rate: fc.option(fc.record({ perHour: fc.constantFrom(1, 2), burst: fc.constantFrom(1, 2) }), {
    nil: undefined,
  }),
});

type Step = 'edit' | 'pass' | 'refused' | 'crash' | 'approve' | 'now' | 'other' | 'freeze' | 'unfreeze';
const STEPS: readonly Step[] = [
  'edit',
  'pass',
  'refused',
  'crash',
  'approve',
  'now',
  'other',
  'freeze',
  'unfreeze',
];
const history = fc.array(
  fc.tuple(fc.constantFrom(...STEPS, 'pass', 'edit'), fc.constantFrom(1, 60, 1800, 7200, 20_000)),
  { maxLength: 20, size: 'max' },
);

class Walk {
  readonly #rules: Rules;
  now = START;
  #content = 0;
  #writtenAt = START;
  /** Of the oldest change that is not rolled out. */
  #pendingSince: number | undefined;
  #words: Record<string, string> = {};
  frozen = false;
  #ledger: string | undefined;
  #mark: string | undefined;
  #version = 1;
  #note: ParsedNote = { kind: 'absent' };
  #memory: PlanInput['memory'];
  #lastId = '';
  readonly reloads: { readonly at: number; readonly content: number; readonly byNow: boolean }[] = [];

  constructor(rules: Rules) {
    this.#rules = rules;
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
        this.frozen = step === 'freeze';
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

  /** People open everything, and time passes. */
  openAll(): void {
    this.frozen = false;
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

  /** The override table, by the rules of this walk alone. */
  #mayReload(byNow: boolean, approved: boolean): void {
    expect(this.frozen, 'a reload while frozen').toBe(false);
    expect(this.#pendingSince, 'a reload without a change').toBeDefined();
    if (byNow) return;
    const { allow, deny, maxWaitHours, approval } = this.#rules;
    const waited = this.now - (this.#pendingSince ?? this.now);
    const isLate = maxWaitHours !== undefined && waited >= maxWaitHours * HOUR;
    if (approval) expect(approved, 'a reload without approval').toBe(true);
    if (deny) expect(isInside(deny, this.now), 'a reload in a denying window').toBe(false);
    // The record knows the second in which it began to wait, and so a second more or less.
    const isAlmostLate = maxWaitHours !== undefined && waited + 1000 >= maxWaitHours * HOUR;
    if (allow && !isLate && !isAlmostLate) {
      expect(isInside(allow, this.now), 'a reload outside of its window').toBe(true);
    }
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
      ...(this.frozen && { [FIXED_ANNOTATIONS.freeze]: 'true' }),
      ...(this.#ledger !== undefined && { [FIXED_ANNOTATIONS.ledger]: this.#ledger }),
      ...this.#words,
    };
    const templateAnnotations: Record<string, string> =
      this.#mark === undefined ? {} : { [FIXED_ANNOTATIONS.rolled]: this.#mark };
    const plain = workloadFacts({ annotations, templateAnnotations, podSpec: usingPodSpec(SECRET) });
    const workload = { ...plain, metadata: { ...plain.metadata, resourceVersion: String(this.#version) } };
    const digest = String(this.#content).padStart(22, 'd');
    const source = sourceFacts({ ...SECRET, digest, writtenAt: Math.floor(this.#writtenAt / 1000) });
    const started = (this.reloads.at(-1)?.at ?? START - HOUR) / 1000;
    return {
      workload,
      world: fakeWorld({ sources: [source], workloads: [workload], namespaces: [namespaceFacts()] }),
      settings: defaultSettings({ settleMs: 0, reloadRate: this.#rules.rate }),
      install: { at: START / 1000 + 1, keyId: 'key1' },
      note: this.#note,
      memory: this.#memory,
      pods: { readSince: [Math.floor(started)] },
      slots: () => NO_SLOTS,
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

/** Of a walk it takes milliseconds, on a busy machine many. */
const LONGEST_MS = 3_600_000;

/** `runs` walks. */
export function gateWalks(runs: number): void {
  describe('random policies, clocks, words and kills', () => {
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
            // Windows that never meet are a mistake that no word passes.
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
