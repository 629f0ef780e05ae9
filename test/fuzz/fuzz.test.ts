/** A few thousand inputs for all code that parses input of others; `npm run test:fuzz` is the long form. */
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { CORPUS, keptFor } from './corpus.ts';
import { COUNTERS, countersOf, instrumented, useCounters } from './coverage.ts';
import { FuzzError, fuzz } from './engine.ts';
import { must, type Target } from './target.ts';
import { TARGETS } from './targets/index.ts';

const RUNS = 3_000;

describe.each(TARGETS.map((target) => [target.name, target] as const))('%s', (_, target) => {
  const { cases, inputs } = keptFor(target, CORPUS);

  test('inputs that once broke something no longer do', () => {
    for (const input of cases) target.run(input);
  });

  test('no input crashes it, breaks a rule or keeps it for more than 50 ms', { timeout: 120_000 }, () => {
    const seed = Number(process.env.SEED ?? 1);
    const corpus = [...cases, ...inputs];
    const { runs } = fuzz(target, { runs: RUNS, seed, corpus });
    expect(runs).toBe(RUNS);
  });
});

describe('the fuzzer itself', () => {
  /** Can be solved only step by step: each letter is a branch of its own. */
  const MAZE = `globalThis.__maze = (input) => {
    if (input[0] === 'z') if (input[1] === 'a') if (input[2] === '9') if (input[3] === '!') throw new Error('the end');
  };`;
  const mazeOf = (code: string): Target => {
    runInThisContext(`{${code}}`);
    const { __maze } = globalThis as unknown as { __maze: Target['run'] };
    return { name: 'maze', code: [], longest: 8, words: [], seeds: ['x'], run: __maze };
  };
  const options = { runs: 60_000, seed: 1 };

  test('finds the case with coverage, and not without', () => {
    countersOf();
    let count = 0;
    const code = instrumented(MAZE, () => count++);
    useCounters(count);
    expect(() => fuzz(mazeOf(code), options)).toThrow('the end');
    expect(fuzz(mazeOf(MAZE), options)).toMatchObject({ found: [], branches: 0 });
  });

  test('names an input that takes too long, and one that breaks a rule', { timeout: 120_000 }, () => {
    const slow: Target = { ...mazeOf(MAZE), run: (input) => (input.includes('z') ? spin(60) : undefined) };
    expect(() => fuzz(slow, options)).toThrow(/it took \d+ ms, 50 are allowed\ninput: ".*z/s);
    const wrong: Target = { ...slow, run: (input) => must(!input.includes('z'), 'no z') };
    expect(() => fuzz(wrong, options)).toThrow(FuzzError);
  });

  test('puts counters into every branch, and changes nothing else', () => {
    const code = `globalThis.__f = (x) => { if (x > 1) return x ? 'many' : 'no'; else x ||= 0; switch (x) { case 1: return 'one'; default: } for (const y of [x]) y; const { z = () => ({ w: x && 1 }) } = {}; return z().w ?? 'none'; };`;
    let count = 0;
    const counted = instrumented(code, () => count++);
    const { __f: before } = evaluated(code);
    const results = [0, 1, 2, undefined].map((x) => before(x));
    const { __f: after } = evaluated(counted);
    expect([0, 1, 2, undefined].map((x) => after(x))).toEqual(results);
    expect(count).toBeGreaterThan(8);
    expect((globalThis as Record<string, unknown>)[COUNTERS]).toBe(countersOf());
  });
});

function evaluated(code: string): { readonly __f: (x: unknown) => unknown } {
  runInThisContext(`{${code}}`);
  const { __f } = globalThis as unknown as { __f: (x: unknown) => unknown };
  return { __f };
}

/** Uses this many milliseconds of processor time. */
function spin(ms: number): void {
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < ms * 1000);
}
