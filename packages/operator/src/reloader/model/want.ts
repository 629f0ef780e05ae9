/** What a workload asks for: the sources it is opted in to, by which rule, and how it wants to be reloaded. */
import type { ConfigFacts, ReloadStrategy, RolloutStrategy } from './config.ts';
import type { SourceRef } from './source.ts';
import type { SourceState } from './source-facts.ts';

/** The rule by which a source was opted in; `explain` names it. */
export type WantRule = 'named' | 'search' | 'auto' | 'typed-auto' | 'auto-all' | 'config';

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
  /** Only these keys count; undefined means the whole object. */
  readonly keys: readonly string[] | undefined;
  /** The container that carries Stakater's variable. */
  readonly container: string;
  readonly reloadOnCreate: boolean;
  readonly reloadOnDelete: boolean;
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

/** How this workload is to be reloaded: annotations, configs, namespace defaults and flags brought together. */
export interface Policy {
  readonly reloadStrategy: ReloadStrategy;
  readonly rolloutStrategy: RolloutStrategy;
  readonly settleMs: number;
  readonly settleMaxMs: number;
  readonly batchWindowMs: number;
  /** First change now, later ones held this long after the last reload; the longest of all that apply. */
  readonly pauseMs: number;
  /** Stakater's way for Deployments: `spec.paused` for this long. */
  readonly stakaterPauseMs: number | undefined;
  readonly frozen: 'workload' | 'namespace' | 'cluster' | undefined;
  readonly cronJob: 'run' | 'next-run';
}

export interface Want {
  readonly sources: readonly WantedSource[];
  readonly unwanted: readonly Unwanted[];
  readonly configs: readonly ConfigFacts[];
  readonly policy: Policy;
  readonly problems: readonly Problem[];
}
