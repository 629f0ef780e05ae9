/**
 * The answers of `/api/v1`, and of the commands with `-o json`. They name objects, rules and times; they never hold a
 * digest or anything of a source's content.
 */
import type { Finding } from '../reloader/model/plan.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { Problem, Unwanted, WantRule } from '../reloader/model/want.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { ReloadEntry } from '../reloader/report/history.ts';
import type { Later } from '../reloader/schedule/types.ts';

/** Times are RFC 3339. */
export type Time = string;

export interface WatchedSource extends SourceRef {
  readonly rule: WantRule;
  /** Where the annotation stands that asks for it; absent where only ReloaderConfigs ask. */
  readonly from?: 'workload' | 'template' | 'namespace' | 'setting';
  readonly configs: readonly string[];
  /** Only these keys count; absent for all. */
  readonly keys?: readonly string[];
  readonly exists: 'yes' | 'no' | 'unknown';
  /** What it is now, against what the workload was last rolled out with. */
  readonly comparison: Finding;
  /** This alone is a reason to reload. */
  readonly reload: boolean;
  /** The rule, the comparison and their reasons in words. */
  readonly because: string;
}

export interface UnwatchedSource extends SourceRef {
  readonly rule: Unwanted['rule'];
  readonly because: string;
}

export interface Wait {
  readonly why: Later['why'];
  /** Absent: until something happens. */
  readonly until?: Time;
  readonly message: string;
  /** Names the change for `approve` and `now`. */
  readonly change?: string;
}

/** What the engine would do now. */
export interface Outlook {
  readonly action: 'nothing' | 'record' | 'reload' | 'left-alone' | 'waits-for-rollout' | 'unreadable';
  /** When it is reloaded; absent where nobody can say, or nothing is. */
  readonly at?: Time;
  readonly waits: readonly Wait[];
  readonly causes: readonly SourceRef[];
  readonly because: string;
}

export interface Explanation {
  readonly workload: WorkloadRef;
  readonly summary: string;
  readonly outlook: Outlook;
  readonly sources: readonly WatchedSource[];
  readonly notWatched: readonly UnwatchedSource[];
  readonly configs: readonly string[];
  readonly policy: {
    readonly strategy: string;
    readonly settle: string;
    readonly batchWindow?: string;
    readonly pause?: string;
    readonly frozen?: 'workload' | 'namespace' | 'cluster';
    /** Where the windows stand that count. */
    readonly windows?: readonly string[];
    readonly maxWait?: string;
  };
  readonly ledger:
    | 'none'
    | 'recorded'
    | 'copied'
    | 'recreated'
    | 'vanished'
    | 'undone'
    | 'newer'
    | 'unreadable';
  readonly lastReload?: Time;
  readonly reloads: number;
  readonly problems: readonly Problem[];
  readonly notes: readonly { readonly reason: string; readonly message: string }[];
  readonly lastError?: string;
  readonly history: readonly ReloadEntry[];
}

export type ChangeKind = 'changed' | 'created' | 'deleted';

export interface Prediction {
  readonly workload: WorkloadRef;
  /** 1 is the first; equal numbers begin together. Absent for those that wait for something without a time. */
  readonly order?: number;
  readonly at?: Time;
  readonly waits: readonly Wait[];
  readonly rule: WantRule;
  readonly configs: readonly string[];
  readonly how: string;
}

export interface WhatIf {
  readonly source: SourceRef;
  readonly change: ChangeKind;
  readonly reloads: readonly Prediction[];
  /** Workloads that use it or ask for it and would not be reloaded. */
  readonly others: readonly { readonly workload: WorkloadRef; readonly because: string }[];
}

export interface WorkloadLine {
  readonly workload: WorkloadRef;
  readonly sources: readonly SourceRef[];
  readonly reloads: number;
  readonly lastReload?: Time;
  readonly pending?: Wait;
  readonly lastError?: string;
  /** Why the rollout of its last reload failed. */
  readonly rolloutFailed?: string;
  /** Changes are held as long as this is frozen, whether or not there are any. */
  readonly frozen?: 'workload' | 'namespace' | 'cluster';
  readonly problems: number;
}

/** Where nothing is reloaded until somebody ends it. */
export type Frozen = {
  /** It ends then by itself. */
  readonly until?: Time;
  readonly reason?: string;
} & (
  | { readonly scope: 'cluster' }
  | { readonly scope: 'namespace'; readonly namespace: string }
  | { readonly scope: 'workload'; readonly workload: WorkloadRef }
);

export interface HistoryLine extends ReloadEntry {
  readonly workload: WorkloadRef;
}

export interface StatusAnswer {
  readonly version: string;
  readonly mode: 'reload' | 'observe';
  /** False on a replica that stands by: what waits, and since when, only the leader knows exactly. */
  readonly leading: boolean;
  readonly installedAt: Time;
  /** Empty for all. */
  readonly namespaces: readonly string[];
  readonly sources: Readonly<Record<string, number>>;
  readonly workloads: Readonly<Record<string, number>>;
  readonly watched: number;
  readonly frozen: readonly Frozen[];
  readonly pending: readonly { readonly workload: WorkloadRef; readonly wait: Wait }[];
  readonly failing: readonly { readonly workload: WorkloadRef; readonly error: string }[];
  readonly troubled: readonly { readonly workload: WorkloadRef; readonly problem: Problem }[];
}
