/**
 * V8 settings for a process that is mostly idle. The image passes them to Node on its command line; the `reloader`
 * command sets the missing ones at run time, so that both need the same memory.
 */
import { setFlagsFromString } from 'node:v8';
import { SMALL_STEPS, useSteps } from '../heap-steps.ts';

/** V8 reads the limit of the young generation before any of our code runs. Its growth can be stopped later. */
const YOUNG_GENERATION_STAYS = '--semi-space-growth-factor=1';
/**
 * Code is compiled to the last only where it stays hot. A reload runs through eight hundred functions, and compiling them
 * all in the first minutes takes a fifth of the processor time and ten megabytes. Since V8 12 (Node 22) as in the
 * Dockerfile; earlier versions count differently, and a flag that V8 does not know is an error on the terminal.
 */
const LATE_COMPILERS = [
  '--no-maglev',
  '--invocation-count-for-turbofan=30000',
  '--invocation-count-for-osr=5000',
];
const LATE_COMPILERS_SINCE = 12;
const LATE_COMPILER_BEFORE = ['--interrupt-budget=500000'];

/** `given`: the options that Node was started with, including the environment's. Settings of a user are not changed. */
export function engineFlags(v8: string, given: readonly string[]): readonly string[] {
  const isOlder = Number.parseInt(v8, 10) < LATE_COMPILERS_SINCE;
  const compilers = isOlder ? LATE_COMPILER_BEFORE : LATE_COMPILERS;
  const isGiven = (name: string): boolean => given.some((flag) => nameOf(flag.replaceAll('_', '-')) === name);
  return [
    SMALL_STEPS,
    ...(isGiven('max-semi-space-size') ? [] : [YOUNG_GENERATION_STAYS]),
    ...compilers.filter((flag) => !isGiven(nameOf(flag))),
  ];
}

export function setEngineFlags({ execArgv, env, versions }: NodeJS.Process = process): void {
  const given = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)];
  for (const flag of engineFlags(versions.v8, given)) setFlagsFromString(flag);
  useSteps();
}

/** `maglev` of `--no-maglev`, which a user may also write the other way round. */
function nameOf(flag: string): string {
  return flag.replace(/^--(no-)?/, '').replace(/=.*/, '');
}
