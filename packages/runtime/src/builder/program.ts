/** An operator, or several, as a whole program: config, clients, election, probes, metrics, signals, exit code. */

import type { Client } from '../client/client.ts';
import type { ClusterConfig } from '../client/config/cluster-config.ts';
import { loadConfig } from '../client/config/load.ts';
import { createClient } from '../client/create-client.ts';
import { systemClock } from '../clock/clock.ts';
import { createElector } from '../election/elector.ts';
import { fencedClient } from '../election/fence.ts';
import type { Runnable } from '../lifecycle/runnable.ts';
import { createLogger } from '../logging/create-logger.ts';
import type { Logger } from '../logging/logger.ts';
import { serveHealth, serveInspection, serveMetrics } from '../manager/endpoints.ts';
import type { Health } from '../manager/health.ts';
import { cachesAlive, eventLoopResponsive } from '../manager/health-checks.ts';
import { HttpServer } from '../manager/http-server.ts';
import { Manager } from '../manager/manager.ts';
import { runProgram } from '../manager/program.ts';
import { createEventLoopMonitor } from '../metrics/event-loop-lag.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { collectProcessMetrics } from '../metrics/process-metrics.ts';
import { createRegistry } from '../metrics/registry.ts';
import type { Assembly, OperatorEnvironment } from './assemble.ts';

/** Options of `run`: every default fits a Deployment in a cluster. */
export interface RunOptions {
  /** How to reach the cluster. Unless given: the kubeconfig that kubectl would use, or the pod's service account. */
  readonly config?: ClusterConfig | undefined;
  /** Watch only these namespaces; all namespaces unless given. */
  readonly namespaces?: readonly string[] | undefined;
  /** Address of probes and metrics; `HTTP_ADDRESS` or `:8080` unless given, false for none. */
  readonly address?: string | false | undefined;
  /**
   * Every key that waits, runs or failed, with when and why, at `/debug/queues`. It names objects and quotes errors, so give
   * an address that only the pod itself can reach, such as `127.0.0.1:8081`. `INSPECTION_ADDRESS`, or nowhere, unless given.
   */
  readonly inspectionAddress?: string | undefined;
  /** The Lease's namespace, or false if only one process ever runs. `POD_NAMESPACE`, or `default`, unless given. */
  readonly leaderElection?:
    | { readonly namespace?: string | undefined; readonly name?: string | undefined }
    | false
    | undefined;
  /** Where logs go; standard error as JSON lines unless given. */
  readonly logger?: Logger | undefined;
  /**
   * More parts of the same program: a webhook server, a further controller, an HTTP server. They start and stop with the
   * rest; `writer` is refused when this process does not lead.
   */
  readonly add?: ((parts: ProgramParts) => readonly Runnable[]) | undefined;
  /** Grace period for running work after SIGTERM. 30 s unless given. */
  readonly gracePeriodMs?: number | undefined;
}

/** The parts that a program shares. */
export interface ProgramParts {
  /** Reads and watches; with leader election, writes belong to `writer`. */
  readonly client: Client;
  readonly writer: Client;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Further probes go here. */
  readonly health: Health;
}

/** Any result of `operator(...).reconcile(...)`. */
export interface Runs {
  /** The first one names the Lease, the field manager and the user agent. */
  readonly name: string;
  /** Its parts, for this environment. */
  build(environment: OperatorEnvironment): Assembly;
}

/**
 * Runs operators until SIGTERM, SIGINT or a failure, in one process, under one lease. Resolves when everything has ended;
 * the exit code is 0 after an orderly stop and 1 after a failure. It closes its clients, so the process ends too.
 *
 * @experimental
 */
export async function runOperators(operators: readonly Runs[], options: RunOptions = {}): Promise<void> {
  const name = operators[0]?.name ?? 'operator';
  const { logger = createLogger(), namespaces, leaderElection = {}, gracePeriodMs } = options;
  const metrics = createRegistry();
  const eventLoop = createEventLoopMonitor();
  const endProcessMetrics = collectProcessMetrics(metrics, { eventLoop });
  const config = options.config ?? (await loadConfig());
  const settings = { config, logger, metrics, userAgent: `${name}/1`, fieldManager: name };
  const client = createClient(settings);
  // A separate connection: renewing the Lease must not wait behind other requests.
  const leaseClient = leaderElection ? createClient(settings) : undefined;
  const asked = leaderElection || undefined;
  const lease = {
    namespace: asked?.namespace ?? process.env.POD_NAMESPACE ?? 'default',
    name: asked?.name ?? name,
  };
  const elector = leaseClient && createElector({ client: leaseClient, lease, logger, metrics });
  const writer = elector ? fencedClient(client, elector, systemClock) : client;
  const built = operators.map((each) => each.build({ client, writer, logger, metrics, namespaces }));
  const manager = new Manager({
    logger,
    clients: leaseClient ? [client, leaseClient] : [client],
    ...(elector && { elector }),
    ...(gracePeriodMs !== undefined && { gracePeriodMs }),
  });
  manager.health.addLiveness('event-loop', eventLoopResponsive(eventLoop));
  built.forEach(({ cache }, index) => {
    const check = index === 0 ? 'caches' : `caches-${operators[index]?.name}`;
    manager.health.addReadiness(
      check,
      cachesAlive(() => cache.health()),
    );
  });
  const address = options.address ?? process.env.HTTP_ADDRESS ?? ':8080';
  if (address !== false) {
    const server = new HttpServer({ address, logger });
    serveHealth(server, manager.health);
    serveMetrics(server, metrics);
    manager.add(server);
  }
  const inspectionAddress = options.inspectionAddress ?? process.env.INSPECTION_ADDRESS;
  if (inspectionAddress) {
    const server = new HttpServer({ address: inspectionAddress, logger });
    serveInspection(
      server,
      built.map(({ controller }) => controller),
    );
    manager.add(server);
  }
  for (const { runnables } of built) manager.add(...runnables);
  const { health } = manager;
  manager.add(...(options.add?.({ client, writer, logger, metrics, health }) ?? []));
  await runProgram(manager, { logger });
  endProcessMetrics();
  eventLoop.stop();
}
