/**
 * The vocabulary of the reflector's state machine: where it is, what can happen, what it answers.
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

/** Why the whole collection has to be read again. */
export const RELIST_CAUSES = ['expired', 'too-large', 'missing', 'errors'] as const;
export type RelistCause = (typeof RELIST_CAUSES)[number];

export type PageRequest = Pick<
  ListOptions,
  'limit' | 'continue' | 'resourceVersion' | 'resourceVersionMatch'
>;

/** What is known across states. */
export interface Memory {
  /** The version that the store reflects. Never goes back, but for a rollback of the server itself. */
  readonly version: string | undefined;
  /** The server said it cannot serve `version`: the next list asks for the newest state instead. */
  readonly versionUnavailable: boolean;
  /** Lists of version "0" came in pages, so this kind has no watch cache: page every list. */
  readonly keepPaging: boolean;
  /** `skip`: not for the next attempt; `off`: not again. */
  readonly watchList: 'use' | 'skip' | 'off';
  /** Watch-lists in a row that stopped before their end. */
  readonly unfinished: number;
  /** An immediate relist was spent, and nothing was received since: the next one waits. */
  readonly recovered: boolean;
  /** Quorum reads in a row that were older than `version`. */
  readonly refusals: number;
  /** Since when watches fail with answers that a relist might cure. */
  readonly failingSince: number | undefined;
  /** Silences in a row. */
  readonly stalls: number;
  readonly trouble: Trouble | undefined;
}

/** The trouble that keeps us from the server now. It ends with the next answer that is not a failure. */
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
      /** The version that the first page was asked for. */
      readonly asked: string;
      /** The version that the first page answered. */
      readonly version: string | undefined;
    }
  | { readonly name: 'listed'; readonly memory: Memory }
  | {
      readonly name: 'watching';
      readonly memory: Memory;
      readonly sentAt: number;
      readonly opened: boolean;
      /** Something new came in this stream. */
      readonly progressed: boolean;
      /** Begun without a version: what comes first is the present state in no order. */
      readonly unordered: boolean;
    };

/** `at` is monotonic time in milliseconds. */
export type Input<T extends KubernetesObject> = { readonly at: number } & (
  | { readonly type: 'go' }
  | { readonly type: 'opened' }
  | { readonly type: 'page'; readonly meta: ListMeta }
  | { readonly type: 'event'; readonly event: WatchEvent<T> }
  /** The server ended the stream in order. */
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly failure: Failure }
  /** Nothing came for the idle time. */
  | { readonly type: 'idle' }
);

type DataEvent<T extends KubernetesObject> = Extract<
  WatchEvent<T>,
  { type: 'ADDED' | 'MODIFIED' | 'DELETED' }
>;

/** What the store is told, before the effect is performed. */
export type Output<T extends KubernetesObject> =
  /** Forget what was collected and collect anew. */
  | { readonly type: 'begin' }
  | { readonly type: 'collect'; readonly event: DataEvent<T> }
  | { readonly type: 'discard' }
  /** What was collected is the state at `version`. */
  | { readonly type: 'replace'; readonly version: string; readonly byWatchList: boolean }
  | { readonly type: 'apply'; readonly event: DataEvent<T>; readonly version: string }
  | { readonly type: 'progress'; readonly version: string };

/** What is performed next; its outcome is the next input. */
export type Effect =
  | { readonly type: 'list'; readonly request: PageRequest }
  | { readonly type: 'watch'; readonly resourceVersion: string; readonly initial: boolean }
  /** Take the next event of the open stream. */
  | { readonly type: 'receive' }
  /** Back off, at least as long as the server asked. */
  | { readonly type: 'wait'; readonly retryAfterMs: number };

export const PROBLEM_KINDS = ['idle', 'very-short', 'unfinished', 'older-answer'] as const;

/** Something worth counting and reporting. */
export interface Problem {
  readonly kind: FailureKind | (typeof PROBLEM_KINDS)[number];
  readonly error: Error;
}

export interface Transition<T extends KubernetesObject> {
  readonly state: State;
  readonly output?: Output<T>;
  readonly effect: Effect;
  readonly problem?: Problem;
  /** Set when a full read became necessary, not again when it is retried. */
  readonly relist?: RelistCause;
}

export interface MachineConfig {
  /** Items per page; 0 asks for everything at once. */
  readonly pageSize: number;
  /** "" reads the newest state; "0" takes whatever the server's cache holds, which may lie in the past. */
  readonly firstListVersion: '' | '0';
  readonly watchList: boolean;
  /** For how long a watch that is answered with errors is tried again before everything is listed. */
  readonly errorRetryMs: number;
  /** After so many quorum reads in a row that lie before what we know, the server's history was rolled back. */
  readonly rollbackAfter: number;
}

export const DEFAULT_CONFIG: MachineConfig = {
  pageSize: 500,
  firstListVersion: '',
  watchList: true,
  errorRetryMs: 60_000,
  rollbackAfter: 8,
};

/** A watch that ended at once without an event: something between us and the server does not let it live. */
export class VeryShortWatchError extends Error {
  override name = 'VeryShortWatchError';
}
/** Nothing, not even a bookmark, came for the idle time: the connection is taken for dead. */
export class IdleWatchError extends Error {
  override name = 'IdleWatchError';
}
/** A watch-list stopped before it said that the initial events are complete. */
export class UnfinishedWatchListError extends Error {
  override name = 'UnfinishedWatchListError';
}
/** The server answered with a state older than one it has shown before. */
export class OlderAnswerError extends Error {
  override name = 'OlderAnswerError';
}

/** The state of a reflector that begins, or begins again with a store that reflects `version`. */
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

/** What a person should be told about a state. */
export function phaseOf(state: State): ReflectorPhase {
  if (state.memory.trouble) return state.memory.trouble;
  return state.name === 'watching' || state.name === 'listed' ? WATCHING : LISTING;
}
