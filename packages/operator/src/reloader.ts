/**
 * Assembles the reload pipeline: watch, decide, patch, report.
 *
 * In: settings and clients. Out: runnables for a manager, and a view of its state.
 */
import {
  type Client,
  type Clock,
  channel,
  createController,
  type InformerHealth,
  type KindKey,
  kindKeys,
  type Logger,
  type Metrics,
  type Runnable,
  trackWrites,
} from '@reloader/runtime';
import type { ClusterView } from './api/cluster-view.ts';
import type { OperatorView } from './api/operator-view.ts';
import { Sequence } from './api/sequence.ts';
import { Timeline } from './api/timeline.ts';
import { AuditLog } from './audit/audit-log.ts';
import { openAuditLog } from './audit/destination.ts';
import { auditRules } from './audit/rule-changes.ts';
import { HeapSteps } from './heap-steps.ts';
import { finishJobs, tidyNotebook } from './housekeeping.ts';
import { allWorkloads, expectedAtStart, peersIn, recordsOf } from './known-workloads.ts';
import { createOverview, inventoryOf } from './overview.ts';
import { progressNotes } from './progress-notes.ts';
import { loadDigestKey } from './reloader/digest/key.ts';
import { Engine } from './reloader/engine/engine.ts';
import { LiveView } from './reloader/engine/view.ts';
import { ContentVerdicts } from './reloader/evidence/contents.ts';
import { lookAtPods } from './reloader/evidence/pods.ts';
import { lookAtRollout } from './reloader/evidence/rollout-pods.ts';
import type { ContentQuestion, ContentRule } from './reloader/model/content-rule.ts';
import type { Outcome } from './reloader/model/plan.ts';
import type { SourceRef } from './reloader/model/source.ts';
import { parseWorkloadKey, refOf, type WorkloadFacts, type WorkloadRef } from './reloader/model/workload.ts';
import type { World } from './reloader/model/world.ts';
import { Notebook } from './reloader/notebook/notebook.ts';
import { createExecutor, type Executor } from './reloader/patch/executor.ts';
import { createSourceKeeper } from './reloader/patch/restore.ts';
import type { EngineView } from './reloader/report/reporter.ts';
import { reportSources } from './reloader/report/source-events.ts';
import { countTargets } from './reloader/report/source-targets.ts';
import { rulesOfWatching } from './reloader/want/content-rules.ts';
import { ExpressionLane } from './reloader/want/expression-lane.ts';
import { silentlyMissing } from './reloader/watch/access.ts';
import { askedOfReady, serverReady } from './reloader/watch/server-ready.ts';
import { createWatch, surveyServer, type Watch } from './reloader/watch/watch.ts';
import { createReporter } from './reporter.ts';
import type { Settings } from './settings/settings.ts';
import { packageVersion } from './settings/version.ts';
import type { TemplateRenderer } from './template/renderer.ts';
import { collectWhenIdle } from './tidy-memory.ts';
import type { ContentChecker } from './validate/checker.ts';

export interface ReloaderOptions {
  readonly settings: Settings;
  /** For reads. */
  readonly client: Client;
  /** For writes; with leader election a fenced one. */
  readonly writer: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly templates: TemplateRenderer;
  readonly contents: ContentChecker;
  /** Aborts the requests that are made before anything runs. */
  readonly signal: AbortSignal;
}

export interface Reloader {
  readonly runnables: readonly Runnable[];
  readonly view: EngineView;
  readonly world: World;
  /** The rules for the content of a source with these labels and annotations. */
  readonly rulesFor: (
    ref: SourceRef,
    labels: Readonly<Record<string, string>>,
    annotations: Readonly<Record<string, string>>,
  ) => readonly ContentRule[];
  /** The data behind `/api/v1`. */
  readonly operatorView: OperatorView;
  /** Health of the caches, for readiness. */
  health(): ReadonlyMap<string, InformerHealth>;
}

/**
 * The number of workloads that are patched at once: as many as one API server answers without queueing, measured in
 * `bench/`.
 */
const CONCURRENCY = 64;

export async function createReloader(options: ReloaderOptions): Promise<Reloader> {
  const { settings, client, writer, clock, logger, metrics, signal } = options;
  const { reloader } = settings;
  const ready = serverReady({ client, clock, logger, signal });
  const [key, survey] = await Promise.all([
    askedOfReady(ready, () =>
      loadDigestKey({
        client,
        namespace: reloader.operatorNamespace,
        clock,
        logger,
        mode: reloader.digest,
        ready,
        signal,
      }),
    ),
    askedOfReady(ready, () => surveyServer({ client, settings: reloader, logger }, signal)),
  ]);
  const watch = createWatch({
    ...survey,
    client,
    settings: reloader,
    clock,
    logger,
    metrics,
    digestKey: key.key,
    previousDigestKey: key.previous?.key,
  });
  const missing = silentlyMissing(watch.access, reloader);
  if (missing.length > 0) {
    logger.warn(
      'Some rights are missing: workloads that may not be patched are not reloaded, Namespaces say nothing, and without earlier revisions no reload that failed is undone',
      { missing },
    );
  }
  const audit =
    settings.auditLog === undefined
      ? undefined
      : new AuditLog({ write: openAuditLog(settings.auditLog, logger), clock });
  if (audit) auditRules({ ...watch, audit, workloads: watch.workloadInformers.values() });
  const tracked = trackWrites(writer, watch.tracker);
  const sequence = new Sequence();
  const timeline = new Timeline(sequence, () => clock.now());
  const reporter = createReporter({
    client: writer,
    metrics,
    logger,
    clock,
    world: watch.world,
    configs: watch.configs,
    sources: watch.sourceInformers,
    namespaces: watch.namespaces,
    settings: reloader,
    metricsByNamespace: settings.metricsByNamespace,
    inventory: () => inventoryOf(watch),
    openRollouts: () => engine.states.openRollouts(),
    contested: () => engine.states.contested(),
    build: { releaseVersion: packageVersion(), commitHash: '', commitTime: '' },
    process: { ...processOptions(settings), digestKey: key.place },
    alerts: settings.alerts,
    keyPlace: key.place,
    templates: options.templates,
    also: [timeline, ...(audit ? [audit] : [])],
    records: () => recordsOf(watch, view),
  });
  reportSources({
    reporter,
    informers: watch.sourceInformers,
    inScope: (namespace) => watch.world.inScope(namespace),
    targets: (ref, facts) => {
      const labels = facts.map((each) => each.labels);
      const found = watch.affected.bySource(ref, labels) as WorkloadRef[];
      const { world } = watch;
      return countTargets(ref, found, {
        world,
        settings: reloader,
        isReady: (each) => expressions.isReady(each),
      });
    },
    tellsGenerated: reloader.reloadOnGenerated,
  });
  const notebook = new Notebook({
    client: writer,
    clock,
    logger,
    metrics,
    namespace: reloader.operatorNamespace,
    memoryOnly: reloader.mode === 'observe',
    onForeign: (ref) => engine.outdated(ref),
    onTrouble: () => {
      for (const workload of allWorkloads(watch)) view.changed(refOf(workload));
    },
  });
  watch.affected.remember((ref) => notebook.has(ref));
  const executor = refreshing(
    createExecutor({
      client: tracked,
      clock,
      logger,
      settings: reloader,
      notes: progressNotes(notebook),
      key: key.codes.key,
      previousKey: key.codes.previous,
      inScope: (namespace) => watch.world.inScope(namespace),
    }),
    watch,
  );
  const install = {
    at: key.installedAt,
    keyId: key.keyId,
    previousKeyId: key.previous?.keyId,
    decidesSince: Math.floor(clock.now() / 1000),
  };
  const contents = new ContentVerdicts({
    client,
    checker: options.contents,
    projection: { names: reloader.names, key: key.key },
    now: () => clock.now(),
  });
  const verdicts = {
    verdictOn: (question: ContentQuestion) => contents.known(question),
    checkContents: (questions: readonly ContentQuestion[], each: AbortSignal) =>
      contents.check(questions, each),
  };
  const wakes = channel<KindKey>('engine');
  const wake = (workload: string): void => wakes.trigger(parseWorkloadKey(workload), { event: 'capacity' });
  const expressions = new ExpressionLane({ world: watch.world, settings: reloader, wake });
  const peers = peersIn(watch);
  const engine: Engine = new Engine({
    world: watch.world,
    settings: reloader,
    install,
    executor,
    keeper: createSourceKeeper({ client: writer, names: reloader.names }),
    notebook,
    noteStored: (ref, each) => notebook.stored(ref, each),
    peers,
    lookAtPods: (workload, why, each) => lookAtPods(client, workload, why, each),
    ...verdicts,
    lookAtRollout: (workload, since, each) => lookAtRollout(client, workload, since, each),
    refreshListed: (kind) => (watch.listedKinds.has(kind) ? watch.refresh : undefined),
    workloads: () => allWorkloads(watch),
    expected: () => expectedAtStart(watch),
    reporter,
    clock,
    wake,
  });
  const view: LiveView = new LiveView({
    world: watch.world,
    settings: reloader,
    install,
    now: () => clock.now(),
    state: (ref) => engine.states.of(ref),
    note: (ref) => notebook.note(ref),
    trouble: () => notebook.trouble,
    isReady: (workload) => expressions.isReady(workload),
  });
  reporter.attach(view);
  const heapSteps = new HeapSteps({ clock, tidy: collectWhenIdle({ clock }) });
  let isNotebookReady = false;
  void notebook.ready.then(() => {
    isNotebookReady = true;
  });
  const controller = createController<KindKey>({
    name: 'reloader',
    keys: kindKeys,
    concurrency: CONCURRENCY,
    sources: [...watch.sources, wakes],
    async reconcile(request, context) {
      const ref = request as WorkloadRef;
      // No await before the plan of a pass, see `Engine`. At the start all workers wait here, and would go on in one turn
      // of the event loop: back in the queue, namespaces take turns.
      if (!isNotebookReady) {
        await notebook.ready;
        return { requeueAfterMs: 1 };
      }
      const workload = watch.world.workload(ref);
      // Not awaited: that would occupy a worker which other workloads need.
      if (workload && !expressions.isReady(workload)) return {};
      heapSteps.begin();
      try {
        return await engine.reconcile(ref, context.signal);
      } finally {
        heapSteps.end();
        view.changed(ref);
      }
    },
    clock,
    logger,
    metrics: reporter.queueMetrics,
  });
  let leads = false;
  const leading: Runnable = {
    name: 'reloader, leading',
    needsLeaderElection: true,
    async start() {
      leads = true;
      // Answers of before say that this replica does not lead.
      sequence.next();
      lines.touchAll();
    },
  };
  const clusterView: ClusterView = {
    world: watch.world,
    settings: reloader,
    now: () => clock.now(),
    install: () => install,
    note: (ref) => notebook.note(ref),
    memory: (ref) => engine.states.of(ref)?.memory,
    following: (ref) => engine.states.of(ref)?.following,
    blocked: (ref) => engine.states.of(ref)?.eviction?.blocked,
    lastError: (ref) => engine.states.of(ref)?.lastError,
    notes: (ref) => view.workload(ref)?.notes ?? [],
    history: (ref) => reporter.history.of(ref),
    slots: () => engine.slots(),
    failures: (content) => engine.failures.known(content),
    peers,
    ...verdicts,
    workloads: (namespace) =>
      [...watch.workloadInformers.values()].flatMap(({ store }) => [...store.list(namespace)]),
    affected: (ref, labels) => watch.affected.bySource(ref, [labels]) as WorkloadRef[],
    lookAtPods: (workload, why, each) => lookAtPods(client, workload, why, each),
    isOperator: true,
    comparesSecrets: true,
  };
  const { operatorView, lines } = createOverview({
    watch,
    view,
    clock,
    sequence,
    clusterView,
    timeline,
    histories: () => reporter.history.entries(),
    leads: () => leads,
    inventory: () => inventoryOf(watch),
    version: packageVersion(),
    installedAt: key.installedAt,
  });
  return {
    runnables: [
      ...watch.runnables,
      ...reporter.runnables,
      leading,
      ...notebook.runnables,
      tidyNotebook(notebook, watch, (ref) => wakes.trigger(ref, { event: 'capacity' })),
      finishJobs(executor, notebook, options),
      controller,
    ],
    view,
    world: watch.world,
    rulesFor: (ref, labels, annotations) =>
      rulesOfWatching(ref, labels, annotations, watch.configs?.store.list() ?? []),
    operatorView,
    health: () => watch.health(),
  };
}

/**
 * A kind that is listed and not watched has to be read again after a conflict to see why the server refused the patch.
 */
function refreshing(executor: Executor, { refresh }: Watch): Executor {
  const after = async (
    work: Promise<Outcome>,
    workload: WorkloadFacts,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const outcome = await work;
    if (outcome.kind === 'conflict') await refresh(refOf(workload), signal);
    return outcome;
  };
  return {
    ...executor,
    get hasInterruptedJobs() {
      return executor.hasInterruptedJobs;
    },
    reload: (plan, signal) => after(executor.reload(plan, signal), plan.workload, signal),
    resume: (workload, signal) => after(executor.resume(workload, signal), workload, signal),
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
