/** The order in which workloads are listed: first what needs a person, last what is as it should be. */
import type { WorkloadLine } from '../api/shapes.ts';

export function isFailing({ rolloutFailed, lastError }: WorkloadLine): boolean {
  return rolloutFailed !== undefined || lastError !== undefined;
}

/** 0 is the most urgent. What waits for a time comes by itself; what waits without one may need somebody. */
function urgencyOf(line: WorkloadLine): number {
  if (isFailing(line)) return 0;
  if (line.problems > 0) return 1;
  if (line.pending) return line.pending.until === undefined ? 2 : 3;
  return line.frozen ? 4 : 5;
}

/** Equals keep their order. */
export function byUrgency(lines: readonly WorkloadLine[]): WorkloadLine[] {
  return [...lines].sort((a, b) => urgencyOf(a) - urgencyOf(b));
}
