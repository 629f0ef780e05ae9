/**
 * A Kubernetes cluster inside this process.
 *
 * In: options and requests. Out: an API server that answers in process and, if asked to listen, over HTTPS or HTTP.
 * Guarantees: with a seed and a virtual clock every run is the same as long as nothing listens. Nothing is saved.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { type Clock, systemClock } from '@reloader/runtime';
import { createApiServer } from './api/api-server.ts';
import { bootstrap } from './api/bootstrap.ts';
import type { Cluster, Features } from './api/cluster.ts';
import type { LocalApi } from './api/local-api.ts';
import { createLocalApi } from './api/local-api-server.ts';
import type { Handler, Middleware } from './api/request.ts';
import { Authenticator } from './auth/authenticator.ts';
import { Rbac } from './auth/rbac.ts';
import { ServiceAccountTokens } from './auth/service-account-tokens.ts';
import { MASTERS, type User } from './auth/user.ts';
import { KindRegistry } from './kinds/index.ts';
import { Random } from './random.ts';
import { type InProcessTransport, inProcessTransport } from './server/in-process.ts';
import type { WatchWindow } from './storage/event-log.ts';
import { Replica } from './storage/replica.ts';
import { Store } from './storage/store.ts';

export interface MiniclusterOptions {
  readonly clock?: Clock;
  /** The same seed gives the same uids, names and tokens. */
  readonly seed?: number;
  readonly features?: Partial<Features>;
  /** How long events stay for watches that come late. */
  readonly watchWindow?: Partial<WatchWindow>;
  /** Requests without credentials are `system:anonymous` instead of 401. */
  readonly anonymous?: boolean;
  /** Wrapped around the request handler, the first one outermost. */
  readonly middleware?: readonly Middleware[];
}

export interface TransportOptions {
  /** Default: the administrator's token. */
  readonly token?: string;
  readonly replica?: Replica;
}

export interface Minicluster {
  readonly clock: Clock;
  readonly seed: number;
  /** The cluster with full rights and without HTTP. */
  readonly api: LocalApi;
  /** Everything that is stored, and every event: for checkers. */
  readonly store: Store;
  /** The front end that answers by default; hold it to make it stale. */
  readonly replica: Replica;
  readonly handler: Handler;
  /** A user of the group system:masters. */
  readonly adminToken: string;
  transport(options?: TransportOptions): InProcessTransport;
  addToken(token: string, user: User): void;
  revokeToken(token: string): void;
  stop(): Promise<void>;
}

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
  };
  const secrets = options.seed === undefined ? undefined : random.fork();
  const secret = (): string => (secrets ? secrets.uuid() : randomBytes(16).toString('hex'));
  const serviceAccounts = new ServiceAccountTokens({ key: Buffer.from(secret()), clock, store });
  const authenticator = new Authenticator({ serviceAccounts, anonymous: options.anonymous ?? false });
  const adminToken = secret();
  authenticator.addToken(adminToken, { name: 'admin', groups: [MASTERS] });
  const api = createLocalApi(cluster);
  bootstrap(api);
  const server = createApiServer({ cluster, authenticator, rbac: new Rbac(store) });
  const handler = (options.middleware ?? []).reduceRight<Handler>((next, wrap) => wrap(next), server);
  const transports = new Set<InProcessTransport>();
  return {
    clock,
    seed,
    api,
    store,
    replica,
    handler,
    adminToken,
    transport({ token = adminToken, replica: chosen } = {}) {
      const transport = inProcessTransport(handler, { token, ...(chosen && { replica: chosen }) });
      transports.add(transport);
      return transport;
    },
    addToken: (token, user) => authenticator.addToken(token, user),
    revokeToken: (token) => authenticator.revokeToken(token),
    async stop() {
      await Promise.all([...transports].map((transport) => transport.close()));
    },
  };
}
