/** The program: `node main.js`, in a pod or with a kubeconfig. */
import {
  cachesAlive,
  createClient,
  createElector,
  createEventRecorder,
  createLogger,
  createRegistry,
  failFast,
  fencedClient,
  HttpServer,
  loadConfig,
  Manager,
  onTermination,
  serveHealth,
  serveMetrics,
  systemClock,
} from '@reloader/runtime';
import { createOperator } from './operator.ts';

const logger = createLogger();
failFast({ logger });
const { signal } = onTermination({ logger });

const metrics = createRegistry();
const config = await loadConfig();
const settings = { config, logger, metrics, userAgent: 'webapp-operator/1', fieldManager: 'webapp-operator' };
const client = createClient(settings);
// A connection of its own: renewing the lease must not wait behind other requests.
const leaseClient = createClient(settings);

const namespace = process.env.POD_NAMESPACE ?? 'default';
const lease = { namespace, name: 'webapp-operator' };
const elector = createElector({ client: leaseClient, lease, logger, metrics });
const events = createEventRecorder({ client, component: 'webapp-operator', logger, metrics });
const writer = fencedClient(client, elector, systemClock);
const operator = createOperator({ client, writer, events, logger, metrics });

const manager = new Manager({ elector, logger });
manager.health.addReadiness(
  'caches',
  cachesAlive(() => operator.cache.health()),
);
const server = new HttpServer({ address: process.env.HTTP_ADDRESS ?? ':8080', logger });
serveHealth(server, manager.health);
serveMetrics(server, metrics);
manager.add(server, ...operator.runnables);

try {
  await manager.run(signal);
} catch (error) {
  logger.error('The operator failed', { error });
  process.exitCode = 1;
} finally {
  await Promise.all([client.close(), leaseClient.close()]);
}
