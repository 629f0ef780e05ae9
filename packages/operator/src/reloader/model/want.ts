/** What a workload asks for: the sources it is opted in to, by which rule, and how it wants to be reloaded. */
import type { Budget } from './budget.ts';
import type { Condition } from './condition.ts';
import type { Approval, ConfigFacts, ReloadStrategy, RolloutStrategy } from './config.ts';
import type { ContentRule } from './content-rule.ts';
import type { RateLimit } from './rate.ts';
import type { SourceRef } from './source.ts';
import type { SourceState } from './source-facts.ts';
import type { OnFailure, VerifyPolicy } from './verify.ts';
import type { WindowSet } from './window.ts';

/** The rule by which a source was opted in; `explain` names it. */
export type WantRule = 'named' | 'search' | 'auto' | 'typed-auto' | 'auto-all' | 'config';

/** Where the deciding annotation stands. */
export type OptInPlace = 'workload' | 'template' | 'namespace' | 'setting' | 'source';

/** How this process saw a workload begin to ask for reloads. */
export interface OptInSeen {
  /** Its annotations changed. */
  readonly annotation: boolean;
  /** A ReloaderConfig that names it came or changed. */
  readonly config: boolean;
  /** Namespaces whose labels or annotations changed, and when, in seconds since the epoch: they may have let it in. */
  readonly namespaces: ReadonlyMap<string, number>;
}

export interface WantedSource {
  readonly ref: SourceRef;
  /** Its key in the ledger. */
  readonly key: string;
  readonly state: SourceState;
  readonly rule: WantRule;
  /** ReloaderConfigs (`namespace/name`) that ask for it; empty where annotations alone do. */
  readonly configs: readonly string[];
  /** Annotations ask for it, too. */
  readonly annotated: boolean;
  /** Where the annotation or the setting stands that asks for it; undefined where only configs do. */
  readonly from?: OptInPlace | undefined;
  /** Only these keys count; undefined means the whole object. */
  readonly keys: readonly string[] | undefined;
  /** The container that carries Stakater's variable. */
  readonly container: string;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  /** A change of it is rolled out only when somebody approved it. */
  readonly approval: boolean;
  /** What its content has to be before it is rolled out. */
  readonly rules: readonly ContentRule[];
}

/** A source that was looked at and is not wanted, for `explain`. */
export interface Unwanted {
  readonly ref: SourceRef;
  readonly rule:
    | 'source-ignored'
    | 'workload-ignored'
    | 'excluded'
    | 'kind-filtered'
    | 'not-selected'
    | 'not-used'
    | 'generated'
    | 'config-ignores'
    | 'labels-differ'
    | 'kind-ignored';
}

/** Something that a user wrote and that does not work: shown as an Event or a condition, and harms nothing else. */
export interface Problem {
  /** The annotation or the field. */
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** Somebody holds reloads back. */
export interface Freeze {
  readonly place: 'workload' | 'namespace' | 'cluster';
  /** Milliseconds since the epoch; undefined: until somebody ends it. */
  readonly until: number | undefined;
  readonly reason: string | undefined;
}

/** How this workload is to be reloaded: annotations, configs, namespace defaults and flags brought together. */
export interface Policy {
  readonly reloadStrategy: ReloadStrategy;
  readonly rolloutStrategy: RolloutStrategy;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  readonly batchWindowMs: number;
  /** First change now, later ones held this long after the last reload. */
  readonly pauseMs: number;
  /** Who asks for that pause, for messages; undefined without one. */
  readonly pausedBy: string | undefined;
  /** Stakater's way for Deployments: `spec.paused` for this long. */
  readonly stakaterPauseMs: number | undefined;
  /** The workload's own first, then the whole cluster's. */
  readonly freezes: readonly Freeze[];
  /** Undefined: any number. */
  readonly rateLimit: RateLimit | undefined;
  /** All of them must be open. */
  readonly windows: readonly WindowSet[];
  /** So long after the first change it no longer waits for allowing windows; the shortest of all that apply. */
  readonly maxWaitMs: number | undefined;
  /** Each of them must have room for its rollout. */
  readonly budgets: readonly Budget[];
  /** Each of them must be met. */
  readonly conditions: readonly Condition[];
  /** Undefined: the end of its rollout is not looked into further. */
  readonly verify: VerifyPolicy | undefined;
  /** Of a reload that is verified. */
  readonly onFailure: OnFailure;
  /** What is said about when to reload cannot be understood: held until it is put right. */
  readonly invalid: string | undefined;
  readonly cronJob: 'run' | 'next-run';
}

/** What one ReloaderConfig says of a workload; undefined where it says nothing. */
export interface ConfigPolicy {
  /** `namespace/name`. */
  readonly config: string;
  readonly reloadStrategy: ReloadStrategy | undefined;
  readonly rolloutStrategy: RolloutStrategy | undefined;
  readonly settleMs: number | undefined;
  readonly batchWindowMs: number | undefined;
  readonly pauseMs: number | undefined;
  readonly approval: Approval | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly windows: readonly WindowSet[];
  readonly maxWaitMs: number | undefined;
  readonly budgets: readonly Budget[];
  readonly conditions: readonly Condition[];
  readonly verify: VerifyPolicy | undefined;
  readonly onFailure: OnFailure | undefined;
  readonly invalid: string | undefined;
  /** Why. */
  readonly problems: readonly Problem[];
  /** Where no annotation asks for what changed. */
  readonly cronJob: Policy['cronJob'];
}

export interface Want {
  readonly sources: readonly WantedSource[];
  readonly unwanted: readonly Unwanted[];
  readonly configs: readonly ConfigFacts[];
  /** With the word of every config: what is shown as long as nothing changed. */
  readonly policy: Policy;
  /** What the policy for a change is made of: only configs that watch what changed have a say in it. */
  readonly policies: {
    readonly own: Policy;
    /** The oldest first. */
    readonly byConfig: readonly ConfigPolicy[];
  };
  readonly problems: readonly Problem[];
}
