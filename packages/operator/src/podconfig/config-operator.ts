/**
 * The operator of PodConfigMapConfigs: computes the status of one config from the results of the passes over its pods.
 */
import {
  type Ending,
  findCondition,
  type Informer,
  type InformerHealth,
  type ObjectKey,
  type Operator,
  operator,
  type Pass,
  type PassResult,
  type Reconciler,
  type Source,
  type StatusDraft,
} from '@reloader/runtime';
import { factsOf } from './configs.ts';
import type { PodConfigMetrics } from './metrics.ts';
import {
  type GeneratedFacts,
  type PcmcFacts,
  type PodConfigMapConfig,
  PodConfigMapConfigs,
  type PodFacts,
  type Trouble,
} from './model.ts';
import { firstChoice, labelValueOf } from './names.ts';
import type { Progress } from './progress.ts';
import { type Counted, conditionsOf, statusOf } from './status.ts';

export interface ConfigOperatorOptions {
  readonly pods: Pick<Informer<PodFacts>, 'store'> & {
    syncedIn(namespace: string): boolean;
    healthByNamespace(): ReadonlyMap<string, InformerHealth>;
  };
  readonly made: Pick<Informer<GeneratedFacts>, 'store'>;
  readonly progress: Progress;
  readonly counts: PodConfigMetrics | undefined;
  readonly resyncMs: number;
  /** Wraps the reconciler. */
  readonly wrap: (pass: Reconciler) => Reconciler;
  /** Sources that lead to a config, in addition to the config itself. */
  readonly sources: readonly Source<ObjectKey>[];
}

/** A status is written once a second at most, however many pods come and go. */
const STATUS_QUIET_MS = 1_000;
/** Requeue interval of a config while its pods are being listed. */
const SYNC_CHECK_MS = 500;
/** Requeue interval of a config whose pods may not be read. */
const FORBIDDEN_CHECK_MS = 30_000;

export function createConfigOperator(options: ConfigOperatorOptions): Operator {
  const { progress, counts, resyncMs, wrap, sources } = options;
  const configs = operator(PodConfigMapConfigs, {
    name: 'podconfigmapconfigs',
    concurrency: 1,
    optional: true,
    resyncMs,
    wrap,
    queue: { debounce: { quietMs: STATUS_QUIET_MS, maxWaitMs: STATUS_QUIET_MS } },
    // `statusOf` sets Ready and observedGeneration: a generation counts as observed only once it was carried out.
    phase: false,
    observedGeneration: false,
    transitionEvents: false,
    summary: sayWhatFailed,
    gone({ namespace = '', name }) {
      counts?.forget(name, namespace);
      progress.forgetConfig(namespace, name);
    },
  });
  return sources
    .reduce((told, source) => told.on(source), configs)
    .reconcile(async (pass) => report(pass, options));
}

function report(
  { object, status, event, clock }: Pass<PodConfigMapConfig>,
  options: ConfigOperatorOptions,
): PassResult {
  const { pods, counts } = options;
  const config = factsOf(object);
  const { namespace, name } = config.metadata;
  const unreadable = forbidden(namespace, pods);
  if (!unreadable && !pods.syncedIn(namespace)) return { requeueAfterMs: SYNC_CHECK_MS };
  const counted = unreadable ?? count(config, options);
  const before = findCondition(status.conditions, 'Ready');
  Object.assign(status, statusOf(config, counted, clock.now()));
  const after = findCondition(status.conditions, 'Ready');
  counts?.status(name, namespace, after?.status === 'True');
  counts?.active(name, namespace, counted.managedConfigMaps);
  if (after && after.reason !== before?.reason && after.reason !== 'Reconciling')
    event(after.status === 'True' ? 'Normal' : 'Warning', after.reason, after.message);
  return unreadable ? { requeueAfterMs: FORBIDDEN_CHECK_MS } : {};
}

/** Only for a failed pass: `report` sets the conditions of a successful one. */
function sayWhatFailed(
  { state, text, pass }: Ending<PodConfigMapConfig>,
  status: StatusDraft<PodConfigMapConfig>,
  now: number,
): void {
  if (state !== 'failing' && state !== 'stalled') return;
  const { generation: observedGeneration = 0 } = pass.object.metadata;
  const kind = state === 'stalled' ? 'stalled' : 'reconciling';
  status.conditions = conditionsOf(status.conditions, kind, { ...text, observedGeneration }, now);
}

function forbidden(namespace: string, pods: ConfigOperatorOptions['pods']): Counted | undefined {
  const state = pods.healthByNamespace().get(namespace)?.state;
  if (state?.phase !== 'forbidden') return undefined;
  const message = `The pods of namespace ${namespace} may not be read: ${state.error.message}`;
  const trouble: Trouble = { reason: 'Forbidden', message };
  return { matchedPods: 0, managedConfigMaps: 0, otherNames: [], outstanding: 0, trouble, troubled: 1 };
}

function count(config: PcmcFacts, { pods, made, progress }: ConfigOperatorOptions): Counted {
  const { namespace, name } = config.metadata;
  let managedConfigMaps = 0;
  const otherNames: string[] = [];
  const index = `${namespace}/${labelValueOf(name)}`;
  for (const { proven, deleting, owner, metadata } of made.store.byIndex('config', index)) {
    if (!proven || deleting) continue;
    managedConfigMaps += 1;
    if (owner !== undefined && metadata.name !== firstChoice(owner, name)) otherNames.push(metadata.name);
  }
  otherNames.sort();
  return { ...progress.of(config, staying(pods.store.list(namespace))), managedConfigMaps, otherNames };
}

function* staying(pods: Iterable<PodFacts>): Iterable<string> {
  for (const { metadata, deleting } of pods) if (!deleting) yield metadata.name;
}
