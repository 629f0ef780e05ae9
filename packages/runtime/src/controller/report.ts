/** Answers "why does this key (not) run?" from the queue, the runs and the failures. */
import type { KeyInspection } from '../queue/options.ts';
import type { Failures } from './failures.ts';
import type { KeyReport } from './options.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import { causeInWords, type RequestCause } from './sources.ts';

export function reportKeys(
  queued: Iterable<KeyInspection>,
  failures: Failures,
  runOf: (key: string) => ReconcileRun | undefined,
): KeyReport[] {
  const reports: KeyReport[] = [];
  const seen = new Set<string>();
  for (const inspection of queued) {
    const { key } = inspection;
    const run = runOf(key);
    const failure = failures.get(key);
    seen.add(key);
    reports.push({
      ...inspection,
      reason: inspection.reason ? causeInWords(inspection.reason as RequestCause) : run?.reason,
      lastError: failure?.message,
      lastErrorAt: failure?.at,
      ignoresAbort: run?.ignoresAbort ?? false,
    });
  }
  for (const [key, failure] of failures.entries()) {
    if (seen.has(key)) continue;
    reports.push({
      key,
      state: 'idle',
      priority: 0,
      dueInMs: undefined,
      runningMs: undefined,
      failures: 0,
      reason: undefined,
      lastError: failure.message,
      lastErrorAt: failure.at,
      ignoresAbort: false,
    });
  }
  return reports;
}
