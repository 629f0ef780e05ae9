/** Metrics over TLS, with the certificate that the settings name or one of our own. */
import {
  authorizeByServer,
  type CertificateSource,
  type Client,
  type Clock,
  certificateDirectory,
  type Logger,
  type Metrics,
  managedCertificates,
} from '@reloader/runtime';
import type { MetricsServerSettings, Settings } from '../settings/settings.ts';
import { SecureMetricsServer } from './secure-metrics.ts';

interface ServerOptions {
  readonly settings: Pick<Settings, 'reloader'>;
  readonly metrics: Metrics;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

const CERTIFICATE_SECRET = 'reloader-metrics-cert';

export function createSecureServer(
  settings: MetricsServerSettings,
  options: ServerOptions,
): SecureMetricsServer {
  const { metrics, client, clock, logger } = options;
  const { address, http2 } = settings;
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
