/**
 * Assembles the operator: caches, engine, reports, servers, election.
 *
 * In: settings and clients. Out: a program that runs until its signal aborts, and rejects if it cannot continue.
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import {
  type Client,
  type Clock,
  cachesAlive,
  collectProcessMetrics,
  createClient,
  createElector,
  createEventRecorder,
  createRegistry,
  fencedClient,
  type Health,
  type LeaseElector,
  type Logger,
  loadConfig,
  Manager,
  type Metrics,
  type Runnable,
  systemClock,
} from '@reloader/runtime';
import type { SourceAdmission } from './admission/sources.ts';
import type { OperatorView } from './api/operator-view.ts';
import { createApi } from './api/routes.ts';
import { PodConfigMapConfigs } from './podconfig/model.ts';
import { reviewAccess } from './reloader/watch/access.ts';
import { createReloader, type Reloader } from './reloader.ts';
import { type Leadership, watchLeadership } from './server/leadership.ts';
import { createServers } from './server/servers.ts';
import type { AdmissionSettings, Settings } from './settings/settings.ts';
import { packageVersion } from './settings/version.ts';
import type { TemplateRenderer } from './template/renderer.ts';
import type { WorkerRenderer } from './template/worker-renderer.ts';
import { tidyMemory } from './tidy-memory.ts';
import type { ContentChecker } from './validate/checker.ts';
import type { WorkerChecker } from './validate/worker-checker.ts';

export interface OperatorOptions {
  readonly settings: Settings;
  readonly client: Client;
  readonly elector?: LeaseElector;
  readonly leadership?: Leadership;
  /** Renders users' templates; in production in a thread of its own, so that no template blocks the event loop. */
  readonly templates: TemplateRenderer;
  /** Checks contents; in production in a thread of its own, for the same reason. */
  readonly contents: ContentChecker;
  /** Serves metrics and probes. Off in tests that run several operators in one process. */
  readonly serve?: boolean;
  /** Address of the API server, for the first line of the log. */
  readonly server?: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export interface Operator {
  readonly health: Health;
  /** The caches are synced, and it leads or stands by. */
  ready(): Promise<boolean>;
  /** Its view of the workloads; undefined until it runs, and if the reloader is off. */
  operatorView(): OperatorView | undefined;
  run(signal: AbortSignal): Promise<void>;
}

export function createOperator(options: OperatorOptions): Operator {
  const { settings, client, clock, logger, metrics, elector, leadership, serve = false } = options;
  const manager = new Manager({ logger, clock, ...(elector && { elector: leadership?.elector ?? elector }) });
  let operatorView: OperatorView | undefined;
  let isAssembled = false;
  // Until then no other check reports on the caches.
  manager.health.addReadiness('start', () => {
    if (!isAssembled) throw new Error('it is still asking the server what there is');
  });
  return {
    health: manager.health,
    operatorView: () => operatorView,
    ready: async () => (await manager.health.answer('/readyz')).status === 200,
    async run(signal) {
      // Every request in flight listens to it, and their number is not limited.
      setMaxListeners(0, signal);
      logger.info('Reloader Operator starts', firstWords(settings, options.server));
      for (const { level, message, values } of settings.notices) logger[level](message, values);
      const writer = elector ? fencedClient(client, elector, clock) : client;
      const common = { settings, health: manager.health, metrics, client, clock, logger };
      const servers = serve
        ? await createServers({ ...common, ...(leadership && { leadership }) })
        : undefined;
      if (servers) manager.add(...servers.runnables, tidyMemory(clock));
      const rules: { of: SourceAdmission['rulesFor'] } = { of: () => [] };
      if (serve && settings.admission) {
        const rulesFor: SourceAdmission['rulesFor'] = (...source) => rules.of(...source);
        const sources = { checker: options.contents, rulesFor, now: () => clock.now() };
        manager.add(await admissionOf(settings, settings.admission, sources, common));
      }
      const [reloader, podConfig] = await Promise.all([
        reloaderParts({ ...options, writer }, manager.health, signal),
        settings.controllers.has('podconfig') ? podConfigParts({ ...options, writer }, signal) : [],
      ]);
      manager.add(...reloader.runnables);
      operatorView = reloader.operatorView;
      rules.of = reloader.rulesFor ?? rules.of;
      if (operatorView) servers?.addApi(createApi({ operatorView, logger }));
      // Before anything else stops: open streams must not delay the shutdown.
      signal.addEventListener('abort', () => operatorView?.streams.end(), { once: true });
      manager.add(...podConfig);
      isAssembled = true;
      await manager.run(signal);
    },
  };
}

/** The first line of the log: the program, its tasks and its cluster. */
function firstWords(
  { reloader, controllers }: Settings,
  server: string | undefined,
): Record<string, unknown> {
  const { mode, operatorNamespace, operatorName, namespaces, webhookUrl } = reloader;
  return {
    version: packageVersion(),
    mode: webhookUrl === undefined ? mode : 'webhook',
    ...(server !== undefined && { server }),
    installation: `${operatorNamespace}/${operatorName}`,
    namespaces: namespaces.length === 0 ? 'all' : namespaces.join(','),
    controllers: [...controllers].sort().join(','),
  };
}

/** Loaded only if it is enabled, as all parts that most installations do not use: code takes memory, too. */
async function admissionOf(
  { reloader }: Settings,
  settings: AdmissionSettings,
  sources: SourceAdmission,
  common: Pick<OperatorOptions, 'client' | 'clock' | 'logger' | 'metrics'>,
): Promise<Runnable> {
  const { createAdmission } = await import('./admission/admission.ts');
  const { names, operatorNamespace: namespace } = reloader;
  return createAdmission({ ...common, settings, sources, names, namespace });
}

type Parts = OperatorOptions & { readonly writer: Client };

async function reloaderParts(
  options: Parts,
  health: Health,
  signal: AbortSignal,
): Promise<Pick<Reloader, 'runnables'> & Partial<Pick<Reloader, 'operatorView' | 'rulesFor'>>> {
  const { settings } = options;
  if (!settings.controllers.has('reloader')) return { runnables: [] };
  const watchHealth = (of: Pick<Reloader, 'health'>): void =>
    health.addReadiness(
      'caches',
      cachesAlive(() => of.health()),
    );
  if (settings.reloader.webhookUrl !== undefined) {
    const { createWebhookMode } = await import('./webhook-mode/create.ts');
    const webhookMode = createWebhookMode({ ...options, settings: settings.reloader });
    watchHealth(webhookMode);
    return webhookMode;
  }
  const reloader = await createReloader({ ...options, signal });
  watchHealth(reloader);
  return reloader;
}

/** Without the right to read the configs, no controller runs, and that is no error. */
async function podConfigParts(options: Parts, signal: AbortSignal): Promise<readonly Runnable[]> {
  const { client, writer, clock, logger, metrics, settings, templates } = options;
  const questions = [{ verb: 'list', type: PodConfigMapConfigs }] as const;
  const { namespaces } = settings.reloader;
  const access = await reviewAccess({ client, namespaces, logger, signal, questions });
  if (!access.maySomewhere('list', PodConfigMapConfigs)) {
    logger.info('PodConfigMapConfigs may not be read, so none are carried out');
    return [];
  }
  const { createPodConfig } = await import('./podconfig/controller.ts');
  const events = createEventRecorder({ client: writer, component: 'podconfig', clock, logger, metrics });
  return [
    events,
    ...createPodConfig({ client, writer, events, namespaces, clock, logger, metrics, templates }).runnables,
  ];
}

export interface RunDependencies {
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Finds the cluster, takes part in the leader election if enabled, and runs until the signal aborts. */
export async function runOperator(settings: Settings, { logger, signal }: RunDependencies): Promise<void> {
  const metrics = createRegistry();
  const endProcessMetrics = collectProcessMetrics(metrics);
  const { kubeconfig } = settings;
  const config = await loadConfig(kubeconfig === undefined ? {} : { kubeconfig });
  const shared = { config, logger, metrics, userAgent: 'reloader-operator', fieldManager: 'Reloader' };
  const client = createClient(shared);
  // A connection of its own: renewing the Lease must not wait behind other requests.
  const leaseClient = settings.election && createClient(shared);
  const templates = renderInWorker();
  const contents = checkInWorker();
  try {
    const elector =
      leaseClient && settings.election && electorOf(settings.election, leaseClient, logger, metrics);
    const operator = createOperator({
      settings,
      client,
      ...(elector && { elector, leadership: watchLeadership(elector) }),
      serve: true,
      server: config.server,
      templates,
      contents,
      clock: systemClock,
      logger,
      metrics,
    });
    await operator.run(signal);
  } finally {
    endProcessMetrics();
    templates.close();
    contents.close();
    await Promise.all([client.close(), leaseClient?.close()]);
  }
}

/** The code that starts threads is loaded with the first template that needs it: most installations have none. */
function renderInWorker(): TemplateRenderer & { close(): void } {
  let closed = false;
  let plain: Promise<typeof import('./template/plain.ts')> | undefined;
  let renderer: Promise<WorkerRenderer> | undefined;
  return {
    async render(request) {
      const { templates, data, maxOutputBytes } = request;
      plain ??= import('./template/plain.ts');
      const texts = (await plain).renderPlain({ templates, data, maxOutputBytes });
      if (texts) return texts;
      renderer ??= import('./template/worker-renderer.ts').then(
        (module) => new module.WorkerRenderer({ clock: systemClock }),
      );
      const worker = await renderer;
      if (closed) worker.close();
      return worker.render(request);
    },
    close() {
      closed = true;
      void renderer?.then((worker) => worker.close());
    },
  };
}

/** The same for the checks of contents. */
function checkInWorker(): ContentChecker & { close(): void } {
  let closed = false;
  let checker: Promise<WorkerChecker> | undefined;
  return {
    async check(request) {
      checker ??= import('./validate/worker-checker.ts').then(
        (module) => new module.WorkerChecker({ clock: systemClock }),
      );
      const worker = await checker;
      if (closed) worker.close();
      return worker.check(request);
    },
    close() {
      closed = true;
      void checker?.then((worker) => worker.close());
    },
  };
}

function electorOf(
  { lease, podName }: NonNullable<Settings['election']>,
  client: Client,
  logger: Logger,
  metrics: Metrics,
): LeaseElector {
  // A container that restarts in the same pod is another process: with the pod's name alone it would take the old one's
  // Lease for its own.
  const identity = podName === undefined ? {} : { identity: `${podName}_${randomUUID()}` };
  return createElector({ client, lease, logger, metrics, ...identity });
}
