/**
 * The operator put together: caches, engine, reports, servers, election.
 *
 * In: settings and clients. Out: a program that runs until its signal aborts, and rejects when it cannot go on.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  type Client,
  type Clock,
  cachesAlive,
  channel,
  createClient,
  createController,
  createElector,
  createRegistry,
  fencedClient,
  type Health,
  type KindKey,
  kindKeys,
  type LeaseElector,
  type Logger,
  loadConfig,
  Manager,
  type Metrics,
  type Runnable,
  systemClock,
  trackWrites,
} from '@reloader/runtime';
import { packageVersion } from './cli/version.ts';
import { loadDigestKey } from './reloader/digest/key.ts';
import { Engine } from './reloader/engine/engine.ts';
import { LiveView } from './reloader/engine/view.ts';
import { parseWorkloadKey, type WorkloadRef } from './reloader/model/workload.ts';
import { createExecutor } from './reloader/patch/executor.ts';
import { createReporter } from './reloader/report/create.ts';
import type { Inventory } from './reloader/report/metrics.ts';
import { reportSources } from './reloader/report/source-events.ts';
import { oldestPod } from './reloader/verify/pods.ts';
import { createWatch, type Watch } from './reloader/watch/watch.ts';
import { type Leadership, watchLeadership } from './server/leadership.ts';
import { createServers } from './server/servers.ts';
import type { Settings } from './settings/settings.ts';
import { createWebhookMode } from './webhook-mode/create.ts';

export interface OperatorOptions {
  readonly settings: Settings;
  readonly client: Client;
  readonly elector?: LeaseElector;
  readonly leadership?: Leadership;
  /** Serve metrics and probes. Off in tests that run several operators in one process. */
  readonly serve?: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface Operator {
  readonly health: Health;
  /** The caches are in sync, and it works or stands by. */
  ready(): Promise<boolean>;
  run(signal: AbortSignal): Promise<void>;
}

/** How many workloads are patched at once: what one API server answers without queueing, measured in `bench/`. */
const CONCURRENCY = 64;

export function createOperator(options: OperatorOptions): Operator {
  const { settings, client, clock, logger, metrics, elector, leadership, serve = false } = options;
  const manager = new Manager({ logger, clock, ...(elector && { elector: leadership?.elector ?? elector }) });
  return {
    health: manager.health,
    ready: async () => (await manager.health.answer('/readyz')).status === 200,
    async run(signal) {
      // Every request under way listens to it, and there may be any number of those.
      setMaxListeners(0, signal);
      for (const { level, message, values } of settings.notices) logger[level](message, values);
      const writer = elector ? fencedClient(client, elector, clock) : client;
      if (serve) {
        const common = { settings, health: manager.health, metrics, client, clock, logger };
        manager.add(...createServers({ ...common, ...(leadership && { leadership }) }).runnables);
      }
      const parts = await assemble({ ...options, writer }, manager.health, signal);
      manager.add(...parts);
      await manager.run(signal);
    },
  };
}

type Parts = OperatorOptions & { readonly writer: Client };

function assemble(options: Parts, health: Health, signal: AbortSignal): Promise<readonly Runnable[]> {
  return options.settings.reloader.webhookUrl === undefined
    ? assembleReloader(options, health, signal)
    : Promise.resolve(createWebhookMode({ ...options, settings: options.settings.reloader }).runnables);
}

async function assembleReloader(
  options: Parts,
  health: Health,
  signal: AbortSignal,
): Promise<readonly Runnable[]> {
  const { settings, client, writer, clock, logger, metrics } = options;
  const { reloader } = settings;
  const key = await loadDigestKey({
    client,
    namespace: reloader.operatorNamespace,
    clock,
    logger,
    mode: reloader.digest,
    signal,
  });
  const watch = await createWatch({
    client,
    settings: reloader,
    clock,
    logger,
    metrics,
    digestKey: key.key,
    signal,
  });
  health.addReadiness(
    'caches',
    cachesAlive(() => watch.health()),
  );
  const tracked = trackWrites(writer, watch.tracker);
  const reporter = createReporter({
    client: writer,
    metrics,
    logger,
    clock,
    world: watch.world,
    configs: watch.configs,
    settings: reloader,
    metricsByNamespace: settings.metricsByNamespace,
    inventory: () => inventoryOf(watch),
    build: { releaseVersion: packageVersion(), commitHash: '', commitTime: '' },
    process: processOptions(settings),
  });
  reportSources({
    reporter,
    informers: watch.sourceInformers,
    inScope: (namespace) => watch.world.inScope(namespace),
    concerned: (ref, facts) =>
      watch.concerned.bySource(
        ref,
        facts.map(({ labels }) => labels),
      ).length,
  });
  const executor = createExecutor({ client: tracked, clock, logger, settings: reloader });
  const install = { at: key.installedAt, keyId: key.keyId };
  const wakes = channel<KindKey>('engine');
  const engine = new Engine({
    world: watch.world,
    settings: reloader,
    install,
    executor,
    oldestPod: (workload, each) => oldestPod(client, workload, each),
    reporter,
    clock,
    wake: (workload) => wakes.trigger(parseWorkloadKey(workload), { event: 'capacity' }),
  });
  const view = new LiveView({
    world: watch.world,
    settings: reloader,
    install,
    now: () => clock.now(),
    state: (ref) => engine.state(ref),
  });
  reporter.attach(view);
  const controller = createController<KindKey>({
    name: 'reloader',
    keys: kindKeys,
    concurrency: CONCURRENCY,
    sources: [...watch.sources, wakes],
    async reconcile(request, context) {
      const ref = request as WorkloadRef;
      try {
        return await engine.reconcile(ref, context.signal);
      } finally {
        view.changed(ref);
      }
    },
    clock,
    logger,
    metrics: reporter.queueMetrics,
  });
  const interrupted: Runnable = {
    name: 'interrupted Jobs',
    needsLeaderElection: true,
    start: async ({ stopping }) => {
      await executor.finishInterruptedJobs(stopping);
    },
  };
  return [...watch.runnables, ...reporter.runnables, interrupted, controller];
}

function inventoryOf({ sourceInformers, workloadInformers }: Watch): Inventory {
  return {
    sources: Object.fromEntries(sourceInformers.map(({ type, store }) => [type.kind, store.size])),
    workloads: Object.fromEntries([...workloadInformers].map(([kind, { store }]) => [kind, store.size])),
  };
}

function processOptions({ log, election, pprofAddress }: Settings) {
  return {
    logFormat: log.format,
    logLevel: log.level,
    enableHA: election !== undefined,
    enablePProf: pprofAddress !== undefined,
    ...(pprofAddress !== undefined && { pprofAddr: pprofAddress }),
  };
}

export interface RunDependencies {
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Finds the cluster, takes part in the election where asked, and runs until the signal aborts. */
export async function runOperator(settings: Settings, { logger, signal }: RunDependencies): Promise<void> {
  const metrics = createRegistry();
  const { kubeconfig } = settings;
  const config = await loadConfig(kubeconfig === undefined ? {} : { kubeconfig });
  const shared = { config, logger, metrics, userAgent: 'reloader-operator', fieldManager: 'Reloader' };
  const client = createClient(shared);
  // A connection of its own: renewing the lease must not wait behind other requests.
  const leaseClient = settings.election && createClient(shared);
  try {
    const elector =
      leaseClient && settings.election && electorOf(settings.election, leaseClient, logger, metrics);
    const operator = createOperator({
      settings,
      client,
      ...(elector && { elector, leadership: watchLeadership(elector) }),
      serve: true,
      clock: systemClock,
      logger,
      metrics,
    });
    await operator.run(signal);
  } finally {
    await Promise.all([client.close(), leaseClient?.close()]);
  }
}

function electorOf(
  { lease, podName }: NonNullable<Settings['election']>,
  client: Client,
  logger: Logger,
  metrics: Metrics,
): LeaseElector {
  // A container that starts again in the same pod is another process: the name alone would let it take the old one's lease for its own.
  const identity = podName === undefined ? {} : { identity: `${podName}_${randomUUID()}` };
  return createElector({ client, lease, logger, metrics, ...identity });
}
