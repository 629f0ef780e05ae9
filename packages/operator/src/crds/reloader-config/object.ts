/** A ReloaderConfig as the API server hands it out. The schema is the authority: this only gives its names types. */
import type { Condition, KubernetesObject, LabelSelector } from '@reloader/runtime';

export type TargetKind =
  | 'Deployment'
  | 'StatefulSet'
  | 'DaemonSet'
  | 'DeploymentConfig'
  | 'Rollout'
  | 'CronJob'
  | 'Job';

export interface ReloaderConfigObject extends KubernetesObject {
  spec?: ReloaderConfigSpec;
  status?: ReloaderConfigStatus;
}

/** How to reload: in the spec for all targets, in a target for that one. Durations as Go writes them. */
export interface ReloadManner {
  rolloutStrategy?: 'rollout' | 'restart';
  /** `restart` is an older way to write `rolloutStrategy: restart`. */
  reloadStrategy?: 'env-vars' | 'annotations' | 'restart';
  pausePeriod?: string;
  settle?: string;
  batchWindow?: string;
  approval?: 'required' | 'none';
  verify?: { timeout?: string; stableFor?: string; maxRestarts?: number };
}

/** Either `schedule`, `duration` and `timeZone`, or `from` and `to`. */
export interface ReloadWindow {
  kind?: 'allow' | 'deny';
  schedule?: string;
  duration?: string;
  timeZone?: string;
  from?: string;
  to?: string;
}

/** What the content of a watched source has to be before it is rolled out. */
export interface ContentCheck {
  source?: { kind: 'ConfigMap' | 'Secret'; name: string };
  requiredKeys?: string[];
  key?: string;
  format?: 'yaml' | 'json' | 'properties' | 'pem';
  expiresIn?: string;
  rule?: string;
  schema?: Record<string, unknown>;
  message?: string;
}

export interface ReloaderConfigSpec extends ReloadManner {
  validate?: ContentCheck[];
  windows?: ReloadWindow[];
  maxWait?: string;
  /** `3`, or `25%`. */
  maxConcurrent?: number | string;
  rateLimit?: { perHour: number; burst?: number };
  watchedResources?: {
    secrets?: string[];
    configMaps?: string[];
    enableTargetedReload?: boolean;
    namespaceSelector?: LabelSelector;
    resourceSelector?: LabelSelector;
  };
  targets?: ReloaderConfigTarget[];
  autoReloadAll?: boolean;
  reloadOnCreate?: boolean;
  reloadOnDelete?: boolean;
  ignoreResources?: { kind: 'Secret' | 'ConfigMap'; name: string; namespace?: string }[];
  matchLabels?: Record<string, string>;
  alerts?: {
    slack?: AlertChannel;
    teams?: AlertChannel & { format?: 'adaptiveCard' | 'messageCard' };
    googleChat?: AlertChannel;
    customWebhook?: AlertChannel;
  };
}

export interface ReloaderConfigTarget extends ReloadManner {
  kind: TargetKind;
  name: string;
  namespace?: string;
  requireReference?: boolean;
}

/** `url` wins unless it is empty. */
export interface AlertChannel {
  url?: string;
  /** `key` is `url` and `namespace` the config's own unless given. */
  secretRef?: { name: string; key?: string; namespace?: string };
  /** Everything unless given. */
  events?: ('reloaded' | 'failed' | 'deferred')[];
  template?: string;
}

export interface ReloaderConfigStatus {
  conditions?: Condition[];
  observedGeneration?: number;
  /** `namespace/Kind/name` to digest. */
  watchedResourceHashes?: Record<string, string>;
  reloadCount?: number;
  lastReloadTime?: string;
  strategy?: string;
  targetsFound?: string;
  /** How many targets wait with a change, and why: `2 (frozen, paused)`. */
  pending?: string;
  targetStatus?: ReloaderConfigTargetStatus[];
  /** Uid of a workload to `number@seconds` of the last reload that was counted. */
  countedReloads?: Record<string, string>;
}

export interface ReloaderConfigTargetStatus {
  kind: string;
  name: string;
  namespace: string;
  reloadCount?: number;
  lastReloadTime?: string;
  pausedUntil?: string;
  deferredReason?: string;
  pendingSince?: string;
  change?: string;
  deferredUntil?: string;
  lastError?: string;
}
