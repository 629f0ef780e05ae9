/**
 * V8 settings for a process that is mostly idle. The image passes them to Node on its command line; the `reloader`
 * command sets the missing ones at run time, so that both need the same memory.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * The first list of a large cluster is garbage as soon as it is hashed. The heap grows in small steps; otherwise it
 * would keep its peak size for as long as the process lives.
 */
const SMALL_STEPS = '--heap-growing-percent=15';
/** V8 reads the limit of the young generation before any of our code runs. Its growth can be stopped later. */
const YOUNG_GENERATION_STAYS = '--semi-space-growth-factor=1';
/** As in the Dockerfile. Since V8 13: earlier versions have one optimising compiler, and delaying it saves little. */
const LATE_COMPILERS = [
  '--no-maglev',
  '--invocation-count-for-turbofan=30000',
  '--invocation-count-for-osr=5000',
];
const LATE_COMPILERS_SINCE = 13;

/** `given`: the options that Node was started with, including the environment's. Settings of a user are not changed. */
export function engineFlags(v8: string, given: readonly string[]): readonly string[] {
  const compilers = Number.parseInt(v8, 10) < LATE_COMPILERS_SINCE ? [] : LATE_COMPILERS;
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
}

/** `maglev` of `--no-maglev`, which a user may also write the other way round. */
function nameOf(flag: string): string {
  return flag.replace(/^--(no-)?/, '').replace(/=.*/, '');
}
