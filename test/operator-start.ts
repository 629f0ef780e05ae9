/**
 * How the image starts the operator, for tests and benchmarks that start it as a process. The Dockerfile says the
 * same for the Node that it brings; a test compares the two.
 *
 * For a process that mostly waits: a small young generation, one malloc arena for all threads, and code that is compiled
 * to the last only where it stays hot. A compiler that is busy at the start costs more memory than all that the operator
 * knows of a cluster, and reloading a thousand workloads takes as long without it. V8 12 and later have two of them.
 */
import { execFileSync } from 'node:child_process';

export const IMAGE_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' } as const;

const YOUNG_GENERATION = '--max-semi-space-size=1';
const LATE_COMPILERS = [
  '--no-maglev',
  '--invocation-count-for-turbofan=30000',
  '--invocation-count-for-osr=5000',
];

/** Of the Node line in the image. */
export const DOCKERFILE_FLAGS: readonly string[] = [YOUNG_GENERATION, ...LATE_COMPILERS];

/** The same for Node 20, whose V8 counts in another way. */
export const OLDER_FLAGS: readonly string[] = [YOUNG_GENERATION, '--interrupt-budget=500000'];

export function imageFlags(node: string = process.execPath): readonly string[] {
  const version =
    node === process.execPath
      ? process.versions.v8
      : execFileSync(node, ['-p', 'process.versions.v8'], { encoding: 'utf8' });
  return Number.parseInt(version, 10) < 12 ? OLDER_FLAGS : DOCKERFILE_FLAGS;
}
