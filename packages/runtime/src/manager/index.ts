export { type ListenAddress, parseAddress } from './address.ts';
export {
  type AccessRequest,
  authorizeByServer,
  type CallerReview,
  type RequestAuthorizer,
  type RequestReviewer,
  type ResourceAttributes,
  reviewByServer,
  reviewCaller,
  TooManyReviewsError,
  type Verdict,
} from './authorization.ts';
export { type CacheLike, type CacheRunnableOptions, cacheOf, cacheRunnable } from './caches.ts';
export { ConnectionGuard, type ConnectionGuardOptions, REQUEST_LIMITS } from './connection-guard.ts';
export { keepDoor } from './door.ts';
export {
  type EndpointOptions,
  type Inspectable,
  serveHealth,
  serveInspection,
  serveMetrics,
} from './endpoints.ts';
export { Health, type HealthAnswer, type HealthCheck, type HealthOptions } from './health.ts';
export {
  type CacheCheckOptions,
  cachesAlive,
  type EventLoopCheckOptions,
  eventLoopResponsive,
} from './health-checks.ts';
export {
  type HttpHandler,
  type HttpRequest,
  HttpServer,
  type HttpServerOptions,
  type RouteOptions,
  refuseMethod,
  respond,
} from './http-server.ts';
export { type Closable, Manager, type ManagerOptions, ShutdownTimeoutError } from './manager.ts';
export { OneAtATime } from './one-at-a-time.ts';
export {
  type FailFastOptions,
  failFast,
  onTermination,
  type ProcessLike,
  type Termination,
  type TerminationOptions,
} from './process-signals.ts';
export { type ProgramOptions, runProgram } from './program.ts';
