/** A ReloaderConfig as decisions read it: parsed once, with the defaults that depend on the object alone. */
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

/** An alert channel for the reloads that a config asks for. */
export interface ChannelFacts {
  readonly channel: AlertChannelName;
  /** Takes precedence over `secretRef`. */
  readonly url: Hidden | undefined;
  readonly secretRef: { readonly namespace: string; readonly name: string; readonly key: string } | undefined;
  readonly events: readonly AlertEvent[];
  /** A Go template that was parsed without errors. */
  readonly template: string | undefined;
  /** Only for Teams; undefined: the URL determines it. */
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
  /** Seconds since the epoch: the last write of its spec according to managedFields, else its creation. */
  readonly specWrittenAt: number;
  /** The field manager that last wrote its spec; empty if unknown. */
  readonly writtenBy?: string;
  /** `reloader.stakater.com/ignore: "true"`. */
  readonly ignored: boolean;
  readonly secrets: readonly string[];
  readonly configMaps: readonly string[];
  /** Compiled; undefined if the spec has none. One that does not compile selects nothing and is a problem. */
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
  /** The text as written by the user. */
  readonly condition: string | undefined;
  readonly canary: Canary | undefined;
  /** How many of its targets may roll out at a time. */
  readonly maxConcurrent: Concurrency | undefined;
  /** Rules that the content of watched sources must meet before it is rolled out. */
  readonly validate: readonly ConfigRule[];
  readonly targets: readonly TargetFacts[];
  readonly alerts: readonly ChannelFacts[];
  /** Fields that could not be parsed; the others still apply. */
  readonly problems: readonly ConfigProblem[];
  /** The status as last read, so that only changes are written. */
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
