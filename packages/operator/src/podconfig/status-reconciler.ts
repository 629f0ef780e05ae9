/** Writes the status of one config from what the caches show, and an Event when Ready changes its mind. */
import {
  type Client,
  type Clock,
  type EventRecorder,
  findCondition,
  type Informer,
  type InformerHealth,
  type ObjectKey,
  type Result,
  referenceTo,
  type Stored,
  writeStatus,
} from '@reloader/runtime';
import type { PodConfigMetrics } from './metrics.ts';
import {
  type GeneratedFacts,
  type PcmcFacts,
  type PodConfigMapConfig,
  PodConfigMapConfigs,
  type PodFacts,
  type Trouble,
} from './model.ts';
import { labelValueOf } from './names.ts';
import { planFor } from './plan.ts';
import { type Progress, statusOf } from './status.ts';
import type { Troubles } from './troubles.ts';

export interface StatusDependencies {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly configs: Informer<PcmcFacts>;
  readonly pods: Pick<Informer<PodFacts>, 'store'> & {
    syncedIn(namespace: string): boolean;
    healthByNamespace(): ReadonlyMap<string, InformerHealth>;
  };
  readonly generated: Informer<GeneratedFacts>;
  readonly troubles: Troubles;
  readonly clock: Clock;
  readonly counts: PodConfigMetrics | undefined;
}

/** How soon a config is looked at again whose pods are being listed. */
const SYNC_CHECK_MS = 500;
/** And one whose pods may not be read. */
const FORBIDDEN_CHECK_MS = 30_000;

export function createStatusReconciler(dependencies: StatusDependencies) {
  const { client, events, configs, clock, counts } = dependencies;
  return async (key: ObjectKey, signal: AbortSignal): Promise<Result> => {
    const { namespace = '', name } = key;
    const config = configs.store.get(key);
    if (!config) {
      counts?.forget(name, namespace);
      return {};
    }
    const unreadable = forbidden(namespace, dependencies);
    if (!unreadable && !dependencies.pods.syncedIn(namespace)) return { requeueAfterMs: SYNC_CHECK_MS };
    const progress = unreadable ?? progressOf(config, dependencies);
    const before = findCondition(config.status.conditions, 'Ready');
    const object = stored(config);
    await writeStatus(client, PodConfigMapConfigs, object, () => statusOf(config, progress, clock.now()), {
      signal,
      clock,
    });
    const after = findCondition(statusOf(config, progress, clock.now()).conditions, 'Ready');
    counts?.status(name, namespace, after?.status === 'True');
    counts?.active(name, namespace, progress.managedConfigMaps);
    if (after && after.reason !== before?.reason && after.reason !== 'Reconciling') {
      const type = after.status === 'True' ? 'Normal' : 'Warning';
      events.record(referenceTo(PodConfigMapConfigs, object), type, after.reason, after.message);
    }
    return unreadable ? { requeueAfterMs: FORBIDDEN_CHECK_MS } : {};
  };
}

/** `writeStatus` compares with what the cache knows of the object: its identity and its status. */
function stored({ metadata, status, generation }: PcmcFacts): Stored<PodConfigMapConfig> {
  return { metadata: { ...metadata, generation }, status } as Stored<PodConfigMapConfig>;
}

function forbidden(namespace: string, { pods }: StatusDependencies): Progress | undefined {
  const state = pods.healthByNamespace().get(namespace)?.state;
  if (state?.phase !== 'forbidden') return undefined;
  const message = `The pods of namespace ${namespace} may not be read: ${state.error.message}`;
  const trouble: Trouble = { reason: 'Forbidden', message };
  return { matchedPods: 0, managedConfigMaps: 0, outstanding: 0, trouble, troubled: 1 };
}

function progressOf(config: PcmcFacts, { pods, generated, troubles }: StatusDependencies): Progress {
  const { namespace, name } = config.metadata;
  const label = labelValueOf(name);
  let matchedPods = 0;
  let outstanding = 0;
  const known = troubles.of(namespace, name);
  for (const pod of pods.store.list(namespace)) {
    const existing = [...generated.store.byIndex('pod', `${namespace}/${pod.metadata.name}`)];
    if (!config.selector?.matches(pod.labels) || pod.deleting) continue;
    matchedPods += 1;
    const mine = existing.filter(({ config: made }) => made === label);
    const plan = planFor({ pod, configs: [config], existing: mine, takenByOther: () => false });
    const open = plan.create.length + plan.update.length + plan.remove.length > 0;
    if (open && !known.has(pod.metadata.name)) outstanding += 1;
  }
  const managedConfigMaps = [...generated.store.byIndex('config', `${namespace}/${label}`)].filter(
    ({ pod, deleting }) => pod !== undefined && !deleting,
  ).length;
  const [first] = [...known].sort(([one], [other]) => (one < other ? -1 : 1));
  return { matchedPods, managedConfigMaps, outstanding, trouble: first?.[1], troubled: known.size };
}
