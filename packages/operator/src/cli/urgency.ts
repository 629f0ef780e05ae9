/** The order in which workloads are listed: first those that need a person, last those in order. */
import type { WorkloadLine } from '../api/shapes.ts';

export function isFailing({ rolloutFailed, lastError }: WorkloadLine): boolean {
  return rolloutFailed !== undefined || lastError !== undefined;
}

/** 0 is the most urgent. A wait with a known end resolves itself; one without may need a person. */
function urgencyOf(line: WorkloadLine): number {
  if (isFailing(line)) return 0;
  if (line.problems > 0) return 1;
  if (line.pending) return line.pending.until === undefined ? 2 : 3;
  return line.frozen ? 4 : 5;
}

/** Stable: equals keep their order. */
export function byUrgency(lines: readonly WorkloadLine[]): WorkloadLine[] {
  return [...lines].sort((a, b) => urgencyOf(a) - urgencyOf(b));
}
