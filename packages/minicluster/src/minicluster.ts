/**
 * A Kubernetes cluster inside this process.
 *
 * In: options and requests. Out: an API server that answers in process and, if configured to listen, over HTTPS or
 * HTTP. Guarantees: with a seed and a virtual clock every run is the same as long as nothing listens. Nothing is
 * persisted.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { type Clock, systemClock } from '@reloader/runtime';
import type { ServiceAddress } from './admission/call.ts';
import { createApiServer } from './api/api-server.ts';
import { bootstrap } from './api/bootstrap.ts';
import type { Cluster, Features } from './api/cluster.ts';
import { serveCustomResources } from './api/custom-resources.ts';
import { createLocalApi } from './api/local-api-server.ts';
import { aggregateClusterRoles } from './auth/aggregation.ts';
import { Authenticator } from './auth/authenticator.ts';
import { Rbac } from './auth/rbac.ts';
import { ServiceAccountTokens } from './auth/service-account-tokens.ts';
import { MASTERS, type User } from './auth/user.ts';
import { type SimulatedWorkloads, startControllers } from './controllers/index.ts';
import { KindRegistry } from './kinds/index.ts';
import type { LocalApi } from './model/local-api.ts';
import { Random } from './model/random.ts';
import type { Handler, Middleware } from './request/request.ts';
import { type Certificate, CertificateAuthority } from './server/certificates.ts';
import { type InProcessTransport, inProcessTransport } from './server/in-process.ts';
import { kubeconfig } from './server/kubeconfig.ts';
import { listen } from './server/listener.ts';
import type { WatchWindow } from './storage/event-log.ts';
import { Replica } from './storage/replica.ts';
import { Store } from './storage/store.ts';

/** Options of a minicluster. */
export interface MiniclusterOptions {
  readonly clock?: Clock;
  /** The same seed gives the same uids, names and tokens. */
  readonly seed?: number;
  readonly features?: Partial<Features>;
  /** How long events are kept for watches that start from an older revision. */
  readonly watchWindow?: Partial<WatchWindow>;
  /** Requests without credentials are `system:anonymous` instead of 401. */
  readonly anonymous?: boolean;
  /** Simulated controllers, scheduler and kubelets. Default true; false is only an API server. */
  readonly workloads?: boolean | WorkloadOptions;
  /** Where to listen; false (the default) for in-process use only. */
  readonly listen?: false | ListenChoice;
  /**
   * Addresses of Services with webhooks behind them (`https://127.0.0.1:9443`): there are no endpoints here. A
   * webhook with a `url` needs none.
   */
  readonly serviceAddress?: ServiceAddress;
  /** Wrapped around the request handler, the first one outermost. */
  readonly middleware?: readonly Middleware[];
}

export interface WorkloadOptions {
  /** How many Node objects exist. Default 1. */
  readonly nodes?: number;
  /** A controller's step failed unexpectedly. It is retried. */
  readonly onError?: (controller: string, key: string, error: unknown) => void;
}

export interface ListenChoice {
  /** Default 0: any free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default true; false is plain HTTP. */
  readonly tls?: boolean;
}

/** Options of an in-process client. */
export interface TransportOptions {
  /** Default: the administrator's token. */
  readonly token?: string;
  readonly replica?: Replica;
}

/** A running API server: connections to it, its workloads, and how to stop it. */
export interface Minicluster {
  /** The time that the server and its controllers go by. */
  readonly clock: Clock;
  /** Everything random follows from it: a run with the same seed is the same run. */
  readonly seed: number;
  /** The cluster with full permissions and without HTTP. */
  readonly api: LocalApi;
  /** The simulated controllers: scripts pod behaviour. Undefined without workloads. */
  readonly workloads: SimulatedWorkloads | undefined;
  /** All stored objects and events: for checkers. */
  readonly store: Store;
  /** The default front end; hold it to make it stale. */
  readonly replica: Replica;
  /** Answers one request, without any transport. */
  readonly handler: Handler;
  /** A user of the group system:masters. */
  readonly adminToken: string;
  /** Its address; undefined if it does not listen. */
  readonly url: string | undefined;
  /** PEM of the authority that signed the server's certificate; undefined without TLS. */
  readonly ca: string | undefined;
  /** A kubeconfig for the administrator, or for another token. Needs a listener. */
  kubeconfig(options?: { readonly token?: string; readonly namespace?: string }): string;
  /** Writes a kubeconfig of an administrator; it needs `listen`. */
  writeKubeconfig(file: string): Promise<void>;
  /** For `createClient({ transport })`: requests stay within the process. */
  transport(options?: TransportOptions): InProcessTransport;
  /** A client certificate signed by the cluster's authority. Needs TLS. */
  clientCertificate(user: string, groups: readonly string[]): Certificate;
  /** From now on this bearer token stands for the user. */
  addToken(token: string, user: User): void;
  /** The token is no longer accepted. */
  revokeToken(token: string): void;
  /** Ends watches, controllers and the server. */
  stop(): Promise<void>;
}

/**
 * Starts an API server inside this process. With a virtual clock and a seed every run is the same.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * const cluster = await startMinicluster({ clock, seed: 1 });
 * const client = createClient({ transport: cluster.transport(), clock });
 * await client.create(kinds.ConfigMap, { metadata: { namespace: 'default', name: 'settings' } });
 * await clock.advance(60_000); // a minute, in no time
 * await cluster.stop();
 * ```
 */
export async function startMinicluster(options: MiniclusterOptions = {}): Promise<Minicluster> {
  const clock = options.clock ?? systemClock;
  const seed = options.seed ?? randomInt(2 ** 32);
  const random = new Random(seed);
  const store = new Store({ clock, ...(options.watchWindow && { window: options.watchWindow }) });
  const replica = new Replica(store);
  const cluster: Cluster = {
    clock,
    store,
    replica,
    kinds: new KindRegistry(),
    random,
    features: { watchList: true, ...options.features },
    serviceAddress: options.serviceAddress,
  };
  const secrets = options.seed === undefined ? undefined : random.fork();
  const secret = (): string => (secrets ? secrets.uuid() : randomBytes(16).toString('hex'));
  const serviceAccounts = new ServiceAccountTokens({ key: Buffer.from(secret()), clock, store });
  const authenticator = new Authenticator({ serviceAccounts, anonymous: options.anonymous ?? false });
  const adminToken = secret();
  authenticator.addToken(adminToken, { name: 'admin', groups: [MASTERS] });
  const api = createLocalApi(cluster);
  const stopCustomResources = serveCustomResources(cluster);
  const stopAggregation = aggregateClusterRoles(api);
  bootstrap(api);
  const server = createApiServer({ cluster, authenticator, rbac: new Rbac(store) });
  const handler = (options.middleware ?? []).reduceRight<Handler>((next, wrap) => wrap(next), server);
  const transports = new Set<InProcessTransport>();
  const front = options.listen ? await openFront(handler, options.listen) : undefined;
  const workloads =
    options.workloads === false ? undefined : startWorkloads(api, clock, front, options.workloads);
  const kubeconfigFor = (choice: { token?: string; namespace?: string } = {}): string => {
    if (!front) throw new Error('This minicluster does not listen: start it with { listen: {} }');
    const { token = adminToken, namespace } = choice;
    return kubeconfig({ url: front.url, ca: front.ca, token, namespace });
  };
  return {
    clock,
    seed,
    api,
    workloads,
    store,
    replica,
    handler,
    adminToken,
    url: front?.url,
    ca: front?.ca,
    kubeconfig: kubeconfigFor,
    writeKubeconfig: (file) => writeFile(file, kubeconfigFor(), { mode: 0o600 }),
    transport({ token = adminToken, replica: chosen } = {}) {
      const { request, close } = inProcessTransport(handler, { token, ...(chosen && { replica: chosen }) });
      const transport: InProcessTransport = {
        request,
        async close() {
          transports.delete(transport);
          await close();
        },
      };
      transports.add(transport);
      return transport;
    },
    clientCertificate(user, groups) {
      if (!front?.authority)
        throw new Error('This minicluster has no authority: start it with { listen: {} }');
      return front.authority.clientCertificate(systemClock.now(), user, groups);
    },
    addToken: (token, user) => authenticator.addToken(token, user),
    revokeToken: (token) => authenticator.revokeToken(token),
    async stop() {
      await Promise.all([...transports].map((transport) => transport.close()));
      workloads?.stop();
      stopCustomResources();
      stopAggregation();
      await front?.close();
    },
  };
}

function startWorkloads(
  api: LocalApi,
  clock: Clock,
  front: Front | undefined,
  choice: boolean | WorkloadOptions | undefined,
): SimulatedWorkloads {
  const options = typeof choice === 'object' ? choice : {};
  return startControllers({ ...options, api, clock, rootCa: () => front?.ca ?? '' });
}

interface Front {
  readonly url: string;
  readonly ca: string | undefined;
  readonly authority: CertificateAuthority | undefined;
  close(): Promise<void>;
}

async function openFront(handler: Handler, choice: ListenChoice): Promise<Front> {
  const { host = '127.0.0.1', port = 0, tls = true } = choice;
  // Clients check certificates against the real time, whatever the cluster's clock.
  const now = systemClock.now();
  const authority = tls ? new CertificateAuthority(now) : undefined;
  const names = ['localhost', 'kubernetes', 'kubernetes.default.svc', '127.0.0.1', '::1', host];
  const listener = await listen(handler, {
    host,
    port,
    ...(authority && {
      tls: { server: authority.serverCertificate(now, [...new Set(names)]), ca: authority.certificate },
    }),
  });
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const authorityPart = shownHost.includes(':') ? `[${shownHost}]` : shownHost;
  return {
    url: `${tls ? 'https' : 'http'}://${authorityPart}:${listener.port}`,
    ca: authority?.certificate,
    authority,
    close: () => listener.close(),
  };
}
