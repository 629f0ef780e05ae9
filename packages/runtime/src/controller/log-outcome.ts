/** Logs each run: debug if all is well, louder the worse the failure. */
import { classifyError } from './errors.ts';
import type { ReconcileRun } from './reconcile-run.ts';
import type { Outcome } from './result.ts';

export function logOutcome(run: ReconcileRun, outcome: Outcome, durationMs: number): void {
  if (outcome.warning) run.logger.warn(outcome.warning);
  if (outcome.label !== 'error') {
    if (!run.debugs) return;
    run.logger.debug('Reconcile completed', {
      durationMs,
      result: outcome.label,
      ...(outcome.add?.after === undefined ? {} : { requeueAfterMs: outcome.add.after }),
    });
    return;
  }
  const values = { error: outcome.error, attempt: run.attempt, durationMs };
  if (outcome.terminal)
    run.logger.error('Reconcile failed with a terminal error; not retried before the next event', values);
  else if (outcome.gaveUp) run.logger.error('Reconcile failed and has no retries left', values);
  else if (classifyError(outcome.error) === 'retryable')
    run.logger.warn('Reconcile failed, will retry', values);
  else run.logger.error('Reconcile failed, will retry', values);
}
