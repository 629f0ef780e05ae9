/** A workload's wants: the sources it is opted in to, by which rule, and how it is to be reloaded. */
import type { Budget } from './budget.ts';
import type { Condition } from './condition.ts';
import type { Approval, ConfigFacts, ReloadStrategy, RolloutStrategy } from './config.ts';
import type { ContentRule } from './content-rule.ts';
import type { RateLimit } from './rate.ts';
import type { SourceRef } from './source.ts';
import type { SourceFacts, SourceState } from './source-facts.ts';
import type { OnFailure, VerifyPolicy } from './verify.ts';
import type { WindowSet } from './window.ts';

/** The rule by which a source was opted in; `explain` names it. */
export type WantRule = 'named' | 'search' | 'auto' | 'typed-auto' | 'auto-all' | 'config';

/** Where the deciding annotation was found. */
export type OptInPlace = 'workload' | 'template' | 'namespace' | 'setting' | 'source';

/** Events that may have opted a workload in, as observed by this process. */
export interface OptInSeen {
  /** The resourceVersion that the workload had when its annotations changed; undefined if that was not seen. */
  readonly annotation: string | undefined;
  /** A ReloaderConfig that names it was created or changed. */
  readonly config: boolean;
  /** Milliseconds since the epoch: when a ReloaderConfig that names it was last deleted; undefined if none was. */
  readonly configGoneAt?: number | undefined;
  /** Namespaces that came into scope, or whose annotations opt in to something else since. */
  readonly namespaces: ReadonlyMap<string, LetIn>;
  /** Namespaces whose labels changed: the selector of a ReloaderConfig may have begun to select their sources. */
  readonly labelled: ReadonlyMap<string, LetIn>;
  /** Sources by uid whose labels or annotations changed: a rule may have begun to ask for them. */
  readonly sources: ReadonlyMap<string, MarkedSource>;
}

/** The change of a source's own labels or annotations. */
export interface MarkedSource {
  /** Its content after it. */
  readonly digest: string;
  readonly before: Pick<SourceFacts, 'labels' | 'annotations'>;
}

/** The change of a Namespace that opted its workloads in. */
export interface LetIn {
  /** The Namespace's resourceVersion after it. */
  readonly version: string;
  /** Seconds since the epoch, by the clock of this process. */
  readonly at: number;
}

export interface WantedSource {
  readonly ref: SourceRef;
  /** Its key in the ledger. */
  readonly key: string;
  readonly state: SourceState;
  readonly rule: WantRule;
  /** ReloaderConfigs (`namespace/name`) that ask for it; empty if only annotations do. */
  readonly configs: readonly string[];
  /** Annotations ask for it, too. */
  readonly annotated: boolean;
  /** Where the annotation or setting was found that asks for it; undefined if only ReloaderConfigs do. */
  readonly from?: OptInPlace | undefined;
  /** Only changes of these keys count; undefined means the whole object. */
  readonly keys: readonly string[] | undefined;
  /** The container that gets Stakater's variable. */
  readonly container: string;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
  /** A change of it is rolled out only after a person approved it. */
  readonly approval: boolean;
  /** Rules that its content must meet before it is rolled out. */
  readonly rules: readonly ContentRule[];
}

/** A source that was considered and is not wanted, for `explain`. */
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
    | 'own-record'
    | 'config-ignores'
    | 'labels-differ'
    | 'kind-ignored';
}

/** An invalid annotation or field: reported as an Event or a condition, without effect on anything else. */
export interface Problem {
  /** The annotation or the field. */
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** A freeze: a user holds reloads back. */
export interface Freeze {
  readonly place: 'workload' | 'namespace' | 'cluster';
  /** Milliseconds since the epoch; undefined: until a user removes it. */
  readonly until: number | undefined;
  readonly reason: string | undefined;
}

/** How this workload is to be reloaded: annotations, ReloaderConfigs, namespace defaults and flags merged. */
export interface Policy {
  readonly reloadStrategy: ReloadStrategy;
  readonly rolloutStrategy: RolloutStrategy;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  readonly batchWindowMs: number;
  /** The first change is rolled out at once; later ones are held for this long after the last reload. */
  readonly pauseMs: number;
  /** The origin of that pause, for messages; undefined without a pause. */
  readonly pausedBy: string | undefined;
  /** Stakater's pause of Deployments: `spec.paused` for this long. */
  readonly stakaterPauseMs: number | undefined;
  /** The workload's own freeze first, the cluster's last. */
  readonly freezes: readonly Freeze[];
  /** Undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** All of these sets must be open. */
  readonly windows: readonly WindowSet[];
  /** Maximum wait for an allowing window, from the first change; the shortest of all that apply. */
  readonly maxWaitMs: number | undefined;
  /** Each of them must have room for its rollout. */
  readonly budgets: readonly Budget[];
  /** Each of them must be met. */
  readonly conditions: readonly Condition[];
  /** Undefined: the rollout is not verified. */
  readonly verify: VerifyPolicy | undefined;
  /** Applies to verified reloads. */
  readonly onFailure: OnFailure;
  /** Why a scheduling setting cannot be parsed: reloads are held until a user corrects it. */
  readonly invalid: string | undefined;
  readonly cronJob: 'run' | 'next-run';
}

/** The settings of one ReloaderConfig for a workload; undefined where it sets nothing. */
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
  /** The problems behind `invalid`. */
  readonly problems: readonly Problem[];
  /** Applies if no annotation asks for the changed source. */
  readonly cronJob: Policy['cronJob'];
}

export interface Want {
  readonly sources: readonly WantedSource[];
  readonly unwanted: readonly Unwanted[];
  readonly configs: readonly ConfigFacts[];
  /** The policy with all ReloaderConfigs merged: shown as long as nothing changed. */
  readonly policy: Policy;
  /** Parts of the policy for a change: only ReloaderConfigs that watch a changed source apply. */
  readonly policies: {
    readonly own: Policy;
    /** The oldest first. */
    readonly byConfig: readonly ConfigPolicy[];
  };
  readonly problems: readonly Problem[];
}
