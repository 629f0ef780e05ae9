/** A ReloaderConfig as decisions read it: defaults resolved as far as the object says, nothing parsed twice. */
import type { Selector } from '@reloader/runtime';
import type { Concurrency } from './budget.ts';
import type { ConfigRule } from './content-rule.ts';
import type { Hidden } from './hidden.ts';
import type { Canary } from './order.ts';
import type { RateLimit } from './rate.ts';
import type { OnFailure, Verify } from './verify.ts';
import type { Window } from './window.ts';
import type { WorkloadKind, WorkloadRef } from './workload.ts';

export type ReloadStrategy = 'env-vars' | 'annotations';
export type RolloutStrategy = 'rollout' | 'restart';

export const APPROVALS = ['required', 'none'] as const;
export type Approval = (typeof APPROVALS)[number];

export interface TargetFacts extends WorkloadRef {
  readonly rolloutStrategy?: RolloutStrategy;
  readonly reloadStrategy?: ReloadStrategy;
  readonly pausePeriodMs?: number;
  readonly settleMs?: number;
  readonly batchWindowMs?: number;
  readonly approval?: Approval;
  readonly verify?: Verify;
  readonly onFailure?: OnFailure;
  readonly condition?: string;
  readonly wave?: number;
  readonly requireReference: boolean;
}

export interface ConfigProblem {
  /** Path within the object: `spec.targets[0].pausePeriod`. */
  readonly field: string;
  readonly message: string;
}

export const ALERT_CHANNELS = ['slack', 'teams', 'googleChat', 'customWebhook'] as const;
export type AlertChannelName = (typeof ALERT_CHANNELS)[number];
export const ALERT_EVENTS = ['reloaded', 'failed', 'deferred'] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];
export const TEAMS_FORMATS = ['adaptiveCard', 'messageCard'] as const;
export type TeamsFormat = (typeof TEAMS_FORMATS)[number];

/** Where to tell about the reloads that a config asks for. */
export interface ChannelFacts {
  readonly channel: AlertChannelName;
  /** Wins over `secretRef`. */
  readonly url: Hidden | undefined;
  readonly secretRef: { readonly namespace: string; readonly name: string; readonly key: string } | undefined;
  readonly events: readonly AlertEvent[];
  /** A Go template that was read without complaint. */
  readonly template: string | undefined;
  /** Of Teams; undefined: the URL tells. */
  readonly format: TeamsFormat | undefined;
}

export interface ConfigFacts {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly generation: number;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** Seconds since the epoch: when its spec was last written, as managedFields tell; its creation where they do not. */
  readonly specWrittenAt: number;
  /** The program that last wrote its spec, by the name it gave itself; empty where nobody knows. */
  readonly writtenBy?: string;
  /** `reloader.stakater.com/ignore: "true"`. */
  readonly ignored: boolean;
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  /** Compiled; undefined where the spec has none. One that does not compile selects nothing and is a problem. */
  readonly namespaceSelector: Selector | undefined;
  readonly resourceSelector: Selector | undefined;
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly enableTargetedReload: boolean;
  readonly autoReloadAll: boolean;
  readonly ignoreResources: readonly {
    readonly kind: 'Secret' | 'ConfigMap';
    readonly name: string;
    readonly namespace?: string;
  }[];
  readonly reloadOnCreate: boolean | undefined;
  readonly reloadOnDelete: boolean | undefined;
  readonly rolloutStrategy: RolloutStrategy | undefined;
  readonly reloadStrategy: ReloadStrategy | undefined;
  readonly pausePeriodMs: number | undefined;
  readonly settleMs: number | undefined;
  readonly batchWindowMs: number | undefined;
  readonly windows: readonly Window[];
  readonly maxWaitMs: number | undefined;
  readonly approval: Approval | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly verify: Verify | undefined;
  readonly onFailure: OnFailure | undefined;
  /** As it was written. */
  readonly condition: string | undefined;
  readonly canary: Canary | undefined;
  /** Of its targets, how many may be rolling out at a time. */
  readonly maxConcurrent: Concurrency | undefined;
  /** What the content of watched sources has to be before it is rolled out. */
  readonly validate: readonly ConfigRule[];
  readonly targets: readonly TargetFacts[];
  readonly alerts: readonly ChannelFacts[];
  /** What could not be understood; the rest works. */
  readonly problems: readonly ConfigProblem[];
  /** The status as last read, for writing only what changed. */
  readonly status: Readonly<Record<string, unknown>>;
}

export const TARGET_KINDS: readonly WorkloadKind[] = [
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'DeploymentConfig',
  'Rollout',
  'CronJob',
  'Job',
];
