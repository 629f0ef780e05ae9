/**
 * Keeps one ConfigMap for every pod that a PodConfigMapConfig selects.
 *
 * In: pods, configs and generated ConfigMaps, from caches. Out: the writes that bring the ConfigMaps to the state that
 * pods and configs ask for, and the status of every config.
 *
 * Two queues. `pods` holds one key per pod and does all writes: a pod, a config that appears, changes or goes, and a
 * generated ConfigMap that a user edited or deleted all enqueue the pods concerned. It is a plain controller, because
 * pods have no spec and no status of ours. `podconfigmapconfigs` is the operator of the kind: one key per config, whose
 * status it writes, at most once a second. Both read one cache.
 *
 * Guarantees: a pass that finds everything up to date makes no request. No state is lost by a restart: the generated
 * ConfigMaps, found by our label, are the record, so ConfigMaps of a config that was deleted while we were away are
 * removed in the first pass. There is no finalizer that could block the deletion of a namespace after an uninstall.
 */
import { once } from 'node:events';
import {
  type Client,
  type Clock,
  type Controller,
  cacheRunnable,
  channel,
  classifyError,
  createController,
  type EventRecorder,
  forKind,
  InformerCache,
  type InformerEvent,
  kinds,
  type Logger,
  type Metrics,
  type ObjectKey,
  type Reconciler,
  type Runnable,
  type Stored,
  watches,
} from '@reloader/runtime';
import type { TemplateRenderer } from '../template/renderer.ts';
import { createConfigOperator } from './config-operator.ts';
import { ConfigFacts } from './configs.ts';
import { createPodConfigMetrics, type PodConfigMetrics } from './metrics.ts';
import { GENERATED_BY, type GeneratedFacts, type PodConfigMapConfig, PodConfigMapConfigs } from './model.ts';
import { labelValueOf } from './names.ts';
import { OwnWrites } from './own-writes.ts';
import { createPodReconciler } from './pod-reconciler.ts';
import { Progress } from './progress.ts';
import { projectGenerated, projectPod } from './project.ts';

export interface PodConfigOptions {
  /** Fills the caches. */
  readonly client: Client;
  /** Writes; with leader election it is fenced. */
  readonly writer: Client;
  readonly events: EventRecorder;
  /** Only these namespaces; all unless given. */
  readonly namespaces?: readonly string[];
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly clock: Clock;
  readonly templates: TemplateRenderer;
  /** The resync period. 10 minutes unless given. */
  readonly resyncPeriodMs?: number;
}

export interface PodConfig {
  readonly runnables: readonly Runnable[];
  readonly cache: InformerCache;
}

/** More requests in parallel do not help with one API server. */
const PARALLEL_PODS = 64;
const RESYNC_MS = 600_000;

export function createPodConfig(options: PodConfigOptions): PodConfig {
  const { client, writer, events, namespaces, clock, logger, metrics, templates } = options;
  const common = { clock, ...(logger && { logger }), ...(metrics && { metrics }) };
  const { cache, pods, configs, made, configsKnownIn, scoped } = createCaches(options);
  const own = new OwnWrites(made, clock);
  const counts = metrics && createPodConfigMetrics(metrics);
  const progress = new Progress();
  const statusWanted = channel<ObjectKey>('status of PodConfigMapConfigs');
  const swept = channel<ObjectKey>('pods that ConfigMaps were made for');
  // ConfigMaps of pods and configs that were deleted while we were away, or could not read them, get no other event.
  for (const informer of scoped) {
    informer.onScopeChange(({ type, namespace }) => {
      if (type !== 'synced') return;
      for (const each of made.store.list(namespace)) for (const key of keyOfPod(each)) swept.trigger(key);
    });
  }

  const facts = new ConfigFacts(configs.store);
  const podController = createController({
    ...common,
    name: 'pods',
    concurrency: PARALLEL_PODS,
    sources: [
      forKind(pods),
      watches(configs, concerned, { when: specChanged }),
      watches(made, keyOfPod, { when: (event) => !own.isEcho(event) }),
      swept,
    ],
    reconcile: measured('pod')(
      createPodReconciler({
        ...{ writer, own, configs: facts, configsKnownIn, pods, made, progress, counts, templates },
        concerns: (config) => statusWanted.trigger(config),
      }),
    ),
  });
  const configOperator = createConfigOperator({
    ...{ pods, made, progress, counts, resyncMs: options.resyncPeriodMs ?? RESYNC_MS },
    wrap: measured('pcmc'),
    sources: [watches(made, countedBy, { when: isCounted }), statusWanted],
  }).build({ ...common, client, writer, events, cache, namespaces });
  const caches = cacheRunnable(cache, { name: 'podconfig caches', clock, required: false });
  return {
    cache,
    runnables: [
      caches,
      whenServed(podController),
      ...configOperator.runnables,
      measuredQueue(configOperator.controller),
    ],
  };

  function* concerned({ metadata: { namespace = '' } }: Stored<PodConfigMapConfig>): Iterable<ObjectKey> {
    for (const { metadata } of pods.store.list(namespace)) yield { namespace, name: metadata.name };
    for (const each of made.store.list(namespace)) yield* keyOfPod(each);
  }

  function* countedBy({ metadata: { namespace }, config: label }: GeneratedFacts): Iterable<ObjectKey> {
    for (const { metadata } of configs.store.list(namespace))
      if (labelValueOf(metadata.name) === label) yield { namespace, name: metadata.name };
  }

  function measured(resource: 'pod' | 'pcmc'): (pass: Reconciler) => Reconciler {
    return (pass) => async (key, context) => {
      const start = clock.monotonic();
      try {
        return await pass(key, context);
      } catch (error) {
        counts?.error(resource, key.namespace ?? '', ERROR_TYPES[classifyError(error)]);
        throw error;
      } finally {
        counts?.duration(resource, key.namespace ?? '', (clock.monotonic() - start) / 1000);
      }
    };
  }

  /** The CustomResourceDefinition may be installed later, or never: the start of the operator does not wait for it. */
  function whenServed(controller: Controller): Runnable {
    return {
      name: controller.name,
      needsLeaderElection: true,
      async start(signals) {
        try {
          for (const informer of [configs, made]) await informer.whenSynced(signals.stopping);
        } catch (error) {
          if (signals.stopping.aborted) return;
          throw error;
        }
        const unmeasure = measureQueue(controller, counts);
        await controller.start(signals).finally(unmeasure);
      },
    };
  }

  function measuredQueue(controller: Controller): Runnable {
    return {
      name: `depth of ${controller.name}`,
      needsLeaderElection: true,
      async start({ stopping }) {
        const unmeasure = measureQueue(controller, counts);
        if (!stopping.aborted) await once(stopping, 'abort');
        unmeasure();
      },
    };
  }
}

function createCaches(options: PodConfigOptions) {
  const { client, clock, logger, metrics, namespaces = [], resyncPeriodMs = RESYNC_MS } = options;
  const common = { clock, ...(logger && { logger }), ...(metrics && { metrics }) };
  const cache = new InformerCache({ client, ...common, resyncPeriodMs });
  const ofConfigs = { type: PodConfigMapConfigs };
  const ofMade = {
    type: kinds.ConfigMap,
    labelSelector: GENERATED_BY,
    project: projectGenerated,
    indexes: { pod: byPod, config: byConfig },
  };
  const everywhere = namespaces.length === 0;
  const listed = everywhere ? undefined : cache.namespaced({ ...ofConfigs, namespaces });
  const configs = listed ?? cache.informer(ofConfigs);
  const made = everywhere ? cache.informer(ofMade) : cache.namespaced({ ...ofMade, namespaces });
  // Pods are watched only in namespaces with a config: an unused feature costs nothing.
  const pods = cache.namespaced({ type: kinds.Pod, project: projectPod });
  configs.addHandler((event) => {
    if (event.type === 'update') return;
    const wanted = new Set([...configs.store.list()].map(({ metadata: { namespace = '' } }) => namespace));
    const known = pods.namespaces;
    if (wanted.size !== known.length || known.some((each) => !wanted.has(each))) pods.setNamespaces(wanted);
  });
  const configsKnownIn = (namespace: string): boolean => listed?.syncedIn(namespace) ?? configs.synced;
  return { cache, pods, configs, made, configsKnownIn, scoped: listed ? [pods, listed] : [pods] };
}

const ERROR_TYPES = {
  retryable: 'api',
  configuration: 'configuration',
  terminal: 'internal',
  unknown: 'reconciliation',
} as const;

/** False for our own status writes: they concern no pod. */
function specChanged(event: InformerEvent<Stored<PodConfigMapConfig>>): boolean {
  if (event.type !== 'update' || event.resync) return true;
  const { old, object } = event;
  return (['generation', 'uid', 'deletionTimestamp'] as const).some(
    (field) => old.metadata[field] !== object.metadata[field],
  );
}

/** True if the number of generated ConfigMaps changes. */
function isCounted(event: InformerEvent<GeneratedFacts>): boolean {
  if (event.type !== 'update') return true;
  const { old, object } = event;
  return old.proven !== object.proven || old.deleting !== object.deleting || old.config !== object.config;
}

/** Counts the keys that wait for a worker or for their time. */
function measureQueue(controller: Controller, counts: PodConfigMetrics | undefined): () => void {
  const waiting = (): number => controller.inspect().filter(({ state }) => isWaiting(state)).length;
  return counts?.queue(controller.name, waiting) ?? (() => undefined);
}

function isWaiting(state: string): boolean {
  return state === 'ready' || state === 'waiting';
}

function keyOfPod({ metadata: { namespace }, pod }: GeneratedFacts): ObjectKey[] {
  return pod === undefined ? [] : [{ namespace, name: pod }];
}

function byPod({ metadata, pod }: GeneratedFacts): string[] {
  return pod === undefined ? [] : [`${metadata.namespace}/${pod}`];
}

function byConfig({ metadata, config }: GeneratedFacts): string[] {
  return [`${metadata.namespace}/${config}`];
}
