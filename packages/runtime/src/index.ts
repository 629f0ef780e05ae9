/**
 * A controller runtime for TypeScript. Everything that an operator needs is exported from here; helpers for tests are
 * in `@reloader/runtime/testing`. `docs/tutorial.md` builds an operator with it step by step.
 *
 * @module
 */
export * from './builder/index.ts';
export * from './cache/index.ts';
export * from './client/index.ts';
export { type Clock, sleep, systemClock, type Timer } from './clock/clock.ts';
export { EventLoopBudget } from './clock/event-loop-budget.ts';
export * from './controller/index.ts';
export * from './election/index.ts';
export * from './events/index.ts';
export * from './lifecycle/index.ts';
export * from './logging/index.ts';
export * from './manager/index.ts';
export * from './metrics/index.ts';
export * from './model/index.ts';
export * from './objects/index.ts';
export {
  type AddOptions,
  type DebounceOptions,
  type ExponentialBackoffOptions,
  exponentialBackoff,
  type KeyInspection,
  WorkQueue,
  type WorkQueueOptions,
} from './queue/index.ts';
export { compareVersions } from './reflector/index.ts';
export * from './webhook/index.ts';
