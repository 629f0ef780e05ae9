/**
 * Metrics of reloads: Stakater's under its names, and ours. All series start at zero.
 *
 * In: the reports of the pipeline. Out: series whose labels come from small fixed sets; by namespace only if that is
 * switched on, and then for at most a thousand namespaces.
 */
import type { Counter, Metrics } from '@reloader/runtime';
import type { Verdict } from '../model/decision.ts';
import type { SourceKind } from '../model/source.ts';
import {
  WORKLOAD_KINDS,
  type WorkloadFacts,
  type WorkloadKind,
  type WorkloadRef,
  workloadKey,
} from '../model/workload.ts';
import type { PassReport, PipelineReporter, ReloadReport } from './reporter.ts';
import { refOf } from './texts.ts';

/** A rollout after a reload that has not ended. */
export interface OpenRollout {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly state: 'running' | 'failing';
}

export interface ReloadMetricsOptions {
  readonly metrics: Metrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Adds `reloader_reload_executed_total_by_namespace`. */
  readonly byNamespace: boolean;
  /** Number of watched objects by kind; called at each scrape. */
  readonly inventory?: (() => Inventory) | undefined;
  /** Our rollouts that have not ended, for two gauges. */
  readonly openRollouts?: (() => Iterable<OpenRollout>) | undefined;
  /** Number of workloads that another installation also reloads. */
  readonly contested?: (() => number) | undefined;
}

export interface Inventory {
  readonly sources: Readonly<Partial<Record<SourceKind, number>>>;
  readonly workloads: Readonly<Partial<Record<WorkloadKind, number>>>;
}

/** Stakater's plural names. */
const RESOURCE_TYPES: Readonly<Record<SourceKind, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  SecretProviderClass: 'secretproviderclasspodstatuses',
};
const SOURCE_KINDS = Object.keys(RESOURCE_TYPES) as SourceKind[];
const EVENT_TYPES = ['add', 'update', 'delete'] as const;
const MOST_NAMESPACES = 1000;

const PASS_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
const ACTION_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];
const WAIT_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2.5, 5, 10, 15, 30, 60, 300, 900, 3600, 21_600, 86_400,
];

const each = <T extends string>(label: string, values: readonly T[]): Record<string, string>[] =>
  values.map((value) => ({ [label]: value }));

const product = (
  left: readonly Readonly<Record<string, string>>[],
  right: readonly Readonly<Record<string, string>>[],
): Record<string, string>[] => left.flatMap((one) => right.map((other) => ({ ...one, ...other })));

export type MetricsPart = Required<
  Pick<
    PipelineReporter,
    | 'reloaded'
    | 'failed'
    | 'recorded'
    | 'wouldReload'
    | 'rolledOut'
    | 'restored'
    | 'deferred'
    | 'forget'
    | 'sourceChanged'
    | 'reconciled'
    | 'unchangedByReload'
  >
>;

export function createReloadMetrics(options: ReloadMetricsOptions): MetricsPart {
  const { metrics, now } = options;
  const counter = (name: string, help: string, ...initial: Record<string, string>[]): Counter =>
    metrics.counter({ name, help, labelNames: Object.keys(initial[0] ?? {}), initial });
  const kindLabels = each('kind', WORKLOAD_KINDS);
  const results = ['success', 'error', 'skipped'] as const;

  const executed = counter(
    'reloader_reload_executed_total',
    'Reloads by whether they succeeded',
    { success: 'true' },
    { success: 'false' },
  );
  const executedIn = options.byNamespace
    ? metrics.counter({
        name: 'reloader_reload_executed_total_by_namespace',
        help: 'Reloads by whether they succeeded and where',
        labelNames: ['success', 'namespace'],
      })
    : undefined;
  const passes = counter('reloader_reconcile_total', 'Passes over a workload', ...each('result', results));
  const passTime = metrics.histogram({
    name: 'reloader_reconcile_duration_seconds',
    help: 'How long a pass over a workload takes',
    labelNames: ['result'],
    initial: each('result', results),
    buckets: PASS_BUCKETS,
  });
  const actions = counter(
    'reloader_action_total',
    'Reloads by kind of workload',
    ...product(each('workload_kind', WORKLOAD_KINDS), each('result', ['success', 'error'])),
  );
  const actionTime = metrics.histogram({
    name: 'reloader_action_latency_seconds',
    help: 'From the decision to reload a workload to the answer of the API server',
    labelNames: ['workload_kind'],
    initial: each('workload_kind', WORKLOAD_KINDS),
    buckets: ACTION_BUCKETS,
  });
  const skipped = counter(
    'reloader_skipped_total',
    'Changes of sources, and reloads, that came to nothing',
    ...each('reason', ['ignored_or_not_selected', 'no_data_change', 'strategy_not_updated']),
  );
  const errors = counter(
    'reloader_errors_total',
    'Failures by type',
    ...each('type', ['handler_error', 'invalid_handler_type']),
  );
  const received = counter(
    'reloader_events_received_total',
    'Events of sources',
    ...product(each('event_type', EVENT_TYPES), each('resource_type', Object.values(RESOURCE_TYPES))),
  );
  const processed = counter(
    'reloader_events_processed_total',
    'Events of sources by what became of them; dropped: the data did not change',
    ...product(
      product(each('event_type', EVENT_TYPES), each('resource_type', Object.values(RESOURCE_TYPES))),
      each('result', ['success', 'dropped']),
    ),
  );
  const scanned = counter('reloader_workloads_scanned_total', 'Workloads that were looked at', ...kindLabels);
  const matched = counter(
    'reloader_workloads_matched_total',
    'Of these, with a change to roll out',
    ...kindLabels,
  );

  const lastReload = metrics.gauge({
    name: 'reloader_last_reload_timestamp_seconds',
    help: 'When the last reload was made, since the epoch; 0 before the first',
  });
  const toPatch = metrics.histogram({
    name: 'reloader_change_to_patch_seconds',
    help: 'From the first sight of a change to its reload, with everything that held it back',
    buckets: WAIT_BUCKETS,
  });
  const toRollout = metrics.histogram({
    name: 'reloader_change_to_rollout_seconds',
    help: 'From the first sight of a change to the end of the rollout',
    buckets: WAIT_BUCKETS,
  });
  const rollouts = counter(
    'reloader_rollouts_total',
    'Rollouts after reloads by their end; one that failed and ended well after all counts as both. timeout and superseded: of reloads that are verified',
    ...product(
      each('kind', WORKLOAD_KINDS),
      each('result', ['succeeded', 'failed', 'timeout', 'superseded']),
    ),
  );
  const undone = counter(
    'reloader_reloads_undone_total',
    'Reloads that undid one that had failed, because its sources were again what they had been',
    ...kindLabels,
  );
  const restores = counter(
    'reloader_restores_total',
    'ConfigMaps of reloads that failed: put back, not put back, or written again by somebody after they were',
    ...each('result', ['restored', 'refused', 'fought']),
  );
  const verified = metrics.histogram({
    name: 'reloader_verify_seconds',
    help: 'From a reload that is verified to its outcome',
    buckets: WAIT_BUCKETS,
  });
  if (options.openRollouts) declareOpenRollouts(metrics, options.openRollouts, now);
  if (options.contested) declareContested(metrics, options.contested);
  const adoptions = counter('reloader_adoptions_total', 'Workloads taken into care without a restart', {});
  const records = counter('reloader_records_total', 'Ledgers written without a restart', {});
  const foreign = counter(
    'reloader_foreign_slots_total',
    'Marks of another reloader that tell of neither the present nor a known content',
    {},
  );
  const would = counter('reloader_would_reload_total', 'Reloads that observe mode left out', {});
  if (options.inventory) declareInventory(metrics, options.inventory);

  const namespaces = new Set<string>();
  const inNamespace = (success: string, namespace: string): void => {
    if (!executedIn) return;
    if (namespaces.size < MOST_NAMESPACES) namespaces.add(namespace);
    executedIn.inc({ success, namespace: namespaces.has(namespace) ? namespace : '_other' });
  };
  /** By workload with a running rollout: when its change was first seen. */
  const underway = new Map<string, number>();

  return {
    reloaded({ plan, seenAt, undoes }: ReloadReport): void {
      const { kind, metadata } = plan.workload;
      if (undoes !== undefined) undone.inc({ kind });
      const time = now();
      executed.inc({ success: 'true' });
      inNamespace('true', metadata.namespace);
      actions.inc({ workload_kind: kind, result: 'success' });
      actionTime.observe(Math.max(0, time - plan.now) / 1000, { workload_kind: kind });
      lastReload.set(Math.floor(time / 1000));
      toPatch.observe(Math.max(0, time - seenAt) / 1000);
      underway.set(workloadKey(refOf(plan.workload)), seenAt);
    },
    failed({ plan }: ReloadReport): void {
      executed.inc({ success: 'false' });
      inNamespace('false', plan.workload.metadata.namespace);
      actions.inc({ workload_kind: plan.workload.kind, result: 'error' });
    },
    recorded(_workload: WorkloadFacts, verdict: Verdict): void {
      records.inc();
      if (verdict.because === 'adopted') adoptions.inc();
      if (verdict.foreignSlots) foreign.inc({}, verdict.foreignSlots.length);
    },
    wouldReload: () => would.inc(),
    forget: (ref: WorkloadRef) => void underway.delete(workloadKey(ref)),
    rolledOut(workload, _seq, result, _message, verifiedMs): void {
      const { kind } = workload;
      rollouts.inc({ kind, result });
      if (verifiedMs !== undefined) verified.observe(verifiedMs / 1000);
      const key = workloadKey(refOf(workload));
      const seenAt = underway.get(key);
      underway.delete(key);
      if (seenAt !== undefined && result !== 'superseded')
        toRollout.observe(Math.max(0, now() - seenAt) / 1000);
    },
    restored: (_workload, { result }) => restores.inc({ result }),
    deferred(_workload, _want, { why }): void {
      if (why === 'refused') restores.inc({ result: 'fought' });
    },
    sourceChanged(kind, _ref, oldDigest, newDigest, workloads): void {
      const event_type = oldDigest === undefined ? 'add' : newDigest === undefined ? 'delete' : 'update';
      const labels = { event_type, resource_type: RESOURCE_TYPES[kind] };
      const same = oldDigest === newDigest;
      received.inc(labels);
      processed.inc({ ...labels, result: same ? 'dropped' : 'success' });
      if (same) skipped.inc({ reason: 'no_data_change' });
      else if (workloads === 0) skipped.inc({ reason: 'ignored_or_not_selected' });
    },
    reconciled({ workload, result, seconds, matched: decided }: PassReport): void {
      passes.inc({ result });
      passTime.observe(seconds, { result });
      if (result === 'error') errors.inc({ type: 'handler_error' });
      scanned.inc({ kind: workload.kind });
      if (decided) matched.inc({ kind: workload.kind });
    },
    unchangedByReload: (_ref: WorkloadRef) => skipped.inc({ reason: 'strategy_not_updated' }),
  };
}

function declareOpenRollouts(metrics: Metrics, open: () => Iterable<OpenRollout>, now: () => number): void {
  const states = ['running', 'failing'] as const;
  const count = metrics.gauge({
    name: 'reloader_unfinished_rollouts',
    help: 'Rollouts after reloads that have not ended; failing: and will not without somebody doing something',
    labelNames: ['state'],
    initial: each('state', states),
  });
  const oldest = metrics.gauge({
    name: 'reloader_oldest_unfinished_rollout_seconds',
    help: 'Age of the oldest rollout after a reload that has not ended; 0 without one',
  });
  metrics.onScrape(() => {
    const all = [...open()];
    for (const state of states) count.set(all.filter((one) => one.state === state).length, { state });
    const since = all.reduce((first, one) => Math.min(first, one.since), now());
    oldest.set((now() - since) / 1000);
  });
}

function declareContested(metrics: Metrics, contested: () => number): void {
  const count = metrics.gauge({
    name: 'reloader_contested_workloads',
    help: 'Workloads that another installation of Reloader reloads as well as this one',
  });
  metrics.onScrape(() => count.set(contested()));
}

function declareInventory(metrics: Metrics, inventory: () => Inventory): void {
  const sources = metrics.gauge({
    name: 'reloader_sources',
    help: 'Secrets, ConfigMaps and SecretProviderClasses that are watched',
    labelNames: ['kind'],
    initial: each('kind', SOURCE_KINDS),
  });
  const workloads = metrics.gauge({
    name: 'reloader_workloads',
    help: 'Workloads that are watched',
    labelNames: ['kind'],
    initial: each('kind', WORKLOAD_KINDS),
  });
  metrics.onScrape(() => {
    const counts = inventory();
    for (const kind of SOURCE_KINDS) sources.set(counts.sources[kind] ?? 0, { kind });
    for (const kind of WORKLOAD_KINDS) workloads.set(counts.workloads[kind] ?? 0, { kind });
  });
}
