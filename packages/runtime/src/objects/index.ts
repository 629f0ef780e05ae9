export { type Apply, type ApplyOptions, applyIfChanged } from './apply.ts';
export {
  type Component,
  type ComponentOutcome,
  deleteIfOwned,
  type ManagementState,
  reconcileComponent,
  setComponentConditions,
  UnknownManagementStateError,
} from './components.ts';
export {
  ConditionError,
  type ConditionStatus,
  type ConditionText,
  type ConditionUpdate,
  findCondition,
  isConditionTrue,
  markReady,
  markReconciling,
  markStalled,
  phaseOf,
  removeCondition,
  setCondition,
} from './conditions.ts';
export { type ConflictRetryOptions, retryOnConflict } from './conflict.ts';
export {
  createOrUpdate,
  type Mutate,
  type Upsert,
  type UpsertOptions,
} from './create-or-update.ts';
export { deepEqual } from './equality.ts';
export {
  addFinalizer,
  type FinalizerFlow,
  hasFinalizer,
  isDeleting,
  removeFinalizer,
  withFinalizer,
} from './finalizers.ts';
export {
  AlreadyOwnedError,
  type ControllerReferenceOptions,
  controllerOf,
  controllerReference,
  isControlledBy,
  NotOwnedError,
  OwnerScopeError,
  setControllerReference,
} from './owners.ts';
export { type PodFailure, podFailure } from './pod-failure.ts';
export { getIfExists } from './read.ts';
export { judgeRollout, type RolloutEvidence, type RolloutStatus, rolloutStatus } from './rollout.ts';
export {
  type AnyWorkload,
  hasFinished,
  type RolloutFacts,
  type RolloutKind,
  rolloutFacts,
  type WorkloadLike,
} from './rollout-facts.ts';
export {
  type LabelSelector,
  type LabelSelectorRequirement,
  parseSelector,
  type Selector,
  SelectorError,
  selectorFrom,
} from './selectors.ts';
export { type StatusOf, type StatusWrite, type WithStatus, withStatus, writeStatus } from './status.ts';
export { runSteps, type Step, StepError, type StepResult } from './steps.ts';
export { timestamp } from './time.ts';
