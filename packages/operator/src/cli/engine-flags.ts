/**
 * Settings of V8 for a process that mostly waits. The image gives them to Node on its command line; the `reloader` command
 * sets at run time what is missing there, so that both need the same memory.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * The first list of a large cluster is garbage as soon as it is hashed: let the heap grow in small steps, or it keeps the
 * size of that moment for as long as the process lives.
 */
const SMALL_STEPS = '--heap-growing-percent=15';
/** The limit of the young generation is read once, before any of our code runs. Its growth can be stopped later. */
const YOUNG_GENERATION_STAYS = '--semi-space-growth-factor=1';
/** As in the Dockerfile. Since V8 13: earlier ones have one optimising compiler, and waiting for it saves little. */
const LATE_COMPILERS = [
  '--no-maglev',
  '--invocation-count-for-turbofan=30000',
  '--invocation-count-for-osr=5000',
];
const LATE_COMPILERS_SINCE = 13;

/** `given`: what Node was started with, options of the environment included. Settings of a user are left alone. */
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
