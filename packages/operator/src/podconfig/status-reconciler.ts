/** Writes the status of one config from what the passes over its pods found, and an Event when Ready changes its mind. */
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
import { firstChoice, labelValueOf } from './names.ts';
import type { Progress } from './progress.ts';
import { type Counted, statusOf } from './status.ts';

export interface StatusDependencies {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly configs: Pick<Informer<PcmcFacts>, 'store'>;
  readonly pods: Pick<Informer<PodFacts>, 'store'> & {
    syncedIn(namespace: string): boolean;
    healthByNamespace(): ReadonlyMap<string, InformerHealth>;
  };
  readonly made: Pick<Informer<GeneratedFacts>, 'store'>;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly counts: PodConfigMetrics | undefined;
}

/** How soon a config is looked at again whose pods are being listed. */
const SYNC_CHECK_MS = 500;
/** And one whose pods may not be read. */
const FORBIDDEN_CHECK_MS = 30_000;

export function createStatusReconciler(dependencies: StatusDependencies) {
  const { client, events, configs, pods, progress, clock, counts } = dependencies;
  return async (key: ObjectKey, signal: AbortSignal): Promise<Result> => {
    const { namespace = '', name } = key;
    const config = configs.store.get(key);
    if (!config) {
      counts?.forget(name, namespace);
      progress.forgetConfig(namespace, name);
      return {};
    }
    const unreadable = forbidden(namespace, pods);
    if (!unreadable && !pods.syncedIn(namespace)) return { requeueAfterMs: SYNC_CHECK_MS };
    const counted = unreadable ?? count(config, dependencies);
    const now = clock.now();
    const before = findCondition(config.status.conditions, 'Ready');
    const object = stored(config);
    const { operation } = await writeStatus(
      client,
      PodConfigMapConfigs,
      object,
      ({ status = {} }) => statusOf({ ...config, status }, counted, now),
      { signal, clock },
    );
    if (operation === 'gone') return {};
    const after = findCondition(statusOf(config, counted, now).conditions, 'Ready');
    counts?.status(name, namespace, after?.status === 'True');
    counts?.active(name, namespace, counted.managedConfigMaps);
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

function forbidden(namespace: string, pods: StatusDependencies['pods']): Counted | undefined {
  const state = pods.healthByNamespace().get(namespace)?.state;
  if (state?.phase !== 'forbidden') return undefined;
  const message = `The pods of namespace ${namespace} may not be read: ${state.error.message}`;
  const trouble: Trouble = { reason: 'Forbidden', message };
  return { matchedPods: 0, managedConfigMaps: 0, otherNames: [], outstanding: 0, trouble, troubled: 1 };
}

function count(config: PcmcFacts, { pods, made, progress }: StatusDependencies): Counted {
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
