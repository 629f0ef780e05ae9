/**
 * Assembles the client.
 *
 * A request passes these layers, outermost first: deadline, retries, typed errors, credentials (and once more after a
 * 401), interceptors, metrics, transport. Interceptors therefore see every single attempt just before it is sent.
 */
import { type Clock, systemClock } from '../clock/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Deadline } from './abort.ts';
import { type Credentials, fixedCredentials } from './auth/credentials.ts';
import type { Client } from './client.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { createHttpTransport, type HttpTransportOptions } from './http/http-transport.ts';
import { authenticated } from './pipeline/authentication.ts';
import { measured } from './pipeline/measurement.ts';
import { checked } from './pipeline/outcome.ts';
import { type ClientRequest, type Interceptor, intercepted, type Send } from './pipeline/request.ts';
import { sendWithRetries } from './pipeline/retry.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './pipeline/retry-decision.ts';
import { WarningLog } from './pipeline/warnings.ts';
import type { Transport, TransportResponse } from './transport.ts';
import type { OnWritten, VerbContext } from './verbs/context.ts';
import { deleteObject, deleteObjects } from './verbs/delete.ts';
import { sendRaw } from './verbs/raw.ts';
import { getObject, listEach, listObjects, watchObjects } from './verbs/read.ts';
import { applyObject, createObject, patchObject, updateObject } from './verbs/write.ts';

export const DEFAULT_USER_AGENT = 'reloader-runtime/0.1.0';
const DEFAULT_TIMEOUT_MS = 30_000;
/** etcd takes 1.5 MB by default; JSON with escapes and managed fields may be a few times that. */
const DEFAULT_MAX_OBJECT_BYTES = 8 * 1024 * 1024;

/** Options of a client, whatever its transport. */
export interface ClientSettings {
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
  /** `name/version` of the program. */
  readonly userAgent?: string | undefined;
  /** The default field manager. Server-side apply needs one. */
  readonly fieldManager?: string | undefined;
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Called with every object that a create, update, patch or apply stored. */
  readonly onWritten?: OnWritten | undefined;
  /** Changes to the retry policy, or false for a single attempt. */
  readonly retry?: Partial<RetryPolicy> | false | undefined;
  /** For jitter: numbers from 0 up to but not including 1. */
  readonly random?: (() => number) | undefined;
  /** Timeout of a whole request including its retries; watches have none. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  /** Upper limit of one object, list item or watch line. Default 8 MiB. */
  readonly maxObjectBytes?: number | undefined;
}

/** A client that opens its own connections. */
export interface ConnectedClientOptions extends ClientSettings {
  readonly config: ClusterConfig;
  readonly http?: Omit<HttpTransportOptions, 'clock'> | undefined;
}

/** A client over an existing transport, such as minicluster's. */
export interface TransportClientOptions extends ClientSettings {
  readonly transport: Transport;
  readonly credentials?: Credentials | undefined;
}

/** Options of `createClient`. */
export type ClientOptions = ConnectedClientOptions | TransportClientOptions;

/**
 * A client for a cluster, or over any transport. Each client has its own connections: make a second one from the same
 * config for work that must not wait behind other requests, such as renewing a Lease.
 */
export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, logger, random = Math.random } = options;
  const place = placeOf(options, clock);
  const warnings = new WarningLog(logger);
  const policy =
    options.retry === false ? { ...DEFAULT_RETRY, maxAttempts: 1 } : { ...DEFAULT_RETRY, ...options.retry };
  const userAgent = options.userAgent ?? DEFAULT_USER_AGENT;
  let closed = false;

  const direct: Send = (request) => place.transport.request(request);
  const counted = options.metrics ? measured(options.metrics, clock, place.host, direct) : direct;
  const layers = checked(
    place.source,
    clock,
    authenticated(place.credentials, intercepted(options.interceptors ?? [], counted)),
  );

  async function send(request: ClientRequest, limit?: Deadline): Promise<TransportResponse> {
    const headers = { 'user-agent': userAgent, ...request.headers };
    const retrying = { policy, clock, random, logger, closed: () => closed };
    const response = await sendWithRetries({ ...request, headers }, limit, retrying, layers);
    warnings.report(response.headers.warning, request.summary);
    return response;
  }

  const context: VerbContext = {
    send,
    clock,
    logger,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxObjectBytes: options.maxObjectBytes ?? DEFAULT_MAX_OBJECT_BYTES,
    fieldManager: options.fieldManager,
    onWritten: options.onWritten,
  };

  return {
    get: async (type, key, given) => getObject(context, type, key, given),
    list: async (type, given) => listObjects(context, type, given),
    listEach: async (type, onItem, given) => listEach(context, type, onItem, given),
    watch: async (type, given) => watchObjects(context, type, given),
    create: async (type, object, given) => createObject(context, type, object, given),
    update: async (type, object, given) => updateObject(context, type, object, given),
    patch: async (type, key, patch, given) => patchObject(context, type, key, patch, given),
    apply: async (type, object, given) => applyObject(context, type, object, given),
    delete: async (type, key, given) => deleteObject(context, type, key, given),
    deleteCollection: async (type, given) => deleteObjects(context, type, given),
    raw: (request) => sendRaw(context, request),
    async close() {
      closed = true;
      await place.transport.close();
    },
  };
}

interface Place {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly source: string;
  readonly host: string;
}

function placeOf(options: ClientOptions, clock: Clock): Place {
  if ('transport' in options) {
    return {
      transport: options.transport,
      credentials: options.credentials ?? fixedCredentials(),
      source: 'this client',
      host: 'in-process',
    };
  }
  const { config } = options;
  return {
    transport: createHttpTransport(config, { ...options.http, clock }),
    credentials: config.credentials,
    source: config.source,
    host: new URL(config.server).host,
  };
}
