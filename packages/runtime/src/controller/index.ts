export { Controller, createController } from './controller.ts';
export { type ErrorPolicyOptions, withErrorPolicy } from './error-policy.ts';
export {
  classifyError,
  type ErrorClass,
  ReconcileTimeoutError,
  ShutdownError,
  SupersededError,
} from './errors.ts';
export { type KeyCodec, type KindKey, kindKeys, objectKeys } from './keys.ts';
export type { ControllerOptions, KeyReport } from './options.ts';
export {
  and,
  annotationsChanged,
  changed,
  generationChanged,
  inNamespaces,
  labelsChanged,
  matchesLabels,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
  type UnseenOptions,
  unseen,
} from './predicates.ts';
export type { ReconcileContext, Reconciler } from './reconciler.ts';
export {
  type AnyInformer,
  type Channel,
  channel,
  type EnqueueOptions,
  forKind,
  LOW_PRIORITY,
  type Owned,
  type OwnsOptions,
  owns,
  type RequestCause,
  type Source,
  type SourceOptions,
  type SourceRegistration,
  type SourceSink,
  watches,
} from './sources.ts';
export { CacheSyncTimeoutError } from './sync.ts';
