/**
 * The types of the reflector's state machine: its states, inputs and outputs.
 *
 *     empty ──▶ watch-listing ─────────────▶ watching ◀──▶ listed
 *       │            │ unsupported              ▲     (listed: the store is filled, no stream is open)
 *       └────────────┴──▶ listing (pages) ──────┘
 *
 * Nothing here performs anything: `step` is a pure function, and `Reflector` performs what it answers.
 */
import type { ListOptions, WatchEvent } from '../client/client.ts';
import type { KubernetesObject, ListMeta } from '../model/types.ts';
import type { Failure, FailureKind } from './failure.ts';

/** Why a relist is needed. */
export const RELIST_CAUSES = ['expired', 'too-large', 'missing', 'errors'] as const;
export type RelistCause = (typeof RELIST_CAUSES)[number];

export type PageRequest = Pick<
  ListOptions,
  'limit' | 'continue' | 'resourceVersion' | 'resourceVersionMatch'
>;

/** State that is kept across transitions. */
export interface Memory {
  /** The version of the store. Never goes back, except after a rollback of the server itself. */
  readonly version: string | undefined;
  /** The server cannot serve `version`: the next list asks for the newest state instead. */
  readonly versionUnavailable: boolean;
  /** Lists of version "0" came in pages, so this kind has no watch cache: page every list. */
  readonly keepPaging: boolean;
  /** `skip`: not for the next attempt; `off`: never again. */
  readonly watchList: 'use' | 'skip' | 'off';
  /** Incomplete watch-lists in a row. */
  readonly unfinished: number;
  /** An immediate relist was used, and nothing was received since: the next one waits. */
  readonly recovered: boolean;
  /** Quorum reads in a row that were older than `version`. */
  readonly refusals: number;
  /** Since when watches fail with errors that a relist might fix. */
  readonly failingSince: number | undefined;
  /** Idle timeouts in a row. */
  readonly stalls: number;
  readonly trouble: Trouble | undefined;
}

/** The current failure. The next successful answer ends it. */
export interface Trouble {
  readonly phase: 'backing-off' | 'forbidden' | 'missing';
  readonly error: Error;
}

export type State =
  | { readonly name: 'empty'; readonly memory: Memory }
  | {
      readonly name: 'watch-listing';
      readonly memory: Memory;
      readonly opened: boolean;
      readonly asked: string;
    }
  | {
      readonly name: 'listing';
      readonly memory: Memory;
      readonly request: PageRequest;
      /** The version requested with the first page. */
      readonly asked: string;
      /** The version that the first page returned. */
      readonly version: string | undefined;
    }
  | { readonly name: 'listed'; readonly memory: Memory }
  | {
      readonly name: 'watching';
      readonly memory: Memory;
      readonly sentAt: number;
      readonly opened: boolean;
      /** Something new arrived on this stream. */
      readonly progressed: boolean;
      /** Started without a version: the first events are the current state in no order. */
      readonly unordered: boolean;
    };

/** `at` is monotonic time in milliseconds. */
export type Input<T extends KubernetesObject> = { readonly at: number } & (
  | { readonly type: 'go' }
  | { readonly type: 'opened' }
  | { readonly type: 'page'; readonly meta: ListMeta }
  | { readonly type: 'event'; readonly event: WatchEvent<T> }
  /** The server closed the stream cleanly. */
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly failure: Failure }
  /** Nothing arrived for the idle time. */
  | { readonly type: 'idle' }
);

type DataEvent<T extends KubernetesObject> = Extract<
  WatchEvent<T>,
  { type: 'ADDED' | 'MODIFIED' | 'DELETED' }
>;

/** Commands for the store, carried out before the effect. */
export type Output<T extends KubernetesObject> =
  /** Drop what was collected and start again. */
  | { readonly type: 'begin' }
  | { readonly type: 'collect'; readonly event: DataEvent<T> }
  | { readonly type: 'discard' }
  /** The collected objects are the state at `version`. */
  | { readonly type: 'replace'; readonly version: string; readonly byWatchList: boolean }
  | { readonly type: 'apply'; readonly event: DataEvent<T>; readonly version: string }
  | { readonly type: 'progress'; readonly version: string };

/** The next action; its outcome is the next input. */
export type Effect =
  | { readonly type: 'list'; readonly request: PageRequest }
  | { readonly type: 'watch'; readonly resourceVersion: string; readonly initial: boolean }
  /** Read the next event of the open stream. */
  | { readonly type: 'receive' }
  /** Back off, at least as long as the server asked. */
  | { readonly type: 'wait'; readonly retryAfterMs: number };

export const PROBLEM_KINDS = ['idle', 'very-short', 'unfinished', 'older-answer'] as const;

/** Something to count and report. */
export interface Problem {
  readonly kind: FailureKind | (typeof PROBLEM_KINDS)[number];
  readonly error: Error;
}

export interface Transition<T extends KubernetesObject> {
  readonly state: State;
  readonly output?: Output<T>;
  readonly effect: Effect;
  readonly problem?: Problem;
  /** Set when a relist became necessary, not again when it is retried. */
  readonly relist?: RelistCause;
}

export interface MachineConfig {
  /** Items per page; 0 for everything at once. */
  readonly pageSize: number;
  /** "" reads the newest state; "0" accepts the server's cache, which may be older. */
  readonly firstListVersion: '' | '0';
  readonly watchList: boolean;
  /** How long a failing watch is retried before a relist. */
  readonly errorRetryMs: number;
  /** After this many quorum reads in a row that are older than our version, the server's history was rolled back. */
  readonly rollbackAfter: number;
}

export const DEFAULT_CONFIG: MachineConfig = {
  pageSize: 500,
  firstListVersion: '',
  watchList: true,
  errorRetryMs: 60_000,
  rollbackAfter: 8,
};

/** A watch that ended at once without an event: something between us and the server closes it. */
export class VeryShortWatchError extends Error {
  override name = 'VeryShortWatchError';
}
/** Nothing, not even a bookmark, arrived for the idle time: the connection is considered dead. */
export class IdleWatchError extends Error {
  override name = 'IdleWatchError';
}
/** A watch-list ended before its initial events were complete. */
export class UnfinishedWatchListError extends Error {
  override name = 'UnfinishedWatchListError';
}
/** The server returned a state older than one it returned before. */
export class OlderAnswerError extends Error {
  override name = 'OlderAnswerError';
}

/** The initial state of a reflector, or of one that restarts with a store at `version`. */
export function initialState(config: MachineConfig, version?: string): State {
  const memory: Memory = {
    version,
    versionUnavailable: false,
    keepPaging: false,
    watchList: config.watchList ? 'use' : 'off',
    unfinished: 0,
    recovered: false,
    refusals: 0,
    failingSince: undefined,
    stalls: 0,
    trouble: undefined,
  };
  return { name: 'empty', memory };
}

export type ReflectorPhase = { readonly phase: 'listing' | 'watching' } | Trouble;

const LISTING = { phase: 'listing' } as const;
const WATCHING = { phase: 'watching' } as const;

/** Describes a state for people. */
export function phaseOf(state: State): ReflectorPhase {
  if (state.memory.trouble) return state.memory.trouble;
  return state.name === 'watching' || state.name === 'listed' ? WATCHING : LISTING;
}
