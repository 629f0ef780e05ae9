/**
 * Keeps the status of every ReloaderConfig up to date.
 *
 * In: changes of configs, of workloads (by the engine's view) and of sources. Out: status writes, within half a second,
 * at most three a second for each config, and none without a change. Everything is read from caches; on a conflict with
 * another writer, the status is read again and recomputed.
 */
import {
  type Channel,
  type Client,
  type Clock,
  type Condition,
  type Controller,
  channel,
  compareVersions,
  createController,
  ForbiddenError,
  findCondition,
  type Informer,
  type Logger,
  type Metrics,
  type ObjectKey,
  type Stored,
  writeStatus,
} from '@reloader/runtime';
import { ReloaderConfigs } from '../../../crds/reloader-config/resource.ts';
import type { ReloaderConfigObject, ReloaderConfigStatus } from '../../../crds/reloader-config.ts';
import { inPieces } from '../../../pace/pieces.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import { type SourceKind, sourceKey } from '../../model/source.ts';
import { workloadKey } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import type { EngineView, PipelineReporter, WorkloadView } from '../reporter.ts';
import { computeStatus } from './compute.ts';
import type { Statement } from './statement.ts';
import type { ReloadTally } from './tally.ts';
import type { TargetView } from './targets.ts';

export interface ConfigStatusOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly tally: ReloadTally;
  readonly configs: Informer<ConfigFacts>;
  /** By config: the alerts that could not be sent. */
  readonly alertFailures?: {
    of(config: ConfigFacts): readonly string[];
    /** `namespace/name` of a deleted config. */
    forget(config: string): void;
  };
  /** Statements about the installation as a whole. */
  readonly installation?: readonly Statement[];
  /** Reports a warning once, when its condition becomes true. */
  readonly warn?: (config: string, reason: string, message: string) => void;
}

/** Resync interval: finds changes without an event. */
const LOOK_AGAIN_MS = 300_000;
/**
 * A client that sees the rollout should find it in the status half a second later, request included, so the interval
 * between two writes is a little shorter than that.
 */
const WRITE_EVERY_MS = 400;
const OTHERS_FIRST_MS = 10_000;
/** Not a valid name of a namespace. */
const ANYWHERE = '*';

type StoredConfig = Stored<ReloaderConfigObject>;

export class ConfigStatuses implements Partial<PipelineReporter> {
  readonly controller: Controller<ObjectKey>;
  readonly #options: ConfigStatusOptions;
  readonly #channel: Channel<ObjectKey> = channel('ReloaderConfig status');
  /** By source: the configs that name it, so that its creation or deletion enqueues them even without a target. */
  readonly #naming = new Map<string, Set<string>>();
  /** The last written objects, because the cache may be behind. */
  readonly #written = new Map<string, StoredConfig>();
  #view: EngineView | undefined;
  #saidForbidden = false;

  constructor(options: ConfigStatusOptions) {
    this.#options = options;
    const { clock, logger, metrics } = options;
    this.controller = createController({
      name: 'reloaderconfig-status',
      sources: [this.#channel],
      concurrency: 4,
      clock,
      logger,
      metrics,
      queue: { startLimit: { count: 1, withinMs: WRITE_EVERY_MS } },
      reconcile: (key, { signal }) => this.#reconcile(key, signal),
    });
    options.configs.addHandler((event) => {
      const before = event.type === 'update' ? event.old : event.object;
      this.#name(before, false);
      if (event.type !== 'delete') this.#name(event.object, true);
      // Our own writes come back as updates: requeue only for changes that can alter the status.
      if (event.type === 'update' && !event.resync && !differs(event.old, event.object)) return;
      for (const config of [before, event.object]) this.#wakeWithOthers(config);
    });
  }

  attach(view: EngineView): void {
    this.#view = view;
    view.onChange((ref) => {
      for (const { metadata } of this.#options.world.configsFor(ref)) this.#wake(metadata);
    });
  }

  /** The alerts of this config fail, or work again. */
  alertsChanged(config: { readonly namespace: string; readonly name: string }): void {
    this.#wake(config);
  }

  sourceChanged(
    kind: SourceKind,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): void {
    for (const place of [namespace, ANYWHERE]) {
      for (const config of this.#naming.get(sourceKey({ kind, namespace: place, name })) ?? []) {
        const [home = '', own = ''] = config.split('/');
        this.#wake({ namespace: home, name: own });
      }
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<{ requeueAfterMs: number } | undefined> {
    const { client, clock, world, settings, tally, alertFailures, installation } = this.#options;
    const { namespace = '', name } = key;
    const config = world.config({ namespace, name });
    if (!config) {
      this.#written.delete(`${namespace}/${name}`);
      tally.forgetConfig(`${namespace}/${name}`);
      alertFailures?.forget(`${namespace}/${name}`);
      return undefined;
    }
    const inScope = world.inScope(namespace);
    // Another installation may manage that namespace, and two writers would overwrite each other forever.
    if (!inScope && !settings.namespacesToIgnore.has(namespace)) return undefined;
    const waitMs = inScope ? 0 : othersMs(config, clock.now());
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const view = await this.#viewOf(config);
    const made = tally.made(`${namespace}/${name}`);
    let lookAgainAt: number | undefined;
    let news: Condition | undefined;
    const compute = (live: StoredConfig): ReloaderConfigStatus => {
      if (!inScope && isOthers(live)) return live.status ?? {};
      const computed = computeStatus({
        config,
        before: live.status ?? {},
        world,
        view,
        settings,
        made,
        isRolling: ({ target }) => tally.isRolling(target),
        alertFailures: alertFailures?.of(config) ?? [],
        installation: installation ?? [],
        now: clock.now(),
      });
      lookAgainAt = computed.lookAgainAt;
      news = turnedTrue('LargeFanOut', live.status?.conditions, computed.status.conditions);
      return computed.status;
    };
    try {
      const { operation, object } = await writeStatus(
        client,
        ReloaderConfigs,
        this.#newest(config),
        compute,
        { signal, clock },
      );
      if (operation === 'gone') return undefined;
      if (operation === 'patched') {
        this.#written.set(`${namespace}/${name}`, object);
        if (news) this.#options.warn?.(`${namespace}/${name}`, news.type, news.message ?? '');
      }
      tally.counted(`${namespace}/${name}`, made);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      this.#sayForbidden(error);
    }
    const now = clock.now();
    // One millisecond later, so that the expiry has passed.
    return { requeueAfterMs: Math.min(LOOK_AGAIN_MS, Math.max(1, (lookAgainAt ?? Infinity) - now + 1)) };
  }

  /** Looks at the targets a few at a time: a config may have hundreds, and reloads need the event loop. */
  async #viewOf({ targets }: ConfigFacts): Promise<TargetView | undefined> {
    const view = this.#view;
    if (!view) return undefined;
    const known = new Map<string, WorkloadView | undefined>();
    await inPieces(targets, (target) => {
      const key = workloadKey(target);
      if (!known.has(key)) known.set(key, view.workload(target));
    });
    return { workload: (ref) => known.get(workloadKey(ref)) };
  }

  #newest({ metadata, status }: ConfigFacts): StoredConfig {
    const cached: StoredConfig = { metadata: { ...metadata }, status: status as ReloaderConfigStatus };
    const written = this.#written.get(`${metadata.namespace}/${metadata.name}`);
    if (!written || written.metadata.uid !== metadata.uid) return cached;
    const order = compareVersions(written.metadata.resourceVersion, metadata.resourceVersion);
    return (order ?? 0) > 0 ? written : cached;
  }

  #name(config: ConfigFacts, add: boolean): void {
    const { namespace, name } = config.metadata;
    const place = config.namespaceSelector ? ANYWHERE : namespace;
    const names = [
      ...config.secrets.map((secret) => sourceKey({ kind: 'Secret', namespace: place, name: secret })),
      ...config.configMaps.map((each) => sourceKey({ kind: 'ConfigMap', namespace: place, name: each })),
      ...config.alerts.flatMap(({ secretRef }) =>
        secretRef ? [sourceKey({ ...secretRef, kind: 'Secret' })] : [],
      ),
    ];
    for (const source of names) {
      const configs = this.#naming.get(source) ?? new Set();
      if (add) configs.add(`${namespace}/${name}`);
      else configs.delete(`${namespace}/${name}`);
      if (configs.size > 0) this.#naming.set(source, configs);
      else this.#naming.delete(source);
    }
  }

  /** Configs that share a target mention each other in their status. */
  #wakeWithOthers(config: ConfigFacts): void {
    this.#wake(config.metadata);
    for (const target of config.targets) {
      for (const { metadata } of this.#options.world.configsFor(target)) this.#wake(metadata);
    }
  }

  #wake({ namespace, name }: { readonly namespace: string; readonly name: string }): void {
    this.#channel.trigger({ namespace, name });
  }

  #sayForbidden(error: ForbiddenError): void {
    if (this.#saidForbidden) return;
    this.#saidForbidden = true;
    const { logger } = this.#options;
    logger.warn('The status of ReloaderConfigs may not be written; reloads do not depend on it', { error });
  }
}

/** For a config in an ignored namespace: how long to wait for another installation to write its status first. */
function othersMs({ createdAt, status }: ConfigFacts, now: number): number {
  if (findCondition((status as ReloaderConfigStatus).conditions, 'Ready')) return 0;
  return Math.max(0, createdAt * 1000 + OTHERS_FIRST_MS - now);
}

/** Another installation has written this status, so it is kept. OutOfScope is written only if there is none. */
function isOthers({ status }: StoredConfig): boolean {
  const ready = findCondition(status?.conditions, 'Ready');
  return ready !== undefined && ready.reason !== 'OutOfScope';
}

/** A difference in more than the status and the resourceVersion. */
function differs(old: ConfigFacts, object: ConfigFacts): boolean {
  return (
    old.metadata.uid !== object.metadata.uid ||
    old.generation !== object.generation ||
    old.ignored !== object.ignored
  );
}

/** The condition of this type, if it has just become true. */
function turnedTrue(
  type: string,
  before: readonly Condition[] | undefined,
  after: readonly Condition[] | undefined,
): Condition | undefined {
  const isIt = (condition: Condition): boolean => condition.type === type && condition.status === 'True';
  return before?.some(isIt) ? undefined : after?.find(isIt);
}
