/** Creates the informers, according to the settings, the kinds that the API server serves, and our permissions. */
import type { Cached, CachingInformer, KubernetesObject, Logger, ResourceType } from '@reloader/runtime';
import { ConfigMapsInBytes, resourceName, SecretsInBytes } from '@reloader/runtime';
import type { DigestKey } from '../digest/framed.ts';
import {
  type PodStatusFacts,
  type ProviderClassFacts,
  podStatusFacts,
  providerClassFacts,
} from '../digest/provider-class.ts';
import { configMapFacts, secretFacts } from '../digest/source-projection.ts';
import { configIndexes, workloadIndexes } from '../index/terms.ts';
import { KEPT_LABEL, NOTES_LABEL } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import { Namespaces, PodStatuses, ProviderClasses, ReloaderConfigs, WORKLOAD_TYPES } from '../model/kinds.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceKind } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { WORKLOAD_KINDS, type WorkloadFacts, type WorkloadKind } from '../model/workload.ts';
import type { WorkloadObject } from '../model/workload-object.ts';
import type { NamespaceFacts } from '../model/world.ts';
import { configFacts } from '../project/config-projection.ts';
import { namespaceFacts } from '../project/namespace-projection.ts';
import { projectedOnce } from '../project/projected-once.ts';
import { workloadFacts } from '../project/workload-projection.ts';
import type { Access } from './access.ts';
import { type InformerParts, type KindOptions, listed, watched } from './informers.ts';
import type { ListedInformer } from './listed-informer.ts';
import { quiet } from './quiet-logger.ts';

export interface Cache<C extends Cached> {
  readonly informer: CachingInformer<C>;
  /** The API server has this kind, so the start waits for its sync. Others are picked up when they are installed. */
  readonly required: boolean;
}

export interface Caches {
  readonly sources: ReadonlyMap<SourceKind, Cache<SourceFacts>>;
  readonly podStatuses: Cache<PodStatusFacts> | undefined;
  readonly providerClasses: Cache<ProviderClassFacts> | undefined;
  readonly workloads: ReadonlyMap<WorkloadKind, Cache<WorkloadFacts>>;
  readonly listed: ReadonlyMap<WorkloadKind, ListedInformer<WorkloadObject, WorkloadFacts>>;
  readonly configs: Cache<ConfigFacts> | undefined;
  readonly namespaces: Cache<NamespaceFacts> | undefined;
  readonly all: readonly Cache<Cached>[];
}

export interface CachesOptions extends Omit<InformerParts, 'namespaces'> {
  readonly settings: ReloaderSettings;
  readonly digestKey: DigestKey | undefined;
  /** The key before the last rotation. */
  readonly previousDigestKey?: DigestKey | undefined;
  readonly access: Access;
  /** `plural.group` of every kind that the API server serves. */
  readonly served: ReadonlySet<string>;
}

export function createCaches(options: CachesOptions): Caches {
  const { settings, access, served, logger } = options;
  const { names } = settings;
  const parts: InformerParts = { ...options, namespaces: settings.namespaces };
  const all: Cache<Cached>[] = [];

  const add = <C extends Cached>(informer: CachingInformer<C>): Cache<C> => {
    const cache = { informer, required: served.has(resourceName(informer.type)) };
    all.push(cache as unknown as Cache<Cached>);
    return cache;
  };
  const partsFor = (type: ResourceType): InformerParts =>
    served.has(resourceName(type)) ? parts : { ...parts, logger: quiet(logger) };
  const watch = <T extends KubernetesObject, C extends Cached>(
    kind: KindOptions<T, C>,
  ): Cache<C> | undefined => {
    const { type } = kind;
    if (access.maySomewhere('list', type) && access.maySomewhere('watch', type)) {
      return add(watched(partsFor(type), kind));
    }
    if (served.has(resourceName(type))) tellUnreadable(logger, type);
    return undefined;
  };

  const isKeyed = settings.digest === 'keyed';
  const key = isKeyed ? options.digestKey : undefined;
  const previousKey = isKeyed ? options.previousDigestKey : undefined;
  const legacyHash = settings.takeover === 'catch-up';
  const selected = (kind: SourceKind) => sourceSelection(kind, settings);
  const sources = new Map<SourceKind, Cache<SourceFacts>>();
  const addSource = (kind: SourceKind, cache: () => Cache<SourceFacts> | undefined): void => {
    const created = settings.ignoredSources.has(kind) ? undefined : cache();
    if (created) sources.set(kind, created);
  };
  addSource('Secret', () =>
    watch({
      // Their values are hashed on arrival, so bytes are enough.
      type: SecretsInBytes,
      project: (secret) => secretFacts(secret, { names, key, previousKey, legacyHash }),
      ...selected('Secret'),
    }),
  );
  addSource('ConfigMap', () =>
    watch({
      type: ConfigMapsInBytes,
      project: (map) => configMapFacts(map, { names, key, legacyHash }),
      ...selected('ConfigMap'),
    }),
  );

  const workloads = new Map<WorkloadKind, Cache<WorkloadFacts>>();
  const listedKinds = new Map<WorkloadKind, ListedInformer<WorkloadObject, WorkloadFacts>>();
  const indexes = workloadIndexes(names);
  for (const workloadKind of WORKLOAD_KINDS) {
    if (settings.ignoredWorkloads.has(workloadKind)) continue;
    const type = WORKLOAD_TYPES[workloadKind];
    const kind: KindOptions<WorkloadObject, WorkloadFacts> = {
      type,
      project: projectedOnce((object) => workloadFacts(object, workloadKind, names)),
      indexes,
    };
    if (access.maySomewhere('list', type) && !access.may('watch', type)) {
      const informer = listed(partsFor(type), kind);
      listedKinds.set(workloadKind, informer);
      workloads.set(workloadKind, add(informer));
      continue;
    }
    const cache = watch(kind);
    if (cache) workloads.set(workloadKind, cache);
  }
  if (listedKinds.size > 0) {
    logger.info('These kinds are listed when a source changes, because they may not be watched', {
      kinds: [...listedKinds.keys()],
    });
  }

  const csi = settings.csi && !settings.ignoredSources.has('SecretProviderClass');
  return {
    sources,
    workloads,
    listed: listedKinds,
    podStatuses: csi ? watch({ type: PodStatuses, project: podStatusFacts }) : undefined,
    providerClasses: csi
      ? watch({
          type: ProviderClasses,
          project: (object) => providerClassFacts(object, names),
          metadataOnly: true,
        })
      : undefined,
    configs: watch({
      type: ReloaderConfigs,
      project: (object) => configFacts(object, names),
      indexes: configIndexes,
    }),
    namespaces: watchNamespaces(options, add, parts),
    all,
  };
}

function watchNamespaces(
  { access, settings, logger }: CachesOptions,
  add: (informer: CachingInformer<NamespaceFacts>) => Cache<NamespaceFacts>,
  parts: InformerParts,
): Cache<NamespaceFacts> | undefined {
  if (access.may('list', Namespaces) && access.may('watch', Namespaces)) {
    const project: KindOptions<KubernetesObject, NamespaceFacts>['project'] = (object) =>
      namespaceFacts(object, settings.names);
    return add(watched(parts, { type: Namespaces, project, metadataOnly: true }));
  }
  if (settings.namespaceSelector && settings.namespaces.length === 0) {
    logger.warn('The namespace selector is not applied: namespaces may not be listed and watched');
  }
  return undefined;
}

/** Selectors that exclude sources on the server side: unwanted ones, our own notes, and the copies that we keep. */
function sourceSelection(
  kind: SourceKind,
  settings: ReloaderSettings,
): { labelSelector?: string; fieldSelector?: string } {
  const { resourceLabelSelector, namespacesToIgnore, namespaces } = settings;
  const ignored = namespaces.length > 0 ? [] : [...namespacesToIgnore];
  const selectors = [resourceLabelSelector, kind === 'ConfigMap' ? `!${NOTES_LABEL},!${KEPT_LABEL}` : ''];
  const labelSelector = selectors.filter((each) => each !== '').join(',');
  return {
    ...(labelSelector === '' ? {} : { labelSelector }),
    ...(ignored.length === 0
      ? {}
      : { fieldSelector: ignored.map((name) => `metadata.namespace!=${name}`).join(',') }),
  };
}

function tellUnreadable(logger: Logger, type: ResourceType): void {
  logger.warn('This kind is left alone: grant list and watch on it and start again', {
    resource: resourceName(type),
  });
}
