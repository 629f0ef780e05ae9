/**
 * Finds the cluster to connect to.
 *
 * The order is kubectl's: the given kubeconfig, the files in KUBECONFIG, `~/.kube/config`, and last the pod's service
 * account. Missing files in KUBECONFIG are skipped.
 */
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../clock/clock.ts';
import { ConfigError } from '../errors.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { configFromContext } from './context.ts';
import { inClusterConfig, runsInCluster, SERVICE_ACCOUNT_DIRECTORY } from './in-cluster.ts';
import { readKubeconfigs } from './kubeconfig.ts';

/** Where to look for a configuration. */
export interface LoadConfigOptions {
  /** Path of a kubeconfig; if given, nothing else is tried. */
  readonly kubeconfig?: string | undefined;
  /** Name of a context; the current one when left out. */
  readonly context?: string | undefined;
  /** True: only the service account of the pod. False: never. */
  readonly inCluster?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** Environment variables, instead of those of this process. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  readonly homeDirectory?: string | undefined;
  /** Where the files of the service account are mounted. */
  readonly serviceAccountDirectory?: string | undefined;
}

/**
 * How to reach the cluster: the kubeconfig that kubectl would use, or the pod's service account.
 *
 * @example
 * ```ts
 * const client = createClient({ config: await loadConfig() });
 * const { items } = await client.list(kinds.Pod, { namespace: 'shop', labelSelector: 'app=web' });
 * ```
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClusterConfig> {
  const { clock = systemClock, environment = process.env, inCluster } = options;
  const asPod = (): Promise<ClusterConfig> =>
    inClusterConfig({
      clock,
      environment,
      directory: options.serviceAccountDirectory ?? SERVICE_ACCOUNT_DIRECTORY,
    });
  if (inCluster === true) return asPod();

  const { paths, optional } = candidates(options, environment);
  const kubeconfig = await readKubeconfigs(paths, optional);
  // An empty kubeconfig configures nothing, so a pod that has one still uses its service account.
  const empty = optional && kubeconfig.contexts.size === 0 && options.context === undefined;
  if (empty && inCluster !== false && runsInCluster(environment)) return asPod();
  if (kubeconfig.files.length > 0) {
    return configFromContext(kubeconfig, options.context, clock, environment);
  }
  throw nothingFound(paths, environment);
}

function candidates(
  options: LoadConfigOptions,
  environment: NodeJS.ProcessEnv,
): { readonly paths: readonly string[]; readonly optional: boolean } {
  if (options.kubeconfig !== undefined) return { paths: [resolve(options.kubeconfig)], optional: false };
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) {
    return { paths: [...new Set(listed.map((path) => resolve(path)))], optional: true };
  }
  const home = options.homeDirectory ?? (environment.HOME || homedir());
  return { paths: [join(home, '.kube', 'config')], optional: true };
}

function nothingFound(paths: readonly string[], environment: NodeJS.ProcessEnv): ConfigError {
  const named = environment.KUBECONFIG ? 'named by KUBECONFIG, ' : '';
  return new ConfigError(
    `No cluster is configured: ${paths.join(', ')} (${named}not there) and this is no pod (KUBERNETES_SERVICE_HOST is not set). Give a kubeconfig, set KUBECONFIG, or run in a cluster`,
  );
}
