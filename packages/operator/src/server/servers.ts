/**
 * What the operator serves: metrics and probes for everybody at one address, and further addresses where flags ask for
 * them.
 *
 * In: settings, the manager's health, the registry. Out: runnables for the manager, and the main server, to which
 * others add their routes before it starts.
 */
import {
  type Client,
  type Clock,
  type Health,
  HttpServer,
  type Logger,
  type Metrics,
  type Runnable,
  serveHealth,
  serveMetrics,
} from '@reloader/runtime';
import type { MetricsServerSettings, Settings } from '../settings/settings.ts';
import type { Leadership } from './leadership.ts';
import { serveLive } from './live.ts';

export interface ServerOptions {
  readonly settings: Pick<
    Settings,
    'httpAddress' | 'probeAddress' | 'metricsServer' | 'pprofAddress' | 'reloader'
  >;
  readonly health: Health;
  readonly metrics: Metrics;
  /** Asks who may read, and keeps the certificate; used only for metrics over TLS. */
  readonly client: Client;
  /** Where a leader is elected. */
  readonly leadership?: Leadership;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Servers {
  /** At `httpAddress`. Takes further routes until it starts. */
  readonly main: HttpServer;
  /** All of them, the main one included. */
  readonly runnables: readonly Runnable[];
}

/** What only a setting asks for is loaded only then. */
export async function createServers(options: ServerOptions): Promise<Servers> {
  const { settings, health, metrics, leadership, clock, logger } = options;
  if (leadership) health.addLiveness('leadership', leadership.check);
  const main = new HttpServer({ address: settings.httpAddress, logger });
  serveMetrics(main, metrics);
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
  return { main, runnables };
}

async function metricsServer(settings: MetricsServerSettings, options: ServerOptions): Promise<Runnable> {
  const { metrics, logger } = options;
  const { address, secure } = settings;
  if (secure) return (await import('./secure-server.ts')).createSecureServer(settings, options);
  const server = new HttpServer({ address, name: 'metrics', logger });
  serveMetrics(server, metrics);
  return server;
}
