/**
 * The operator's HTTP servers: metrics and probes without authentication at one address, and further addresses if flags
 * ask for them. If metrics are served over TLS to authorized callers, the plain ones are for loopback only.
 *
 * In: settings, the manager's health, the registry. Out: runnables for the manager, and the main server, to which other
 * parts add their routes before it starts.
 */
import {
  type Client,
  type Clock,
  type Health,
  HttpServer,
  type Logger,
  METRICS_CONTENT_TYPE,
  type Metrics,
  type Runnable,
  refuseMethod,
  respond,
  serveHealth,
  serveMetrics,
} from '@reloader/runtime';
import { API_PATH, type Api } from '../api/routes.ts';
import type { MetricsServerSettings, Settings } from '../settings/settings.ts';
import type { Leadership } from './leadership.ts';
import { serveLive } from './live.ts';
import { serveLocalApi, serveLocalPage } from './local-api.ts';
import { localOnly } from './local-only.ts';

export interface ServerOptions {
  readonly settings: Pick<
    Settings,
    'httpAddress' | 'probeAddress' | 'metricsServer' | 'pprofAddress' | 'reloader' | 'api'
  >;
  readonly health: Health;
  readonly metrics: Metrics;
  /** For authorization and the certificate; used only for metrics over TLS. */
  readonly client: Client;
  /** Set if leader election is on. */
  readonly leadership?: Leadership;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Servers {
  /** At `httpAddress`. Routes can be added until it starts. */
  readonly main: HttpServer;
  /** All of them, the main one included. */
  readonly runnables: readonly Runnable[];
  /**
   * Adds it on loopback, and at the addresses of the settings. Until then the address for tokens answers that it is not
   * ready.
   */
  addApi(api: Api): void;
}

/** Modules that only some settings need are loaded only with them. */
export async function createServers(options: ServerOptions): Promise<Servers> {
  const { settings, health, metrics, leadership, clock, logger } = options;
  if (leadership) health.addLiveness('leadership', leadership.check);
  const main = new HttpServer({ address: settings.httpAddress, logger });
  if (settings.metricsServer?.secure) serveLocalMetrics(main, metrics);
  else serveMetrics(main, metrics);
  serveHealth(main, health);
  serveLive(main, health);
  const runnables: Runnable[] = [main];
  if (settings.probeAddress !== undefined) {
    const probes = new HttpServer({ address: settings.probeAddress, name: 'probes', logger });
    serveHealth(probes, health);
    runnables.push(probes);
  }
  if (settings.metricsServer) runnables.push(await metricsServer(settings.metricsServer, options));
  if (settings.pprofAddress !== undefined) {
    const profiles = new HttpServer({ address: settings.pprofAddress, name: 'pprof', logger });
    const { serveProfiles } = await import('./profiles.ts');
    serveProfiles(profiles, clock);
    runnables.push(profiles);
  }
  let api: Api | undefined;
  const { server: secureApi, ui, allowedHosts } = settings.api;
  if (secureApi) {
    const { createSecureApi } = await import('./secure-routes.ts');
    runnables.push(createSecureApi(API_PATH, () => api, secureApi, options));
  }
  if (ui) {
    const { createSecureUi } = await import('./secure-routes.ts');
    runnables.push(...createSecureUi(() => api, ui, allowedHosts, options));
  }
  return {
    main,
    runnables,
    addApi(given) {
      api = given;
      serveLocalApi(main, given, { allowedHosts });
      serveLocalPage(main, { allowedHosts });
    },
  };
}

/** Besides the address for authorized callers: a client here is in the pod, or uses a port-forward. */
function serveLocalMetrics(server: HttpServer, metrics: Metrics): void {
  server.route(
    '/metrics',
    localOnly(({ message }, response) => {
      const isRead = message.method === 'GET' || message.method === 'HEAD';
      if (!isRead) return refuseMethod(response);
      respond(response, 200, metrics.render(), METRICS_CONTENT_TYPE);
    }),
  );
}

async function metricsServer(settings: MetricsServerSettings, options: ServerOptions): Promise<Runnable> {
  const { metrics, logger } = options;
  const { address, secure } = settings;
  if (secure) return (await import('./secure-routes.ts')).createSecureMetrics(settings, options);
  const server = new HttpServer({ address, name: 'metrics', logger });
  serveMetrics(server, metrics);
  return server;
}
