/**
 * The operator that the failover tests run, two processes of it at a time. It is built as the documentation says:
 * election with its own client, fenced writes, informer, controller, events, manager.
 *
 * As leader it does two things. It counts: every few milliseconds it increments the ConfigMap `counter`, signed with
 * its identity and epoch, and without a precondition, so that the server does not refuse a late write and it shows in
 * the ConfigMap's history. And it marks every ConfigMap with the label `failover.test/handle` once for each content.
 */
import {
  type Client,
  ConflictError,
  cacheOf,
  cacheRunnable,
  cachesAlive,
  createClient,
  createController,
  createElector,
  createEventRecorder,
  createInformer,
  createLogger,
  type EventRecorder,
  failFast,
  fencedClient,
  forKind,
  HttpServer,
  kinds,
  type Logger,
  loadConfig,
  Manager,
  matchesLabels,
  NotFoundError,
  type ObjectKey,
  Overlay,
  onTermination,
  type Reconciler,
  type Runnable,
  referenceTo,
  type Stored,
  serveHealth,
  sleep,
  systemClock,
  trackWrites,
  WriteTracker,
} from '@reloader/runtime';
import { COUNTER, HANDLE_LABEL, handledAnnotation, handledOf, type OperatorSettings } from './contract.ts';

const TICK_MS = 40;
const settings = JSON.parse(process.env.FAILOVER_OPERATOR ?? '{}') as OperatorSettings;
const { namespace, identity } = settings;

const logger = createLogger({ destination: process.stdout });
failFast({ logger });
const { signal } = onTermination({ logger });

const config = await loadConfig({ kubeconfig: settings.kubeconfig });
const common = { config, logger, userAgent: `failover-operator/${identity}`, fieldManager: 'failover' };
const client = createClient(common);
const leaseClient = createClient(common);
const lease = { namespace, name: settings.lease };
const elector = createElector({ client: leaseClient, lease, identity, logger, ...settings.timings });
const tracker = new WriteTracker();
const writer = trackWrites(fencedClient(client, elector, systemClock), tracker);
const events = createEventRecorder({ client, component: 'failover-operator', instance: identity, logger });
const informer = createInformer({
  client,
  logger,
  type: kinds.ConfigMap,
  namespace,
  ...(settings.tuning && { tuning: settings.tuning }),
});
const maps = new Overlay(informer);
tracker.attach(maps);

const manager = new Manager({ elector, logger });
const caches = cacheOf([informer]);
manager.health.addReadiness(
  'caches',
  cachesAlive(() => caches.health()),
);
const server = new HttpServer({ address: '127.0.0.1:0', name: 'probes', logger });
serveHealth(server, manager.health);
manager.add(
  server,
  events,
  cacheRunnable(caches),
  counter(writer, logger),
  createController({
    name: 'handle',
    sources: [
      forKind(maps.asInformer(), { when: matchesLabels({ matchLabels: { [HANDLE_LABEL]: 'yes' } }) }),
    ],
    concurrency: 4,
    logger,
    reconcile: handler(writer, maps, events),
  }),
);

try {
  await manager.run(signal);
} catch (error) {
  logger.error('The operator failed', { error });
  process.exitCode = 1;
} finally {
  await Promise.all([client.close(), leaseClient.close()]);
}

/** A process leads for one term only, so the epoch at the start is the epoch of all its writes. */
function counter(client: Client, logger: Logger): Runnable {
  const key = { namespace, name: COUNTER };
  return {
    name: 'counter',
    needsLeaderElection: true,
    async start({ stopping, abort }) {
      const signature = { writer: identity, epoch: String(elector.fence()?.epoch) };
      let last: number | undefined;
      while (!stopping.aborted) {
        try {
          last = (last ?? (await readCount(client, key, abort))) + 1;
          const body = { data: { count: String(last), begun: String(systemClock.now()), ...signature } };
          await client.patch(kinds.ConfigMap, key, { type: 'merge', body }, { signal: abort });
        } catch (error) {
          logger.warn('Could not count', { error });
          last = undefined;
        }
        await sleep(systemClock, TICK_MS, stopping).catch(() => undefined);
      }
    },
  };
}

async function readCount(client: Client, key: ObjectKey, signal: AbortSignal): Promise<number> {
  try {
    const { data } = await client.get(kinds.ConfigMap, key, { signal });
    return Number(data?.count ?? 0);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    await client.create(kinds.ConfigMap, { metadata: { ...key } }, { signal });
    return 0;
  }
}

function handler(
  client: Client,
  maps: Overlay<Stored<kinds.ConfigMapObject>>,
  events: EventRecorder,
): Reconciler {
  return async (key, { signal, logger }) => {
    const map = maps.store.get(key);
    if (!map) return;
    const content = JSON.stringify(map.data ?? {});
    if (handledOf(map).some((handled) => handled.content === content)) return;
    if (map.data?.workMs) {
      logger.info('Working');
      await sleep(systemClock, Number(map.data.workMs), signal);
    }
    const { resourceVersion } = map.metadata;
    const annotations = handledAnnotation({ by: identity, content });
    const body = { metadata: { resourceVersion, annotations } };
    try {
      await client.patch(kinds.ConfigMap, key, { type: 'merge', body }, { signal });
    } catch (error) {
      // Another writer, or this process in a request whose answer was lost: read again.
      if (error instanceof ConflictError) return { requeue: true };
      throw error;
    }
    events.record(referenceTo(kinds.ConfigMap, map), 'Normal', 'Handled', `Handled by ${identity}`);
    return undefined;
  };
}
