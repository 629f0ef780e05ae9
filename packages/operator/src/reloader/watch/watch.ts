/**
 * The cluster's state in caches, kept up to date.
 *
 * In: a client and the settings. Out: a `World` to read, requests for workloads whenever something that concerns them
 * changes, and the runnables for it. Guarantees: no payload of a Secret or ConfigMap is kept; our own writes, made
 * through a client wrapped with `tracker`, are visible at once; a kind that may not be watched is listed on demand, and
 * one that may not be listed is unknown and does not affect the others.
 */
import {
  type Cached,
  type CacheLike,
  type CachingInformer,
  type Client,
  type Clock,
  cacheRunnable,
  discover,
  type Informer,
  type InformerHealth,
  type KindKey,
  type Logger,
  type Metrics,
  NotFoundError,
  type Runnable,
  resourceName,
  type Source,
  WriteTracker,
} from '@reloader/runtime';
import type { DigestKey } from '../digest/framed.ts';
import { AffectedWorkloads } from '../index/affected-workloads.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { WorkloadFacts, WorkloadKind, WorkloadRef } from '../model/workload.ts';
import { refOf } from '../model/workload.ts';
import type { NamespaceFacts, World } from '../model/world.ts';
import { rolloutOf } from '../verify/rollout.ts';
import { type Access, reviewAccess } from './access.ts';
import { Appeared } from './appeared.ts';
import { type Caches, createCaches } from './caches.ts';
import { ChangeTimes } from './change-times.ts';
import { Deletions } from './deletions.ts';
import { Follower } from './follower.ts';
import { LastSeen } from './last-seen.ts';
import { OptIns } from './opt-ins.ts';
import { withOwnWrites } from './own-writes.ts';
import { PastContents } from './past-contents.ts';
import { ProviderClassView } from './provider-class-view.ts';
import { createRequests } from './request-sources.ts';
import { Revisions } from './revisions.ts';
import { createScope } from './scope.ts';
import { createWorld } from './world.ts';

export interface WatchOptions {
  readonly client: Client;
  readonly settings: ReloaderSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** Key for digests of Secrets; not used if the settings ask for plain hashes. */
  readonly digestKey: DigestKey | undefined;
  /** The key before the last rotation. */
  readonly previousDigestKey?: DigestKey | undefined;
  /** A shared tracker; default: a new one. */
  readonly tracker?: WriteTracker;
}

export interface Watch {
  readonly world: World;
  /** For `createController({ keys: kindKeys })`. */
  readonly sources: readonly Source<KindKey>[];
  /** Run the caches; ready when the required ones are in sync. */
  readonly runnables: readonly Runnable[];
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Health of all informers that must run; kinds that are not installed are included once they are. */
  health(): ReadonlyMap<string, InformerHealth>;
  /** Wrap the writing client: `trackWrites(client, tracker)`. */
  readonly tracker: WriteTracker;
  /** With our own writes applied; without kinds that may not be read. */
  readonly workloadInformers: ReadonlyMap<WorkloadKind, Informer<WorkloadFacts>>;
  /** The informers of Secrets and ConfigMaps, if watched. */
  readonly sourceInformers: readonly Informer<SourceFacts>[];
  /** Undefined if ReloaderConfigs may not be read. */
  readonly configs: Informer<ConfigFacts> | undefined;
  /** Undefined if Namespaces may not be read. */
  readonly namespaces: Informer<NamespaceFacts> | undefined;
  readonly affected: AffectedWorkloads;
  readonly access: Access;
  /** Kinds that are listed instead of watched: there are no events between two lists. */
  readonly listedKinds: ReadonlySet<WorkloadKind>;
  /** Reads a workload of a listed kind from the API server into the cache; does nothing for a watched kind. */
  refresh(ref: WorkloadRef, signal?: AbortSignal): Promise<void>;
}

/** The kinds that the API server serves, and our permissions. */
export interface Survey {
  readonly access: Access;
  /** Names of the served resources. */
  readonly served: ReadonlySet<string>;
}

export async function surveyServer(
  { client, settings, logger }: Pick<WatchOptions, 'client' | 'settings' | 'logger'>,
  signal?: AbortSignal,
): Promise<Survey> {
  const signalOption = signal ? { signal } : {};
  const [access, discovery] = await Promise.all([
    reviewAccess({ client, namespaces: settings.namespaces, logger, ...signalOption }),
    discover(client, { logger, ...signalOption }),
  ]);
  return { access, served: new Set(discovery.resources.map(resourceName)) };
}

export function createWatch(options: WatchOptions & Survey): Watch {
  const { client, settings, clock, logger, metrics, digestKey, previousDigestKey, access, served } = options;
  const tracker = options.tracker ?? new WriteTracker();
  const caches = createCaches({
    client,
    clock,
    logger,
    metrics,
    settings,
    digestKey,
    previousDigestKey,
    access,
    served,
  });
  const refresh = async (ref: WorkloadRef, ending?: AbortSignal): Promise<void> => {
    if (caches.listed.has(ref.kind)) await readInto(tracker, client, ref, ending);
  };
  const follower = new Follower({ clock, refresh, workload: (ref) => world.workload(ref) });
  const workloads = withOwnWrites({
    caches,
    tracker,
    clock,
    metrics,
    onWritten: (ref) => follower.follow(ref),
  });
  for (const informer of caches.listed.values()) followRunning(informer, follower);
  const inScope = createScope(settings, caches.namespaces?.informer.store);
  const lastSeen = new LastSeen();
  const changeTimes = new ChangeTimes(clock);
  const pastContents = new PastContents();
  for (const { informer } of caches.sources.values()) {
    lastSeen.follow(informer);
    changeTimes.follow(informer);
    pastContents.follow(informer, (facts) => changeTimes.applyTo(facts));
  }
  const appeared = new Appeared();
  for (const { informer } of caches.sources.values()) appeared.follow(informer);
  const deletions = new Deletions({ client, clock, logger });
  for (const { informer } of caches.sources.values()) deletions.follow(informer);
  const revisions = new Revisions();
  for (const { informer } of caches.sources.values()) revisions.followSources(informer);
  if (caches.podStatuses) revisions.followSources(caches.podStatuses.informer);
  if (caches.providerClasses) revisions.followSources(caches.providerClasses.informer);
  if (caches.configs) revisions.followConfigs(caches.configs.informer);
  if (caches.namespaces) revisions.followNamespaces(caches.namespaces.informer);
  const optIns = new OptIns(settings, clock);
  for (const [kind, { informer }] of workloads)
    if (!caches.listed.has(kind)) optIns.followWorkloads(informer);
  for (const { informer } of caches.sources.values()) optIns.followSources(informer);
  if (caches.configs) optIns.followConfigs(caches.configs.informer);
  if (caches.namespaces) optIns.followNamespaces(caches.namespaces.informer);
  const providerClasses =
    caches.podStatuses &&
    new ProviderClassView(caches.podStatuses.informer, caches.providerClasses?.informer);
  const configs = caches.configs?.informer;
  const world = createWorld({
    sources: new Map([...caches.sources].map(([kind, { informer }]) => [kind, informer])),
    providerClasses,
    workloads,
    configs: configs?.store,
    namespaces: caches.namespaces?.informer,
    inScope,
    lastSeen,
    changeTimes,
    pastContents,
    appeared,
    deletions,
    optIns,
    revisions,
    settings,
  });
  const affected = new AffectedWorkloads({
    workloads: [...workloads.values()].map(({ store }) => store),
    borrowing: [workloads.get('Rollout')?.store].filter((store) => store !== undefined),
    configs: configs?.store,
    world,
    settings,
  });
  const cache = cacheOf(caches);
  return {
    world,
    affected,
    access,
    tracker,
    configs,
    namespaces: caches.namespaces?.informer,
    sourceInformers: [...caches.sources.values()].map(({ informer }) => informer),
    sources: [
      ...createRequests({
        caches,
        workloads,
        affected,
        world,
        providerClasses,
        deletions: settings.resourceLabelSelector === '' ? undefined : deletions,
      }),
      ...(caches.listed.size > 0 ? [follower.source] : []),
    ],
    runnables: [
      cacheRunnable(cache, { name: 'reloader caches', clock }),
      ...(caches.listed.size > 0 ? [follower.runnable()] : []),
    ],
    whenSynced: cache.whenSynced,
    health: cache.health,
    workloadInformers: new Map([...workloads].map(([kind, { view }]) => [kind, view])),
    listedKinds: new Set(caches.listed.keys()),
    refresh,
  };
}

function cacheOf({ all }: Caches): CacheLike {
  const needed = all.filter(({ required }) => required);
  return {
    run: (signal) =>
      runAll(
        all.map(({ informer }) => informer),
        signal,
      ),
    whenSynced: async (signal) => {
      // Sequentially: together they would exceed the signal's limit of listeners.
      for (const { informer } of needed) await informer.whenSynced(signal);
    },
    health: () => {
      // Informers of single namespaces report synced even if their kind is not installed.
      const installed = ({ informer }: (typeof all)[number]): boolean =>
        informer.synced && informer.health().state.phase !== 'missing';
      const alive = all.filter((cache) => cache.required || installed(cache));
      return new Map(alive.map(({ informer }) => [resourceName(informer.type), informer.health()]));
    },
  };
}

/** Follows our rollouts that were already running at start. */
function followRunning(informer: CachingInformer<WorkloadFacts>, follower: Follower): void {
  informer.addHandler((event) => {
    if (event.type === 'delete') return;
    const { object } = event;
    const isOurs = object.annotations[FIXED_ANNOTATIONS.ledger] !== undefined;
    if (isOurs && rolloutOf(object).state === 'progressing') follower.follow(refOf(object));
  });
}

/** Each informer has its own signal: Node reports many listeners on one signal as a leak. */
async function runAll(
  informers: readonly Pick<CachingInformer<Cached>, 'run'>[],
  signal: AbortSignal,
): Promise<void> {
  const running = informers.map((informer) => ({ informer, own: new AbortController() }));
  const stop = (): void => {
    for (const { own } of running) own.abort(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.all(running.map(({ informer, own }) => informer.run(own.signal)));
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function readInto(
  tracker: WriteTracker,
  client: Client,
  { kind, ...key }: WorkloadRef,
  signal: AbortSignal | undefined,
): Promise<void> {
  const type = WORKLOAD_TYPES[kind];
  try {
    tracker.onRead(type, await client.get(type, key, signal ? { signal } : {}));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    tracker.onDeleted(type, key);
  }
}
