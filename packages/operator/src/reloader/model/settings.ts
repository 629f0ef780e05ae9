/** Settings of the pipeline, from flags and environment. One immutable object for the life of the process. */
import type { Selector } from '@reloader/runtime';
import type { AnnotationNames } from './annotations.ts';
import type { ReloadStrategy, RolloutStrategy } from './config.ts';
import type { RateLimit } from './rate.ts';
import type { SourceKind } from './source.ts';
import type { WorkloadKind } from './workload.ts';

export interface ReloaderSettings {
  readonly names: AnnotationNames;
  readonly autoReloadAll: boolean;
  readonly reloadStrategy: ReloadStrategy;
  readonly rolloutStrategy: RolloutStrategy;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  readonly batchWindowMs: number;
  /** Limit of each workload; undefined: no limit. */
  readonly reloadRate: RateLimit | undefined;
  /** 0: no cap. */
  readonly maxUnfinishedRollouts: number;
  /** The operator warns about a source that more workloads use than this, before it changes; 0: no warning. */
  readonly warnFanOut: number;
  /** A rollout without progress for this long has failed if Kubernetes has no deadline for it; its slot is released. */
  readonly rolloutDeadlineMs: number;
  /** `observe` decides and reports, and writes nothing to workloads. */
  readonly mode: 'reload' | 'observe';
  /** Reloads are verified unless a workload or a ReloaderConfig says otherwise. */
  readonly verify: boolean;
  /** The operator may restore ConfigMaps after a failed reload, for workloads that ask for it. */
  readonly restoreConfigMaps: boolean;
  readonly keyLevel: boolean;
  /** `sha1` writes Stakater's plain hashes for Secrets too. */
  readonly digest: 'keyed' | 'sha1';
  readonly takeover: 'adopt' | 'catch-up';
  readonly recreate: 'reload' | 'ignore';
  /** Applies to CronJobs that are targets of a ReloaderConfig. */
  readonly cronJobStrategy: 'run' | 'next-run';
  readonly finishedJobs: 'run' | 'skip';
  readonly allowCrossNamespace: boolean;
  readonly namespaceDefaults: boolean;
  /** ConfigMaps made by a PodConfigMapConfig trigger reloads too. */
  readonly reloadOnGenerated: boolean;
  /** Writes the digest of a changed source to its annotation `last-hash`. */
  readonly writeSourceHash: boolean;
  readonly ignoredSources: ReadonlySet<SourceKind>;
  readonly ignoredWorkloads: ReadonlySet<WorkloadKind>;
  /** Only these namespaces are watched; empty means all. */
  readonly namespaces: readonly string[];
  readonly namespacesToIgnore: ReadonlySet<string>;
  readonly namespaceSelector: Selector | undefined;
  /** As text, because it is sent to the API server. */
  readonly resourceLabelSelector: string;
  readonly argoRollouts: boolean;
  readonly csi: boolean;
  /** Replaces reloading: every change is posted to this URL. */
  readonly webhookUrl: string | undefined;
  /** Namespace of our own objects: digest key, history, meta-info, kept Jobs. */
  readonly operatorNamespace: string;
  /** Name of the operator's Deployment, for the meta-info ConfigMap. */
  readonly operatorName: string;
}

/** Name that distinguishes this installation from others in messages. */
export function installationOf({
  operatorNamespace,
  operatorName,
}: Pick<ReloaderSettings, 'operatorNamespace' | 'operatorName'>): string {
  return `${operatorNamespace}/${operatorName}`;
}
