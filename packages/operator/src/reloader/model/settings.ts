/** What the pipeline is told by flags and environment. One immutable object for the life of the process. */
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
  /** For each workload; undefined: any number. */
  readonly reloadRate: RateLimit | undefined;
  /** 0: no cap. */
  readonly maxUnfinishedRollouts: number;
  /** A source that more workloads use is worth a warning before it changes; 0: no warning. */
  readonly warnFanOut: number;
  /** Without progress for so long, a rollout has failed where Kubernetes has no deadline, and its slot is free. */
  readonly rolloutDeadlineMs: number;
  /** `observe` decides and reports, and writes nothing to workloads. */
  readonly mode: 'reload' | 'observe';
  /** Reloads are verified unless a workload or a ReloaderConfig says otherwise. */
  readonly verify: boolean;
  /** Whoever asks for it has ConfigMaps put back after a failure. */
  readonly restoreConfigMaps: boolean;
  readonly keyLevel: boolean;
  /** `sha1` writes Stakater's plain hashes for Secrets too. */
  readonly digest: 'keyed' | 'sha1';
  readonly takeover: 'adopt' | 'catch-up';
  readonly recreate: 'reload' | 'ignore';
  /** For CronJobs that are targets of a ReloaderConfig. */
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
  /** Only these; empty means all. */
  readonly namespaces: readonly string[];
  readonly namespacesToIgnore: ReadonlySet<string>;
  readonly namespaceSelector: Selector | undefined;
  /** As text: it goes to the server. */
  readonly resourceLabelSelector: string;
  readonly argoRollouts: boolean;
  readonly csi: boolean;
  /** Replaces reloading: every change is posted there. */
  readonly webhookUrl: string | undefined;
  /** Where our own objects live: digest key, history, meta-info, kept Jobs. */
  readonly operatorNamespace: string;
  /** Name of the operator's Deployment, for the meta-info ConfigMap. */
  readonly operatorName: string;
}

/** What tells this installation from others, for people. */
export function installationOf({
  operatorNamespace,
  operatorName,
}: Pick<ReloaderSettings, 'operatorNamespace' | 'operatorName'>): string {
  return `${operatorNamespace}/${operatorName}`;
}
