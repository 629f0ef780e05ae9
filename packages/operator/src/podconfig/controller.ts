/**
 * One ConfigMap for every pod that a PodConfigMapConfig selects, kept right at all times.
 *
 * In: pods, configs and what we generated, from caches. Out: the writes that bring the third to what the first two
 * say, and the status of every config.
 *
 * Two queues. `pods` holds one key per pod and does all writes: a pod, a config that appears, changes or goes, and a
 * generated ConfigMap that somebody edited or deleted all lead to the pods concerned. `podconfigmapconfigs` holds one
 * key per config and writes its status, at most once a second.
 *
 * Guarantees: a pass over what is right already makes no request. Nothing is remembered that a restart could lose:
 * the generated ConfigMaps themselves, found by our label, are the record, so what a config left behind while we were
 * away is swept with the first pass. There is no finalizer that could hold a namespace after an uninstall.
 */
import {
  type CachingInformer,
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
  keyString,
  kinds,
  type Logger,
  type Metrics,
  type ObjectKey,
  Overlay,
  type Result,
  type Runnable,
  trackWrites,
  WriteTracker,
  watches,
} from '@reloader/runtime';
import { createPodConfigMetrics } from './metrics.ts';
import {
  GENERATED_BY,
  type GeneratedFacts,
  type PcmcFacts,
  PodConfigMapConfigs,
  type PodFacts,
} from './model.ts';
import { type Plan, planFor } from './plan.ts';
import { projectConfig, projectGenerated, projectPod } from './project.ts';
import { createStatusReconciler } from './status-reconciler.ts';
import { Troubles } from './troubles.ts';
import { create, remove, update, type Written } from './writes.ts';

export interface PodConfigOptions {
  /** Fills the caches. */
  readonly client: Client;
  /** Writes; with leader election a fenced one. */
  readonly writer: Client;
  readonly events: EventRecorder;
  /** Only this one; all unless given. */
  readonly namespace?: string;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly clock: Clock;
  /** How often everything is looked at again, whatever the watches said. 10 minutes unless given. */
  readonly resyncPeriodMs?: number;
}

export interface PodConfig {
  readonly runnables: readonly Runnable[];
  readonly cache: InformerCache;
}

const PARALLEL_PODS = 64;
const STATUS_QUIET_MS = 1_000;
const RESYNC_MS = 600_000;
const TROUBLE_RETRY_MS = 300_000;

export function createPodConfig(options: PodConfigOptions): PodConfig {
  const { client, writer, events, clock, logger, metrics, namespace, resyncPeriodMs = RESYNC_MS } = options;
  const common = { clock, ...(logger && { logger }), ...(metrics && { metrics }) };
  const cache = new InformerCache({ client, ...common, resyncPeriodMs });
  const scope = namespace === undefined ? {} : { namespace };
  const tracker = new WriteTracker();
  // Only where there is a config: whoever does not use this pays nothing for it.
  const pods = cache.namespaced({ type: kinds.Pod, project: projectPod });
  const configs = cache.informer({ type: PodConfigMapConfigs, ...scope, project: projectConfig });
  const made = cache.informer({
    type: kinds.ConfigMap,
    ...scope,
    labelSelector: GENERATED_BY,
    project: projectGenerated,
    indexes: { pod: byPod, config: byConfig },
  });
  const overlay = new Overlay<GeneratedFacts>(made as CachingInformer<GeneratedFacts>, common);
  tracker.attach(overlay);
  const generated = overlay.asInformer();
  configs.addHandler(() => {
    const wanted = new Set([...configs.store.list()].map(({ metadata }) => metadata.namespace));
    if (!sameSet(wanted, pods.namespaces)) pods.setNamespaces(wanted);
  });
  const statusWanted = channel<ObjectKey>('status of PodConfigMapConfigs');
  const counts = metrics && createPodConfigMetrics(metrics);
  const troubles = new Troubles();
  const tracked = trackWrites(writer, tracker);

  async function reconcilePod(key: ObjectKey, signal: AbortSignal): Promise<Result> {
    const { namespace: of = '', name } = key;
    // Absent from a cache that is not filled yet is not gone. Its first list brings every pod here.
    if (pods.namespaces.includes(of) && !pods.syncedIn(of)) return {};
    const pod = pods.store.get(key);
    const plan = planFor({
      pod,
      configs: [...configs.store.list(of)].sort(olderFirst),
      existing: [...generated.store.byIndex('pod', `${of}/${name}`)],
      takenByOther: (taken) => {
        const other = generated.store.get({ namespace: of, name: taken });
        return other !== undefined && other.pod !== name;
      },
    });
    const result = await carryOut(of, pod, plan, signal);
    // Only what was written, could not be written or went away can change a status.
    const changed = plan.create.length + plan.update.length + plan.remove.length + plan.troubles.size > 0;
    if (changed || !pod)
      for (const config of configs.store.list(of)) statusWanted.trigger(keyOfFacts(config));
    return result;
  }

  async function carryOut(
    of: string,
    pod: PodFacts | undefined,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<Result> {
    const found = new Map(plan.troubles);
    let again = false;
    const note = (operation: 'create' | 'update' | 'delete', config: string, written: Written): void => {
      if (written.kind === 'again') again = true;
      if (written.kind === 'trouble') found.set(config, written.trouble);
      counts?.operation(operation, of, written.kind === 'trouble' ? 'error' : 'success');
    };
    try {
      if (pod) {
        for (const wanted of plan.create) {
          note('create', wanted.config.metadata.name, await create(tracked, pod, wanted, signal));
        }
        for (const { wanted, existing } of plan.update) {
          note('update', wanted.config.metadata.name, await update(tracked, pod, wanted, existing, signal));
        }
      }
      for (const existing of plan.remove)
        note('delete', existing.config, await remove(tracked, existing, signal));
    } finally {
      if (pod) troubles.set(of, pod.metadata.name, found);
    }
    if (!pod) troubles.set(of, '', new Map());
    if (again) return { requeue: true };
    return found.size > plan.troubles.size ? { requeueAfterMs: TROUBLE_RETRY_MS } : {};
  }

  const measured =
    (resource: 'pod' | 'pcmc', work: (key: ObjectKey, signal: AbortSignal) => Promise<Result>) =>
    async (key: ObjectKey, { signal }: { readonly signal: AbortSignal }): Promise<Result> => {
      const start = clock.monotonic();
      try {
        return await work(key, signal);
      } catch (error) {
        counts?.error(resource, key.namespace ?? '', ERROR_TYPES[classifyError(error)]);
        throw error;
      } finally {
        counts?.duration(resource, key.namespace ?? '', (clock.monotonic() - start) / 1000);
      }
    };

  const podController: Controller = createController({
    ...common,
    name: 'pods',
    concurrency: PARALLEL_PODS,
    sources: [
      forKind(pods),
      watches(configs, ({ metadata }) => [
        ...[...pods.store.list(metadata.namespace)].map(keyOfFacts),
        ...[...generated.store.list(metadata.namespace)].flatMap(keyOfPod),
      ]),
      watches(generated, keyOfPod),
    ],
    reconcile: measured('pod', reconcilePod),
  });
  const configController: Controller = createController({
    ...common,
    name: 'podconfigmapconfigs',
    sources: [forKind(configs), statusWanted],
    queue: { debounce: { quietMs: STATUS_QUIET_MS, maxWaitMs: STATUS_QUIET_MS } },
    reconcile: measured(
      'pcmc',
      createStatusReconciler({ client: writer, events, configs, pods, generated, troubles, clock, counts }),
    ),
  });
  const caches = cacheRunnable(cache, { name: 'podconfig caches', clock, required: false });
  return { cache, runnables: [caches, whenServed(podController), whenServed(configController)] };

  /** The definition may be installed later, or never: nobody waits for it. */
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
        await controller.start(signals);
      },
    };
  }
}

const ERROR_TYPES = {
  retryable: 'api',
  configuration: 'configuration',
  terminal: 'internal',
  unknown: 'reconciliation',
} as const;

function keyOfPod({ metadata: { namespace }, pod }: GeneratedFacts): ObjectKey[] {
  return pod === undefined ? [] : [{ namespace, name: pod }];
}

function sameSet(one: ReadonlySet<string>, others: readonly string[]): boolean {
  return one.size === others.length && others.every((other) => one.has(other));
}

function byPod({ metadata, pod }: GeneratedFacts): string[] {
  return pod === undefined ? [] : [`${metadata.namespace}/${pod}`];
}

function byConfig({ metadata, config }: GeneratedFacts): string[] {
  return [`${metadata.namespace}/${config}`];
}

function keyOfFacts({ metadata: { namespace, name } }: PodFacts | PcmcFacts): ObjectKey {
  return { namespace, name };
}

function olderFirst(one: PcmcFacts, other: PcmcFacts): number {
  return one.createdAt - other.createdAt || (keyString(one.metadata) < keyString(other.metadata) ? -1 : 1);
}
