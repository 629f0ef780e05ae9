/**
 * The admission webhook of both custom resources, on every replica.
 *
 * In: settings and a client. Out: an HTTPS server for the API server, with certificates that it creates and renews
 * itself. It is only a convenience, so it fails open: the configuration in `manifests/admission.yaml` ignores failures,
 * and an error here (no permission for the Secret, a port in use) is logged and does not affect the rest of the
 * operator.
 */
import {
  type Client,
  type Clock,
  createWebhookServer,
  type Logger,
  type Metrics,
  managedCertificates,
  parseAddress,
  type Runnable,
} from '@reloader/runtime';
import type { AnnotationNames } from '../reloader/model/annotations.ts';
import type { AdmissionSettings } from '../settings/settings.ts';
import { admissionHandlers } from './handlers.ts';
import type { SourceAdmission } from './sources.ts';

export interface AdmissionOptions {
  readonly settings: AdmissionSettings;
  readonly names: AnnotationNames;
  /** Undefined: Secrets and ConfigMaps are not checked. */
  readonly sources?: SourceAdmission;
  /** The operator's namespace, which has the Secret and the Service. */
  readonly namespace: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function createAdmission(options: AdmissionOptions): Runnable {
  const { settings, names, namespace, client, clock, logger, metrics } = options;
  const { host, port } = parseAddress(settings.address);
  const own = { namespace, name: settings.name };
  const server = createWebhookServer({
    certificates: managedCertificates({
      client,
      secret: own,
      service: own,
      // Without a Service, the API server calls the address that it listens on.
      ...(host !== undefined && { names: [host] }),
      configurations: [{ kind: 'ValidatingWebhookConfiguration', name: settings.name }],
      clock,
      logger,
    }),
    handlers: admissionHandlers(names, options.sources),
    port,
    ...(host !== undefined && { host }),
    clock,
    logger,
    metrics,
  });
  return {
    name: 'admission',
    needsLeaderElection: false,
    async start(signals) {
      try {
        await server.start(signals);
      } catch (error) {
        logger.error('The admission webhook does not run: mistakes show in the status only', { error });
        await ended(signals.stopping);
      }
    },
  };
}

/** A runnable that ends before the others would end the process. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
