/** The metrics of one controller, under the names that dashboards for Go controllers already use. */
import type { Metrics } from '../metrics/metrics.ts';
import type { ResultLabel } from './result.ts';

const SECONDS_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const RESULTS: readonly ResultLabel[] = ['success', 'error', 'requeue', 'requeue_after'];

export interface ControllerSnapshot {
  readonly activeWorkers: number;
  /** Reconciles that still run long after their signal aborted. */
  readonly ignoringAbort: number;
}

export interface ControllerMetrics {
  reconciled(result: ResultLabel, seconds: number): void;
  terminal(): void;
  panicked(): void;
  timedOut(): void;
  mappingFailed(): void;
  /** Stops refreshing gauges; totals stay. */
  stop(): void;
}

export function createControllerMetrics(
  metrics: Metrics,
  controller: string,
  concurrency: number,
  snapshot: () => ControllerSnapshot,
): ControllerMetrics {
  const labels = { controller };
  const shape = { labelNames: ['controller'], initial: [labels] };
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `controller_runtime_${name}`, help, ...shape });
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `controller_runtime_${name}`, help, ...shape });

  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result',
    labelNames: ['controller', 'result'],
    initial: RESULTS.map((result) => ({ controller, result })),
  });
  const errors = counter('reconcile_errors_total', 'Reconciles that failed');
  const terminalErrors = counter('terminal_reconcile_errors_total', 'Failures that are not retried');
  const panics = counter('reconcile_panics_total', 'Failures that point at a bug in the reconciler');
  const timeouts = counter('reconcile_timeouts_total', 'Reconciles that used up their time');
  const mapping = counter('event_mapping_errors_total', 'Events that could not be turned into requests');
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long a reconcile takes',
    buckets: SECONDS_BUCKETS,
    ...shape,
  });
  gauge('max_concurrent_reconciles', 'How many reconciles may run at once').set(concurrency, labels);
  const active = gauge('active_workers', 'Reconciles that run now');
  const ignoring = gauge('reconciles_ignoring_abort', 'Reconciles that run on after their signal aborted');

  const stop = metrics.onScrape(() => {
    const { activeWorkers, ignoringAbort } = snapshot();
    active.set(activeWorkers, labels);
    ignoring.set(ignoringAbort, labels);
  });

  // Created once, because every reconcile uses one of them.
  const byResult = new Map(RESULTS.map((result) => [result, { controller, result }]));
  return {
    reconciled(result, seconds) {
      total.inc(byResult.get(result) ?? { controller, result });
      if (result === 'error') errors.inc(labels);
      time.observe(seconds, labels);
    },
    terminal: () => terminalErrors.inc(labels),
    panicked: () => panics.inc(labels),
    timedOut: () => timeouts.inc(labels),
    mappingFailed: () => mapping.inc(labels),
    stop,
  };
}
