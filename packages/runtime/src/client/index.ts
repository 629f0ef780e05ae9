/**
 * The client: kubeconfig and credentials, HTTP/2 transport, verbs, typed errors, discovery.
 *
 * @module
 */
export {
  type AuthHeaders,
  basic,
  bearer,
  type ClientCertificate,
  type Credentials,
  fixedCredentials,
  type Impersonation,
  impersonating,
} from './auth/credentials.ts';
export { createTlsSource, type TlsMaterial, type TlsSource, type TlsSourceOptions } from './auth/tls.ts';
export * from './client.ts';
export type { ClusterConfig } from './config/cluster-config.ts';
export { type LoadConfigOptions, loadConfig } from './config/load.ts';
export {
  type ClientOptions,
  type ClientSettings,
  type ConnectedClientOptions,
  createClient,
  type TransportClientOptions,
} from './create-client.ts';
export {
  type DiscoverOptions,
  type Discovery,
  discover,
  type KindReference,
  type ServerVersion,
  serverVersion,
  UnknownKindError,
} from './discovery/discovery.ts';
export type { DiscoveredResource } from './discovery/documents.ts';
export * from './errors.ts';
export { connectToServer, type ServerConnection } from './http/connect.ts';
export { createHttpTransport, type HttpTransportOptions } from './http/http-transport.ts';
export * as kinds from './kinds.ts';
export { DEFAULT_PAGE_SIZE, listAll, listPages } from './paging.ts';
export type { ClientRequest, Interceptor, Send, Verb } from './pipeline/request.ts';
export type { RetryPolicy } from './pipeline/retry-decision.ts';
export {
  type ConfigMapBytes,
  ConfigMapsInBytes,
  type SecretBytes,
  SecretsInBytes,
  type SourceBytes,
} from './protobuf/objects.ts';
export * from './resource.ts';
export * from './transport.ts';
export type { OnWritten } from './verbs/context.ts';
