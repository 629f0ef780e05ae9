/**
 * The ConfigMap in which tools look up which reloader runs here, and with which options. Written once, when this
 * process becomes leader, in Stakater's format. Of a webhook's URL only scheme and host are shown, because its path
 * often is a secret.
 */
import {
  type Client,
  createOrUpdate,
  kinds,
  type Logger,
  type Runnable,
  type RunSignals,
} from '@reloader/runtime';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { KeyPlace } from '../model/key-place.ts';
import type { ReloaderSettings } from '../model/settings.ts';

export const META_INFO_CONFIG_MAP = 'reloader-meta-info';

export interface BuildInfo {
  readonly releaseVersion: string;
  readonly commitHash: string;
  /** RFC 3339. */
  readonly commitTime: string;
}

/** Options of the process that are not settings of the reloader itself. */
export interface ProcessOptions {
  readonly logFormat?: string;
  readonly logLevel?: string;
  readonly enableHA?: boolean;
  readonly enablePProf?: boolean;
  readonly pprofAddr?: string;
  /** Where the digest key is stored. */
  readonly digestKey?: KeyPlace;
}

export interface MetaInfoOptions {
  readonly client: Client;
  readonly logger: Logger;
  readonly settings: ReloaderSettings;
  readonly build: BuildInfo;
  readonly process: ProcessOptions;
}

export function metaInfoWriter({ client, logger, settings, build, process }: MetaInfoOptions): Runnable {
  return {
    name: 'meta info',
    // Only the leader may write; the other replicas would write the same.
    needsLeaderElection: true,
    async start({ stopping: signal }: RunSignals): Promise<void> {
      const key = { namespace: settings.operatorNamespace, name: META_INFO_CONFIG_MAP };
      try {
        await createOrUpdate(
          client,
          kinds.ConfigMap,
          key,
          (draft) => {
            draft.metadata = {
              ...draft.metadata,
              labels: { ...draft.metadata?.labels, 'reloader.stakater.com/meta-info': 'reloader' },
            };
            draft.data = { ...draft.data, ...metaInfo(settings, build, process) };
          },
          { signal },
        );
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('The meta info could not be written; nothing depends on it', {
          configMap: `${key.namespace}/${key.name}`,
          error,
        });
      }
    },
  };
}

export function metaInfo(
  settings: ReloaderSettings,
  build: BuildInfo,
  options: ProcessOptions,
): Record<'buildInfo' | 'reloaderOptions' | 'deploymentInfo', string> {
  return {
    buildInfo: JSON.stringify({ goVersion: `nodejs ${process.version}`, ...build, edition: 'oss' }),
    reloaderOptions: JSON.stringify(reloaderOptions(settings, options)),
    deploymentInfo: JSON.stringify({ name: settings.operatorName, namespace: settings.operatorNamespace }),
  };
}

/** Under the names that tools for Stakater Reloader expect; ours come last. */
function reloaderOptions(settings: ReloaderSettings, options: ProcessOptions): Record<string, unknown> {
  const { names } = settings;
  return {
    autoReloadAll: settings.autoReloadAll,
    configmapUpdateOnChangeAnnotation: names.configMapReload,
    secretUpdateOnChangeAnnotation: names.secretReload,
    secretProviderClassUpdateOnChangeAnnotation: names.providerClassReload,
    reloaderAutoAnnotation: names.auto,
    ignoreResourceAnnotation: names.ignore,
    configmapReloaderAutoAnnotation: names.configMapAuto,
    secretReloaderAutoAnnotation: names.secretAuto,
    secretProviderClassReloaderAutoAnnotation: names.providerClassAuto,
    configmapExcludeReloaderAnnotation: names.configMapExclude,
    secretExcludeReloaderAnnotation: names.secretExclude,
    secretProviderClassExcludeReloaderAnnotation: names.providerClassExclude,
    autoSearchAnnotation: names.search,
    searchMatchAnnotation: names.match,
    rolloutStrategyAnnotation: FIXED_ANNOTATIONS.rolloutStrategy,
    pauseDeploymentAnnotation: names.pausePeriod,
    pauseDeploymentTimeAnnotation: names.pausedAt,
    ...options,
    isArgoRollouts: settings.argoRollouts,
    reloadStrategy: settings.reloadStrategy,
    reloadOnCreate: settings.reloadOnCreate,
    reloadOnDelete: settings.reloadOnDelete,
    // Always on: changes during a downtime are found by comparison with the ledgers.
    syncAfterRestart: true,
    enableCSIIntegration: settings.csi,
    webhookUrl: hostOf(settings.webhookUrl),
    resourcesToIgnore: [...settings.ignoredSources].map((kind) => `${kind.toLowerCase()}s`).sort(),
    workloadTypesToIgnore: [...settings.ignoredWorkloads].map((kind) => `${kind.toLowerCase()}s`).sort(),
    namespaceSelectors: textOf(settings.namespaceSelector?.text),
    resourceSelectors: textOf(settings.resourceLabelSelector),
    namespacesToIgnore: [...settings.namespacesToIgnore].sort(),
    namespaces: settings.namespaces,
    mode: settings.mode,
    rolloutStrategy: settings.rolloutStrategy,
    settleMs: settings.settleMs,
    settleMaxMs: settings.settleMaxMs,
    batchWindowMs: settings.batchWindowMs,
    maxUnfinishedRollouts: settings.maxUnfinishedRollouts,
    keyLevel: settings.keyLevel,
    digest: settings.digest,
    takeover: settings.takeover,
    recreate: settings.recreate,
    cronJobStrategy: settings.cronJobStrategy,
    finishedJobs: settings.finishedJobs,
    allowCrossNamespace: settings.allowCrossNamespace,
    namespaceDefaults: settings.namespaceDefaults,
  };
}

const textOf = (selector: string | undefined): string[] => (selector ? [selector] : []);

function hostOf(url: string | undefined): string {
  if (url === undefined) return '';
  try {
    return new URL(url).origin;
  } catch {
    return '';
  }
}
