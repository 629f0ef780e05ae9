/** How the store is filled: by one watch-list stream, or page by page if the server does not support that. */
import type { KubernetesObject, ListMeta } from '../model/types.ts';
import type { Failure } from './failure.ts';
import {
  IdleWatchError,
  type Input,
  type MachineConfig,
  type Memory,
  OlderAnswerError,
  type PageRequest,
  type Problem,
  type State,
  type Transition,
  UnfinishedWatchListError,
} from './state.ts';
import {
  fill,
  limitOf,
  pause,
  RECEIVE,
  versionOf,
  watchFrom,
  withoutStalls,
  withoutTrouble,
  withStall,
} from './transitions.ts';
import { isOlder } from './versions.ts';

type WatchListing = Extract<State, { name: 'watch-listing' }>;
type Listing = Extract<State, { name: 'listing' }>;

/** After this many incomplete watch-lists in a row, no more are requested. */
const UNFINISHED_LIMIT = 3;

export function stepWatchListing<T extends KubernetesObject>(
  config: MachineConfig,
  state: WatchListing,
  input: Input<T>,
): Transition<T> | undefined {
  const { memory } = state;
  switch (input.type) {
    case 'opened':
      return { state: { ...state, opened: true, memory: withoutTrouble(memory) }, effect: RECEIVE };
    case 'event': {
      const { event } = input;
      const next: WatchListing = memory.stalls ? { ...state, memory: withoutStalls(memory) } : state;
      if (event.type !== 'BOOKMARK')
        return { state: next, output: { type: 'collect', event }, effect: RECEIVE };
      if (!event.initialEventsEnd) return { state: next, effect: RECEIVE };
      return finishWatchList(config, next, event.resourceVersion, input.at);
    }
    case 'closed': {
      const error = new UnfinishedWatchListError(
        'The server closed a watch-list before its initial events ended',
      );
      const problem: Problem = { kind: 'unfinished', error };
      // API servers do that to a watch when more changes come during its initial events than they keep for it. A list
      // cannot be ended for that reason, so the first time nothing is gained by waiting.
      if (memory.unfinished === 0) return { ...fill(config, unfinished(state)), problem };
      return giveUp(unfinished(state), problem);
    }
    case 'idle': {
      const error = new IdleWatchError('A watch-list fell silent before its initial events ended');
      return { ...fill(config, withStall(unfinished(state))), problem: { kind: 'idle', error } };
    }
    case 'failed':
      return watchListFailed(config, state, input.failure);
    default:
      return undefined;
  }
}

function watchListFailed<T extends KubernetesObject>(
  config: MachineConfig,
  state: WatchListing,
  failure: Failure,
): Transition<T> {
  switch (failure.kind) {
    case 'expired':
    case 'too-large':
      return askForNewest(config, state, failure);
    case 'unsupported':
      return { ...fill(config, { ...state.memory, watchList: 'off' }), problem: failure };
    case 'server':
    case 'decode':
      return giveUp(unfinished(state), failure);
    case 'connection':
      return giveUp(state.opened ? unfinished(state) : state.memory, failure);
    default:
      return giveUp(state.memory, failure);
  }
}

/** A plain list always works, so it follows a watch-list that failed half way. */
function unfinished(state: WatchListing): Memory {
  const count = state.memory.unfinished + (state.opened ? 1 : 0);
  return { ...state.memory, unfinished: count, watchList: count >= UNFINISHED_LIMIT ? 'off' : 'skip' };
}

function finishWatchList<T extends KubernetesObject>(
  config: MachineConfig,
  state: WatchListing,
  version: string,
  at: number,
): Transition<T> {
  const refused = refuseOlder<T>(config, state, version);
  if (refused) return refused;
  const memory: Memory = { ...replaced(state.memory, version), unfinished: 0 };
  return {
    state: { name: 'watching', memory, sentAt: at, opened: true, progressed: true, unordered: false },
    output: { type: 'replace', version, byWatchList: true },
    effect: RECEIVE,
  };
}

export function stepListing<T extends KubernetesObject>(
  config: MachineConfig,
  state: Listing,
  input: Input<T>,
): Transition<T> | undefined {
  switch (input.type) {
    case 'go':
      return { state, effect: { type: 'list', request: state.request } };
    case 'page':
      return pageArrived(config, state, input.meta, input.at);
    case 'idle': {
      const error = new IdleWatchError('A list fell silent before it was complete');
      return pause({ ...state, memory: withStall(state.memory) }, { kind: 'idle', error });
    }
    case 'failed':
      return listFailed(config, state, input.failure);
    default:
      return undefined;
  }
}

function pageArrived<T extends KubernetesObject>(
  config: MachineConfig,
  state: Listing,
  meta: ListMeta,
  at: number,
): Transition<T> {
  const memory = withoutStalls(withoutTrouble(state.memory));
  const version = state.version ?? meta.resourceVersion ?? '';
  if (state.version === undefined) {
    const refused = refuseOlder<T>(config, state, version);
    if (refused) return refused;
  }
  if (meta.continue) {
    const keepPaging = memory.keepPaging || state.asked === '0';
    // A continue token fixes its version: the server refuses another version parameter.
    const request: PageRequest = { ...limitOf(config), continue: meta.continue };
    return {
      state: { ...state, memory: { ...memory, keepPaging }, request, version },
      effect: { type: 'list', request },
    };
  }
  return {
    ...watchFrom(replaced(memory, version), at),
    output: { type: 'replace', version, byWatchList: false },
  };
}

function listFailed<T extends KubernetesObject>(
  config: MachineConfig,
  state: Listing,
  failure: Failure,
): Transition<T> {
  const { memory, request, asked } = state;
  switch (failure.kind) {
    case 'expired':
    case 'unsupported': {
      // The token expired. A single unpaged list cannot lose its token.
      if (request.continue) {
        const whole = versionOf(asked);
        return {
          state: { ...state, request: whole, version: undefined },
          output: { type: 'begin' },
          effect: { type: 'list', request: whole },
          problem: failure,
        };
      }
      return failure.kind === 'expired' ? askForNewest(config, state, failure) : giveUp(memory, failure);
    }
    case 'too-large':
      return askForNewest(config, state, failure);
    case 'throttled':
    case 'connection':
      return pause(state, failure);
    default:
      return giveUp(memory, failure);
  }
}

/** The server cannot serve our version: read the newest state at once, and with backoff if that fails too. */
function askForNewest<T extends KubernetesObject>(
  config: MachineConfig,
  state: WatchListing | Listing,
  failure: Failure,
): Transition<T> {
  const memory: Memory = { ...state.memory, versionUnavailable: true };
  return state.asked === '' ? giveUp(memory, failure) : { ...fill(config, memory), problem: failure };
}

/** Drops what was collected and starts again after a pause. */
function giveUp<T extends KubernetesObject>(memory: Memory, problem: Problem): Transition<T> {
  return { ...pause<T>({ name: 'empty', memory }, problem), output: { type: 'discard' } };
}

/**
 * Keeps the store from going back in time: an answer older than the store comes from a server that lags. Quorum reads
 * do not lag; if even those are older, the server was restored from a backup, and keeping the undone state would mean
 * never to recover.
 */
function refuseOlder<T extends KubernetesObject>(
  config: MachineConfig,
  state: WatchListing | Listing,
  version: string,
): Transition<T> | undefined {
  const { memory, asked } = state;
  if (!isOlder(version, memory.version)) return undefined;
  const refusals = memory.refusals + (asked === '' ? 1 : 0);
  if (refusals >= config.rollbackAfter) return undefined;
  const error = new OlderAnswerError(
    `The server answered with resourceVersion ${version}, but had shown ${memory.version} before`,
  );
  return giveUp({ ...memory, refusals, versionUnavailable: true }, { kind: 'older-answer', error });
}

function replaced(memory: Memory, version: string): Memory {
  return {
    ...memory,
    version,
    versionUnavailable: false,
    refusals: 0,
    watchList: memory.watchList === 'skip' ? 'use' : memory.watchList,
  };
}
