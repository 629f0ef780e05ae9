/** A Kubernetes API server inside Node, for tests, demos and simulations. */

export type { KindRef, LocalApi, LocalEvent, ObjectRef, ServedKind } from './api/local-api.ts';
export type { ApiRequest, ApiResponse, Handler, LiveBody, Middleware, Sink } from './api/request.ts';
export { ConnectionLostError } from './api/request.ts';
export { StatusError } from './api/status.ts';
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
export type { Json, JsonObject, KubeObject, Meta } from './object.ts';
export type { InProcessTransport } from './server/in-process.ts';
export { Replica } from './storage/replica.ts';
export { Store } from './storage/store.ts';
