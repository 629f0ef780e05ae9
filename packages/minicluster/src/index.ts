/**
 * A Kubernetes API server inside Node, for tests, demos and simulations.
 *
 * @module
 */

export type { User } from './auth/user.ts';
export {
  BEHAVIOUR_ANNOTATION,
  type BehaviourScript,
  type ConfigCondition,
  type PodBehaviour,
  type SimulatedWorkloads,
} from './controllers/index.ts';
export * from './faults/index.ts';
export * from './history/index.ts';
export {
  type Minicluster,
  type MiniclusterOptions,
  startMinicluster,
  type TransportOptions,
} from './minicluster.ts';
export type { KindRef, LocalApi, LocalEvent, ObjectRef, ServedKind } from './model/local-api.ts';
export type { Json, JsonObject, KubeObject, Meta } from './model/object.ts';
export { StatusError } from './model/status.ts';
export type { ApiRequest, ApiResponse, Handler, LiveBody, Middleware, Sink } from './request/request.ts';
export { ConnectionLostError } from './request/request.ts';
export type { InProcessTransport } from './server/in-process.ts';
export { Replica } from './storage/replica.ts';
export { Store } from './storage/store.ts';
