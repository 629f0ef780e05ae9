/** The connection of a pod to the API server of its own cluster, as its service account. */
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import { tokenFileCredentials } from '../auth/credentials.ts';
import { FileContent } from '../auth/file-content.ts';
import { createTlsSource } from '../auth/tls.ts';
import { ConfigError } from '../errors.ts';
import type { ClusterConfig } from './cluster-config.ts';

export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
  readonly directory: string;
}

export function runsInCluster(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(environment.KUBERNETES_SERVICE_HOST && environment.KUBERNETES_SERVICE_PORT);
}

export async function inClusterConfig(options: InClusterOptions): Promise<ClusterConfig> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = options.environment;
  if (!host || !port) {
    throw new ConfigError(
      'Not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, run in a pod or give a kubeconfig',
    );
  }
  const file = (name: string, what: string): FileContent =>
    new FileContent(join(options.directory, name), what, options.clock);
  const token = file('token', 'service account token');
  const ca = file('ca.crt', 'cluster CA');
  await Promise.all([token.read(), ca.read()]).catch((error: unknown) => {
    throw new ConfigError(
      `${(error as Error).message}: does the pod mount its service account (automountServiceAccountToken)`,
      { cause: error },
    );
  });
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    source: `the service account in ${options.directory}`,
    namespace: await ownNamespace(options.directory),
    tls: createTlsSource({ ca }),
    credentials: tokenFileCredentials(token),
  };
}

async function ownNamespace(directory: string): Promise<string> {
  const text = await readFile(join(directory, 'namespace'), 'utf8').catch(() => '');
  return text.trim() || 'default';
}
