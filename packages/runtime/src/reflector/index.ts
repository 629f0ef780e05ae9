/**
 * Keeps a copy of a collection in sync with the server. See `reflector.ts` for its guarantees.
 *
 * @module
 */
export { metadataApi, objectApi, type ReflectorApi, type Scope, type WatchRequest } from './api.ts';
export { Backoff, type BackoffOptions, type Random } from './backoff.ts';
export { FAILURE_KINDS, type Failure, type FailureKind } from './failure.ts';
export {
  type DataEventType,
  Reflector,
  type ReflectorOptions,
  type ReflectorSink,
  type ReflectorTuning,
} from './reflector.ts';
export type { ReflectorObserver } from './report.ts';
export {
  DEFAULT_CONFIG,
  IdleWatchError,
  type MachineConfig,
  OlderAnswerError,
  type Problem,
  type ReflectorPhase,
  type RelistCause,
  UnfinishedWatchListError,
  VeryShortWatchError,
} from './state.ts';
export { compareVersions, hasReached, isOlder, newerOf } from './versions.ts';
