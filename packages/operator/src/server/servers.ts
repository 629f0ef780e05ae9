/**
 * What the operator serves: metrics and probes for everybody at one address, and further addresses where flags ask for
 * them.
 *
 * In: settings, the manager's health, the registry. Out: runnables for the manager, and the main server, to which
 * others add their routes before it starts.
 */
import {
  authorizeByServer,
  type CertificateSource,
  type Client,
  type Clock,
  certificateDirectory,
  type Health,
  HttpServer,
  type Logger,
  type Metrics,
  managedCertificates,
  type Runnable,
  serveHealth,
  serveMetrics,
} from '@reloader/runtime';
import type { MetricsServerSettings, Settings } from '../settings/settings.ts';
import type { Leadership } from './leadership.ts';
import { serveLive } from './live.ts';
import { serveProfiles } from './profiles.ts';
import { SecureMetricsServer } from './secure-metrics.ts';

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

const CERTIFICATE_SECRET = 'reloader-metrics-cert';

export function createServers(options: ServerOptions): Servers {
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
  if (settings.metricsServer) runnables.push(metricsServer(settings.metricsServer, options));
  if (settings.pprofAddress !== undefined) {
    const profiles = new HttpServer({ address: settings.pprofAddress, name: 'pprof', logger });
    serveProfiles(profiles, clock);
    runnables.push(profiles);
  }
  return { main, runnables };
}

function metricsServer(settings: MetricsServerSettings, options: ServerOptions): Runnable {
  const { metrics, client, clock, logger } = options;
  const { address, http2, secure } = settings;
  if (!secure) {
    const server = new HttpServer({ address, name: 'metrics', logger });
    serveMetrics(server, metrics);
    return server;
  }
  return new SecureMetricsServer({
    address,
    http2,
    certificates: certificatesOf(settings, options),
    authorize: authorizeByServer(client, clock),
    metrics,
    logger,
  });
}

/** Without files of the user's, one certificate for all replicas, kept in a Secret that scrapers can take the CA from. */
function certificatesOf(
  { certificate }: MetricsServerSettings,
  { settings, client, clock, logger }: ServerOptions,
): CertificateSource {
  if (certificate) return certificateDirectory({ ...certificate, clock, logger });
  const { operatorNamespace: namespace, operatorName } = settings.reloader;
  return managedCertificates({
    client,
    secret: { namespace, name: CERTIFICATE_SECRET },
    service: { namespace, name: operatorName },
    names: ['localhost'],
    configurations: [],
    clock,
    logger,
  });
}
