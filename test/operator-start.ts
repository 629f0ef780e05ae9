/**
 * How the image starts the operator, for whoever starts it as a process: tests and benchmarks. The Dockerfile says the
 * same for the Node that it brings; a test compares the two.
 *
 * For a process that mostly waits: a small young generation, one malloc arena for all threads, and code that is compiled
 * to the last only where it stays hot. A compiler that is busy at the start costs more memory than all that the operator
 * knows of a cluster; reloading a thousand workloads takes as long without it. Engines before V8 13 count time spent in a
 * function, later ones count calls.
 */
import { execFileSync } from 'node:child_process';

export const IMAGE_ENVIRONMENT = { MALLOC_ARENA_MAX: '1' } as const;

const YOUNG_GENERATION = '--max-semi-space-size=1';
const BY_TIME = ['--interrupt-budget=300000'];
const BY_CALLS = ['--no-maglev', '--invocation-count-for-turbofan=30000', '--invocation-count-for-osr=5000'];

export function imageFlags(node: string = process.execPath): string[] {
  const version =
    node === process.execPath
      ? process.versions.v8
      : execFileSync(node, ['-p', 'process.versions.v8'], { encoding: 'utf8' });
  return [YOUNG_GENERATION, ...(Number.parseInt(version, 10) < 13 ? BY_TIME : BY_CALLS)];
}

/** Of the Node line in the image. */
export const DOCKERFILE_FLAGS = [YOUNG_GENERATION, ...BY_CALLS];
