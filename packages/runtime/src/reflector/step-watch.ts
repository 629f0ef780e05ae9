/** How the store is kept up to date once it is filled. */
import type { WatchEvent } from '../client/client.ts';
import type { KubernetesObject } from '../model/types.ts';
import type { Failure } from './failure.ts';
import {
  IdleWatchError,
  type Input,
  type MachineConfig,
  type Memory,
  type RelistCause,
  type State,
  type Transition,
  VeryShortWatchError,
} from './state.ts';
import { fill, pause, RECEIVE, watchFrom, withoutTrouble, withStall } from './transitions.ts';
import { compareVersions, hasReached, newerOf } from './versions.ts';

type Watching = Extract<State, { name: 'watching' }>;

/** A stream that ends sooner without an event counts as refused. */
const SHORT_WATCH_MS = 1000;

export function stepWatching<T extends KubernetesObject>(
  config: MachineConfig,
  state: Watching,
  input: Input<T>,
): Transition<T> | undefined {
  const { memory } = state;
  switch (input.type) {
    case 'opened':
      return { state: { ...state, opened: true, memory: withoutTrouble(memory) }, effect: RECEIVE };
    case 'event':
      return eventArrived(state, input.event);
    case 'closed': {
      if (!isShort(state, input.at)) return watchFrom(memory, input.at);
      const error = new VeryShortWatchError('The server closed a watch at once without a single event');
      return pause({ name: 'listed', memory }, { kind: 'very-short', error });
    }
    case 'idle': {
      const error = new IdleWatchError(
        'A watch fell silent: neither an event nor a bookmark arrived in time',
      );
      return { ...watchFrom(withStall(memory), input.at), problem: { kind: 'idle', error } };
    }
    case 'failed':
      return watchFailed(config, state, input.failure, input.at);
    default:
      return undefined;
  }
}

function eventArrived<T extends KubernetesObject>(state: Watching, event: WatchEvent<T>): Transition<T> {
  const known = state.memory.version;
  if (event.type === 'BOOKMARK') {
    const next = received(state, newerOf(known, event.resourceVersion));
    if (next.memory.version === known) return { state: next, effect: RECEIVE };
    return { state: next, output: { type: 'progress', version: event.resourceVersion }, effect: RECEIVE };
  }
  const version = event.object.metadata.resourceVersion;
  // A lagging server repeats old events. A deletion is passed on all the same: the store can tell by uid and version
  // whether it is new, also from servers that do not set the version of deletions.
  if (event.type !== 'DELETED' && !state.unordered && isPast(version, known))
    return { state: received(state, known), effect: RECEIVE };
  // The first events of a stream without a starting version are in no order, so they say nothing about progress.
  const ordered = !state.unordered || event.type !== 'ADDED';
  const reached = ordered ? newerOf(known, version) : known;
  const next = received(ordered && state.unordered ? { ...state, unordered: false } : state, reached);
  return { state: next, output: { type: 'apply', event, version: reached ?? '' }, effect: RECEIVE };
}

function isPast(version: string, known: string | undefined): boolean {
  return known !== undefined && compareVersions(version, known) !== undefined && hasReached(known, version);
}

/** Any data proves that the connection is alive; only new data is progress. */
function received(state: Watching, version: string | undefined): Watching {
  const { memory } = state;
  if (version === memory.version)
    return memory.stalls ? { ...state, memory: { ...memory, stalls: 0 } } : state;
  return {
    ...state,
    progressed: true,
    memory: { ...memory, version, stalls: 0, recovered: false, failingSince: undefined },
  };
}

function isShort(state: Watching, at: number): boolean {
  return !state.progressed && at - state.sentAt < SHORT_WATCH_MS;
}

function watchFailed<T extends KubernetesObject>(
  config: MachineConfig,
  state: Watching,
  failure: Failure,
  at: number,
): Transition<T> {
  const { memory } = state;
  switch (failure.kind) {
    case 'expired':
      return recover(config, memory, failure, 'expired');
    case 'too-large':
      return recover(config, { ...memory, versionUnavailable: true }, failure, 'too-large');
    case 'missing':
      // If the kind returns, its objects are new ones: only a list can tell.
      return { ...pause<T>({ name: 'empty', memory }, failure), relist: 'missing' };
    case 'connection':
      if (state.opened && !isShort(state, at)) return { ...watchFrom(memory, at), problem: failure };
      return pause({ name: 'listed', memory }, failure);
    case 'throttled':
    case 'unauthorized':
    case 'forbidden':
    case 'local':
      return pause({ name: 'listed', memory }, failure);
    default:
      return retryOrRelist(config, memory, failure, at);
  }
}

/** Relists at once the first time; again only after something was received, otherwise with backoff. */
function recover<T extends KubernetesObject>(
  config: MachineConfig,
  memory: Memory,
  failure: Failure,
  relist: RelistCause,
): Transition<T> {
  if (memory.recovered) return { ...pause<T>({ name: 'empty', memory }, failure), relist };
  return { ...fill(config, { ...memory, recovered: true }), problem: failure, relist };
}

/** A server error may be temporary, or tied to one event in its log, which a relist skips. */
function retryOrRelist<T extends KubernetesObject>(
  config: MachineConfig,
  memory: Memory,
  failure: Failure,
  at: number,
): Transition<T> {
  const failingSince = memory.failingSince ?? at;
  if (at - failingSince < config.errorRetryMs)
    return pause({ name: 'listed', memory: { ...memory, failingSince } }, failure);
  const cleared: Memory = { ...memory, failingSince: undefined };
  return { ...pause<T>({ name: 'empty', memory: cleared }, failure), relist: 'errors' };
}
