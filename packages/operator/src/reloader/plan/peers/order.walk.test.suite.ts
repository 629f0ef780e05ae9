/**
 * Random changes, outcomes, freezes, labels and kills over workloads with waves, a canary and a condition: no workload
 * begins before its turn, nothing is lost once users open what they closed, and nothing happens twice. The oracle
 * implements the rules independently of the product code.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { Fleet, type FleetOptions } from './fleet.test.support.ts';

const NAMES: readonly string[] = ['a', 'b', 'c', 'd', 'e', 'f'];
const BAKE_MS = 3_600_000;
const HALF = { percent: 50 };

interface Rules {
  readonly waves: readonly number[];
  readonly canary: boolean;
  readonly condition: boolean;
}

const rules: fc.Arbitrary<Rules> = fc.record({
  waves: fc.array(fc.constantFrom(-1, 0, 0, 3), { minLength: NAMES.length, maxLength: NAMES.length }),
  canary: fc.boolean(),
  condition: fc.boolean(),
});

const STEPS = [
  'change',
  'pass',
  'pass',
  'passes',
  'ok',
  'ok',
  'failed',
  'crash',
  'freeze',
  'unfreeze',
  'label',
] as const;
type Step = (typeof STEPS)[number];
const history = fc.array(
  fc.tuple(fc.constantFrom<Step>(...STEPS), fc.constantFrom(...NAMES), fc.constantFrom(0, 60, 1800, 7200)),
  { maxLength: 40, size: 'max' },
);

class OrderWalk {
  readonly #rules: Rules;
  readonly #fleet: Fleet;
  readonly #frozen = new Set<string>();
  /** Milliseconds since the epoch: when each workload succeeded with the current content. */
  readonly #proven = new Map<string, number>();
  /** All members had the content before the current one, so no step was reached before. */
  #isClean = true;

  constructor(rules: Rules) {
    this.#rules = rules;
    const options: FleetOptions = {
      waves: Object.fromEntries(NAMES.map((name, index) => [name, rules.waves[index] ?? 0])),
      ...(rules.canary && { canary: { steps: [{ count: 1 }, HALF], bakeMs: BAKE_MS } }),
      ...(rules.condition && { condition: "'go' in source.labels" }),
    };
    this.#fleet = new Fleet(options);
  }

  do(step: Step, name: string, seconds: number): void {
    this.#fleet.now += seconds * 1000;
    if (step === 'change') this.#change();
    else if (step === 'pass') this.#pass(name);
    else if (step === 'passes') for (const each of NAMES) this.#pass(each);
    else if (step === 'ok' || step === 'failed') this.#end(name, step);
    else if (step === 'crash') this.#fleet.crash();
    else if (step === 'label') this.#fleet.labels = Object.hasOwn(this.#fleet.labels, 'go') ? {} : { go: '' };
    else this.#freeze(name, step === 'freeze');
  }

  /** Users open what they closed and repair what failed, and time passes. */
  openAll(): void {
    for (const name of NAMES) this.#freeze(name, false);
    this.#fleet.labels = { go: '' };
    this.#change();
    for (let round = 0; round < 4 * NAMES.length && this.#missing().length > 0; round += 1) {
      for (const name of NAMES) this.#pass(name);
      for (const name of NAMES) this.#end(name, 'ok');
      this.#fleet.now += BAKE_MS;
    }
    expect(this.#missing(), 'lost').toEqual([]);
    for (const name of NAMES) {
      const contents = this.#fleet.reloads(name);
      expect(new Set(contents).size, 'the same content twice').toBe(contents.length);
    }
  }

  #missing(): readonly string[] {
    return NAMES.filter((name) => !this.#has(name));
  }

  #has(name: string): boolean {
    return this.#fleet.reloads(name).at(-1) === this.#fleet.content;
  }

  #change(): void {
    this.#isClean = this.#fleet.content === 0 || NAMES.every((name) => this.#has(name));
    this.#fleet.change();
    this.#proven.clear();
  }

  #freeze(name: string, frozen: boolean): void {
    if (frozen) this.#frozen.add(name);
    else this.#frozen.delete(name);
    this.#fleet.annotate(name, frozen ? { [FIXED_ANNOTATIONS.freeze]: 'true' } : {});
  }

  #end(name: string, result: 'ok' | 'failed'): void {
    if (this.#fleet.outcome(name) !== 'open') return;
    this.#fleet.end(name, result);
    // The outcome is noted to the second.
    const at = Math.floor(this.#fleet.now / 1000) * 1000;
    if (result === 'ok' && this.#has(name)) this.#proven.set(name, at);
  }

  #pass(name: string): void {
    const before = NAMES.filter((each) => this.#has(each));
    if (this.#fleet.pass(name).kind === 'reload') this.#mayBegin(name, before);
  }

  #mayBegin(name: string, before: readonly string[]): void {
    expect(before, 'the same content twice').not.toContain(name);
    expect(this.#frozen.has(name), 'a reload while frozen').toBe(false);
    if (this.#rules.condition)
      expect(this.#fleet.labels, 'a reload against its condition').toHaveProperty('go');
    const wave = this.#waveOf(name);
    for (const other of NAMES.filter((each) => this.#waveOf(each) < wave)) {
      const isThrough = this.#has(other) && this.#proven.has(other);
      expect(isThrough || (this.#frozen.has(other) && !this.#has(other)), `${name} before ${other}`).toBe(
        true,
      );
    }
    if (this.#rules.canary) this.#maySpread(name, before);
  }

  #maySpread(name: string, before: readonly string[]): void {
    const peers = NAMES.filter((each) => this.#waveOf(each) === this.#waveOf(name));
    const begun = peers.filter((each) => before.includes(each)).length + 1;
    const proven = peers.flatMap((each) => this.#proven.get(each) ?? []).sort((a, b) => a - b);
    const sizes = [1, Math.ceil(peers.length / 2)];
    const isOver = (size: number): boolean =>
      (proven[size - 1] ?? Number.POSITIVE_INFINITY) + BAKE_MS <= this.#fleet.now;
    const steps = this.#isClean ? sizes : sizes.slice(0, 1);
    const open = steps.find((size) => !isOver(size));
    if (open !== undefined) expect(begun, 'more than the step allows').toBeLessThanOrEqual(open);
  }

  #waveOf(name: string): number {
    return this.#rules.waves[NAMES.indexOf(name)] ?? 0;
  }
}

/** A walk takes milliseconds, on a busy machine much longer. */
const LONGEST_MS = 3_600_000;

/** `runs` walks. */
export function orderWalks(runs: number): void {
  describe('random changes, outcomes, freezes, labels and kills', () => {
    it(
      'let no workload begin before its turn, lose nothing and do nothing twice',
      () => {
        fc.assert(
          fc.property(rules, history, (given, steps) => {
            const walk = new OrderWalk(given);
            for (const [step, name, seconds] of steps) walk.do(step, name, seconds);
            walk.openAll();
          }),
          { numRuns: runs },
        );
      },
      LONGEST_MS,
    );
  });
}
