// A test runner for Stryker. It collects the tests with Vitest's own collector and runs them in this process.
//
// Stryker's runner for Vitest starts a thread and imports every file again for each mutant: 1.2 seconds of processor
// time, nearly all of it before the first test. Here each mutant gets freshly evaluated modules as well, from one script
// that is compiled once. That suffices for tests that need only `describe`, `it` and `expect`: the dry run refuses hooks.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Script } from 'node:vm';
import { PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { collectTests, getFn, getHooks } from '@vitest/runner';
import fc from 'fast-check';
import { DURATIONS, OUTSIDE, OUTSIDE_NAMES, SCRIPT } from './places.mjs';

/** The object through which instrumented code learns the active mutant and tells which mutants a test reached. */
const instrumented = {};
globalThis.__stryker__ = instrumented;

// Mutants that survive run every property: with all its runs, two of four seconds.
process.env.PROPERTY_RUNS = '50';

/** The part of Vitest's configuration that its collector reads. */
const collector = {
  config: {
    root: process.cwd(),
    name: '',
    sequence: { shuffle: false },
    setupFiles: [],
    tags: [],
    testTimeout: 60_000,
    allowOnly: false,
  },
  trace: (_name, _attributes, work) => work(),
};

function allTests(suite) {
  const hooks = Object.values(getHooks(suite) ?? {}).flat();
  if (hooks.length > 0) throw new Error(`${suite.name} has hooks, which this runner does not call`);
  return suite.tasks.flatMap((task) => (task.type === 'test' ? [task] : allTests(task)));
}

function fullName(task) {
  return task.suite ? `${fullName(task.suite)} ${task.name}`.trim() : task.name;
}

/** Numbers tests of one file that have the same name, since Stryker keeps results by id. */
function identify(file, tests) {
  const met = new Map();
  return tests.map((test) => {
    const name = fullName(test);
    const count = (met.get(name) ?? 0) + 1;
    met.set(name, count);
    return {
      id: `${file}#${name}${count > 1 ? ` (${count})` : ''}`,
      name,
      fileName: resolve(file),
      run: getFn(test),
    };
  });
}

class LoadError extends Error {
  constructor(file, reason) {
    super(`${file}: ${reason}`);
    this.file = file;
  }
}

class InProcessRunner {
  #script;
  #durations;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const names = JSON.parse(readFileSync(OUTSIDE_NAMES, 'utf8'));
    const modules = await Promise.all(names.map(async (name) => [name, await import(name)]));
    globalThis[OUTSIDE] = Object.fromEntries(modules);
    this.#script = new Script(readFileSync(SCRIPT, 'utf8'), { filename: resolve(SCRIPT) });
    // The same inputs for each mutant: otherwise a mutant could survive in one run and be found in the next.
    fc.configureGlobal({ seed: 1 });
  }

  async dryRun() {
    instrumented.activeMutant = undefined;
    instrumented.mutantCoverage = { static: {}, perTest: {} };
    const results = [];
    for (const test of await this.#collect()) {
      instrumented.currentTestId = test.id;
      results.push(await runTest(test));
      instrumented.currentTestId = undefined;
    }
    writeFileSync(
      DURATIONS,
      JSON.stringify(Object.fromEntries(results.map(({ id, timeSpentMs }) => [id, timeSpentMs]))),
    );
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: instrumented.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit, disableBail }) {
    this.#durations ??= JSON.parse(readFileSync(DURATIONS, 'utf8'));
    instrumented.hitCount = 0;
    instrumented.hitLimit = hitLimit;
    instrumented.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
    const files = testFilter && new Set(testFilter.map((id) => id.slice(0, id.indexOf('#'))));
    let tests;
    try {
      tests = await this.#collect(files);
    } catch (error) {
      return this.#foundWhileLoading(error);
    }
    const chosen = testFilter && new Set(testFilter);
    if (chosen) tests = tests.filter(({ id }) => chosen.has(id));
    instrumented.activeMutant = activeMutant.id;
    const results = [];
    for (const test of this.#quickestFirst(tests)) {
      const result = await runTest(test);
      results.push(result);
      if (result.status === TestStatus.Failed && !disableBail) break;
    }
    instrumented.activeMutant = undefined;
    const limited = determineHitLimitReached(instrumented.hitCount, hitLimit);
    return toMutantRunResult(limited ?? { status: DryRunStatus.Complete, tests: results });
  }

  /** Evaluates all modules that these files import, and collects the tests of the files. */
  async #collect(files) {
    const importers = this.#script.runInThisContext();
    const wanted = Object.keys(importers).filter((file) => !files || files.has(file));
    const collected = await collectTests(
      wanted.map((file) => resolve(file)),
      { ...collector, importFile: (path) => importers[wanted.find((file) => resolve(file) === path)]() },
    );
    return collected.flatMap((file, index) => {
      if (file.result?.state === 'fail') throw new LoadError(wanted[index], file.result.errors?.[0]?.stack);
      return identify(wanted[index], allTests(file));
    });
  }

  /** With the mutant a file of tests cannot even be loaded: `npm test` would fail, so the mutant is found. */
  #foundWhileLoading(error) {
    if (!(error instanceof LoadError)) throw error;
    const id = Object.keys(this.#durations).find((known) => known.startsWith(`${error.file}#`));
    return { status: MutantRunStatus.Killed, failureMessage: error.message, killedBy: [id], nrOfTests: 1 };
  }

  /** Most mutants are found by the first tests that reach them, so the slow ones rarely run. */
  #quickestFirst(tests) {
    const durationOf = ({ id }) => this.#durations[id] ?? 0;
    return tests.sort((a, b) => durationOf(a) - durationOf(b));
  }
}

async function runTest({ id, name, fileName, run }) {
  const begun = performance.now();
  const result = (status) => ({ id, name, fileName, status, timeSpentMs: performance.now() - begun });
  try {
    await run();
    return result(TestStatus.Success);
  } catch (error) {
    return {
      ...result(TestStatus.Failed),
      failureMessage: error instanceof Error ? error.message : String(error),
    };
  }
}

export const strykerPlugins = [
  { kind: PluginKind.TestRunner, name: 'in-process', injectableClass: InProcessRunner },
];
