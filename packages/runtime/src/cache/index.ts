/**
 * Informers: kinds cached in memory and kept in sync with the server.
 *
 * @module
 */

export type { ReflectorTuning } from '../reflector/reflector.ts';
export type { CachingInformer } from './caching-informer.ts';
export { createInformer } from './create-informer.ts';
export { followNamespaces } from './follow-namespaces.ts';
export type {
  Cached,
  HandlerRegistration,
  IndexFunctions,
  Informer,
  InformerEvent,
  InformerHandler,
  InformerHealth,
  InformerState,
  ReadonlyStore,
} from './informer.ts';
export {
  type Declaration,
  InformerCache,
  type NamespacedDeclaration,
  NotCachedError,
} from './informer-cache.ts';
export type { InformerEnvironment, InformerOptions, InformerSelection } from './informer-options.ts';
export {
  NamespacedInformer,
  type NamespacedInformerOptions,
  type ScopeChange,
} from './namespaced-informer.ts';
export { type CatchUp, Overlay, type OverlayOptions } from './overlay.ts';
export { identityOf, type Projection, ProjectionError } from './projection.ts';
export { SyncGate } from './sync-gate.ts';
export { trackWrites } from './tracked-client.ts';
export { WriteTracker } from './write-tracker.ts';
