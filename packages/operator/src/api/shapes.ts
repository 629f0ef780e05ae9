/**
 * The answers of `/api/v1`, and of the commands with `-o json`. They name objects, rules and times; they never hold a
 * digest or anything of a source's content.
 */

import type { Finding } from '../reloader/model/plan.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { OutcomeResult } from '../reloader/model/verify.ts';
import type { Problem, Unwanted, WantRule } from '../reloader/model/want.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { ReloadEntry } from '../reloader/report/history.ts';
import type { RolloutResult } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';
import type { ActionAnswer, ActionName, ActionRequest, ActionTarget } from './action-shapes.ts';

export type { ActionAnswer, ActionName, ActionRequest, ActionTarget, Problem, SourceRef, WorkloadRef };

/** Times are RFC 3339. */
export type Time = string;

export interface WatchedSource extends SourceRef {
  readonly rule: WantRule;
  /** Where the annotation stands that asks for it; absent where only ReloaderConfigs ask. */
  readonly from?: 'workload' | 'template' | 'namespace' | 'setting';
  readonly configs: readonly ConfigRef[];
  /** Only these keys count; absent for all. */
  readonly keys?: readonly string[];
  readonly exists: 'yes' | 'no' | 'unknown';
  /** The current content against the one that the workload was last rolled out with. */
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
  /** Absent: until an event whose time is unknown. */
  readonly until?: Time;
  readonly message: string;
  /** Names the change for `approve` and `now`. */
  readonly change?: string;
}

/** The action that the engine would take now. */
export interface Outlook {
  readonly action: 'nothing' | 'record' | 'reload' | 'left-alone' | 'waits-for-rollout' | 'unreadable';
  /** When it is reloaded; absent if the time is unknown, or nothing is reloaded. */
  readonly at?: Time;
  readonly waits: readonly Wait[];
  readonly causes: readonly SourceRef[];
  readonly because: string;
}

/** Based on the duration of past rollouts; absent if there are none. */
export interface Estimate {
  /** When the rollout of the last workload would be complete. */
  readonly ends: Time;
  readonly message: string;
}

export interface Explanation {
  readonly workload: WorkloadRef;
  readonly summary: string;
  readonly outlook: Outlook;
  /** Of all workloads with the change that this one waits with. */
  readonly estimate?: Estimate;
  readonly sources: readonly WatchedSource[];
  readonly notWatched: readonly UnwatchedSource[];
  readonly configs: readonly ConfigRef[];
  readonly policy: {
    readonly strategy: string;
    readonly settle: string;
    readonly batchWindow?: string;
    readonly pause?: string;
    readonly frozen?: 'workload' | 'namespace' | 'cluster';
    /** The places of the windows that apply. */
    readonly windows?: readonly string[];
    readonly maxWait?: string;
    /** How reloads are verified; absent if they are not. */
    readonly verify?: string;
    /** The consequence of a failed reload, beyond holding its peers. */
    readonly onFailure?: string;
  };
  /** Where settings of `policy` come from, by their names. */
  readonly origins: Readonly<Record<string, string>>;
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
  /** Of the last reload that was verified. */
  readonly outcome?: {
    readonly seq: number;
    readonly result: OutcomeResult;
    readonly at: Time;
    readonly message?: string;
  };
  readonly problems: readonly Problem[];
  readonly notes: readonly { readonly reason: string; readonly message: string }[];
  readonly lastError?: string;
  /** The oldest first. */
  readonly history: readonly PastReload[];
}

export type ChangeKind = 'changed' | 'created' | 'deleted';

export interface Prediction {
  readonly workload: WorkloadRef;
  /**
   * 1 is the first; equal numbers begin together. Absent for workloads that wait for an event whose time is unknown.
   */
  readonly order?: number;
  readonly at?: Time;
  readonly waits: readonly Wait[];
  readonly rule: WantRule;
  readonly configs: readonly ConfigRef[];
  readonly how: string;
  /** The consequence if it fails, beyond holding its peers. */
  readonly onFailure?: string;
}

export interface WhatIf {
  readonly source: SourceRef;
  readonly change: ChangeKind;
  /** Set if so many workloads would restart together that a user should know before the change. */
  readonly warning?: string;
  readonly estimate?: Estimate;
  readonly reloads: readonly Prediction[];
  /** Workloads that use it or ask for it and would not be reloaded. */
  readonly others: readonly { readonly workload: WorkloadRef; readonly because: string }[];
}

/** `waiting` has a change that is held back; `troubled` has annotations that are invalid. */
export type LineState = 'failing' | 'waiting' | 'rolling' | 'troubled' | 'current';

export interface WorkloadLine {
  readonly workload: WorkloadRef;
  readonly state: LineState;
  readonly sources: readonly SourceRef[];
  readonly reloads: number;
  readonly lastReload?: Time;
  readonly pending?: Wait;
  /** Since when the change waits; absent if that is not notable. */
  readonly pendingSince?: Time;
  /** Where the freeze is, whether or not a change waits. */
  readonly frozen?: 'workload' | 'namespace' | 'cluster';
  /** While its pods are being replaced. */
  readonly pods?: { readonly wanted: number; readonly updated: number; readonly available: number };
  readonly lastError?: string;
  /** Why the rollout of its last reload failed. */
  readonly rolloutFailed?: string;
  readonly problems: number;
}

/** A line of a list. `number` grows with each change, so that the newer of two versions can be told. */
export interface NumberedLine extends WorkloadLine {
  readonly number: number;
}

export interface LineCounts {
  readonly all: number;
  readonly byState: Readonly<Record<LineState, number>>;
  /** The number of waiting workloads by the reason of the wait. */
  readonly byWait: Readonly<Record<string, number>>;
  readonly frozen: number;
}

export interface WorkloadsAnswer {
  readonly items: readonly NumberedLine[];
  /** Of all lines that pass the filters except `state`. */
  readonly counts: LineCounts;
  /** On all pages together: the lines that pass all filters, `state` included. */
  readonly total: number;
  /** The position from which a stream continues. */
  readonly revision: string;
  /** For the next page. */
  readonly continue?: string;
}

/** The size of a group, and its first members. */
export interface LineGroup {
  readonly count: number;
  readonly first: readonly NumberedLine[];
}

/** Workloads that wait for the same reason; the next to be reloaded comes first. */
export interface WaitGroup extends LineGroup {
  readonly why: Wait['why'];
}

/** Facts about a freeze besides its place. */
export interface FreezeFacts {
  /** When it ends by itself. */
  readonly until?: Time;
  readonly reason?: string;
  /** The program that wrote it, by the name that it gave itself: `kubectl-annotate`, `reloader-ui/alice`. */
  readonly by?: string;
  /** When that program last wrote it. */
  readonly since?: Time;
}

/**
 * The effect of one freeze: `count` workloads, of which `waiting` have a change. `first` are of those with a change.
 */
export interface FreezeGroup extends LineGroup, FreezeFacts {
  readonly scope: 'cluster' | 'namespace' | 'workload';
  readonly namespace?: string;
  readonly workload?: WorkloadRef;
  /** The number of workloads that restart when it ends, without those that another freeze also holds. */
  readonly waiting: number;
  /** When the first of them would restart if it ended now; absent if that is unknown. */
  readonly next?: Time;
}

/** The most important facts now, for any number of workloads. */
export interface OverviewAnswer {
  readonly mode: StatusAnswer['mode'];
  /** False on a standby replica. */
  readonly leading: boolean;
  readonly counts: LineCounts;
  readonly failing: LineGroup;
  readonly rolling: LineGroup;
  readonly waiting: readonly WaitGroup[];
  /** Changes that a person has to approve. */
  readonly approvals: LineGroup;
  /** Those of the cluster and of Namespaces first. */
  readonly freezes: readonly FreezeGroup[];
  /** The number of freezes that are not listed. */
  readonly moreFreezes: number;
  /** The position from which a stream continues. */
  readonly revision: string;
}

export interface PastReload {
  readonly seq: number;
  readonly at: Time;
  readonly sources: readonly SourceRef[];
  /** ReloaderConfigs that asked. */
  readonly configs: readonly ConfigRef[];
  readonly result: ReloadEntry['result'];
  /** The number of sources that are not listed. */
  readonly moreSources?: number;
  /** From the operator's first sight of the change to the end of the rollout: `waited` and `rollout` together. */
  readonly seconds?: number;
  /** Seconds from the first sight of the change to the reload. */
  readonly waited?: number;
  /** Seconds from the reload to the end of the rollout. */
  readonly rollout?: number;
  readonly message?: string;
  /** It rolled back the failed reload of this number. */
  readonly undoes?: number;
  /** After it had failed: its ConfigMaps were restored, were not, or another writer undid the restore. */
  readonly restore?: 'restored' | 'refused' | 'fought';
}

export interface ConfigRef {
  readonly namespace: string;
  readonly name: string;
}

/** A place where nothing is reloaded until the freeze ends. */
export type Frozen = FreezeFacts &
  (
    | { readonly scope: 'cluster' }
    | { readonly scope: 'namespace'; readonly namespace: string }
    | { readonly scope: 'workload'; readonly workload: WorkloadRef }
  );

export interface HistoryLine extends PastReload {
  readonly workload: WorkloadRef;
}

export interface HistoryAnswer {
  readonly reloads: readonly HistoryLine[];
}

export interface SourceLine {
  readonly source: SourceRef;
  /** Workloads that are reloaded for it. */
  readonly usedBy: number;
  /** `unknown` where it cannot be read. */
  readonly exists: SourceAnswer['exists'];
  /** When its data was last written; absent where it does not exist or cannot be read. */
  readonly lastChanged?: Time;
}

export interface SourcesAnswer {
  readonly items: readonly SourceLine[];
  /** On all pages together. */
  readonly total: number;
  readonly revision: string;
  readonly continue?: string;
}

export interface SourceAnswer {
  readonly source: SourceRef;
  readonly exists: 'yes' | 'no' | 'unknown';
  readonly lastChanged?: Time;
  /** How many workloads are reloaded for it. */
  readonly users: number;
  /** The first of them. */
  readonly usedBy: readonly NumberedLine[];
  /** The newest first. */
  readonly changes: readonly TimelineEvent[];
}

/** An event. `source`: a source was written; all other events are about a workload. */
export interface TimelineEvent {
  /** Grows from event to event; negative for those of before this process. */
  readonly number: number;
  readonly at: Time;
  readonly type: 'source' | 'wait' | 'reload' | 'rollout' | 'refused' | 'observe';
  readonly workload?: WorkloadRef;
  readonly source?: SourceRef;
  readonly change?: ChangeKind;
  /** The number of workloads that the change of the source may concern. */
  readonly concerned?: number;
  readonly wait?: Wait;
  /** The sources that caused a reload. */
  readonly causes?: readonly SourceRef[];
  /** `timeout` and `superseded` only of reloads that were verified. */
  readonly result?: RolloutResult;
  readonly message?: string;
}

export interface TimelineAnswer {
  /** The oldest first. */
  readonly events: readonly TimelineEvent[];
  /**
   * When the timeline begins. Of the time before, only reloads and their ends are known, as far as the history has
   * them.
   */
  readonly begins: Time;
  /** There were more than the limit: these are the newest. */
  readonly truncated: boolean;
}

/** Event `batch` of the stream. */
export interface StreamBatch {
  readonly revision: string;
  readonly lines: readonly NumberedLine[];
  readonly gone: readonly WorkloadRef[];
  /** There were more changes than are sent: the client has to read lists again. */
  readonly more?: true;
  /** Of all lines that this reader may see. */
  readonly counts: LineCounts;
  readonly events: readonly TimelineEvent[];
  readonly leading: boolean;
}

export interface MeAnswer {
  /** Absent if no authentication was required. */
  readonly user?: string;
  /** The actions that this address offers; Kubernetes decides on each request whether the user may. */
  readonly may: readonly ActionName[];
  /** Options with which kubectl reaches this cluster, if it is not the one of the user's current context. */
  readonly kubectl?: readonly string[];
}

export interface ErrorAnswer {
  readonly error: string;
}

export interface StatusAnswer {
  readonly version: string;
  readonly mode: 'reload' | 'observe';
  /** False on a standby replica: only the leader knows exactly which changes wait, and since when. */
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
