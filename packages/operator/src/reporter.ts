/**
 * Everything that informs people: log lines, Events, metrics, statuses, history, meta info, alerts.
 *
 * In: reports of the engine and the watch. Out: nothing that the caller has to wait for. Errors in here are logged and
 * affect neither a reload nor another part.
 */
import {
  type Client,
  type Clock,
  createEventRecorder,
  type EventRecorder,
  type Informer,
  type Logger,
  type Metrics,
  type Runnable,
} from '@reloader/runtime';
import { createAlerts } from './alerts/create.ts';
import { AlertFailures } from './alerts/failures.ts';
import type { ConfigFacts } from './reloader/model/config.ts';
import type { KeyPlace } from './reloader/model/key-place.ts';
import type { Ledger } from './reloader/model/ledger.ts';
import { isOwnRecord } from './reloader/model/own-records.ts';
import type { ReloaderSettings } from './reloader/model/settings.ts';
import type { SourceFacts } from './reloader/model/source-facts.ts';
import type { WorkloadFacts } from './reloader/model/workload.ts';
import type { NamespaceFacts, World } from './reloader/model/world.ts';
import { aboutDigestKey } from './reloader/report/digest-key.ts';
import { GENERAL_COMPONENT, ReloadEvents } from './reloader/report/events.ts';
import { HeldBack } from './reloader/report/held.ts';
import { History } from './reloader/report/history.ts';
import { HistoryStore } from './reloader/report/history-store.ts';
import { LogLines } from './reloader/report/log-lines.ts';
import { type BuildInfo, metaInfoWriter, type ProcessOptions } from './reloader/report/meta-info.ts';
import { createReloadMetrics, type Inventory, type OpenRollout } from './reloader/report/metrics.ts';
import { mirrorQueue } from './reloader/report/queue-metrics.ts';
import type { EngineView, PipelineReporter } from './reloader/report/reporter.ts';
import { SourceHashWriter } from './reloader/report/source-hash.ts';
import { ConfigStatuses } from './reloader/report/status/controller.ts';
import { ReloadTally } from './reloader/report/status/tally.ts';
import { EVENT_COMPONENTS } from './reloader/report/texts.ts';
import { tellUnknownAnnotations } from './reloader/report/unknown-annotations.ts';
import type { AlertSettings } from './settings/settings.ts';
import type { TemplateRenderer } from './template/renderer.ts';

export interface ReporterOptions {
  readonly client: Client;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly world: World;
  readonly settings: ReloaderSettings;
  /** The informer behind `world.config`. Without one there are no statuses. */
  readonly configs?: Informer<ConfigFacts> | undefined;
  /** Caches of Secrets and ConfigMaps, to report unknown annotations. */
  readonly sources?: readonly Informer<SourceFacts>[];
  readonly namespaces?: Informer<NamespaceFacts> | undefined;
  /** Adds `reloader_reload_executed_total_by_namespace`. */
  readonly metricsByNamespace?: boolean;
  /** The number of watched sources and workloads, for two gauges. */
  readonly inventory?: () => Inventory;
  /** Rollouts of the operator that have not ended, for two gauges. */
  readonly openRollouts?: () => Iterable<OpenRollout>;
  readonly contested?: () => number;
  readonly build?: BuildInfo;
  readonly process?: ProcessOptions;
  /** The place of the digest key, which is reported if it is not a Secret. */
  readonly keyPlace?: KeyPlace;
  /** Without them no alerts are sent. */
  readonly alerts?: AlertSettings;
  readonly templates: TemplateRenderer;
  /** All workloads that have a record. */
  readonly records?: () => Iterable<readonly [WorkloadFacts, Ledger]>;
  /** Further reporters that get every report. */
  readonly also?: readonly Partial<PipelineReporter>[];
  /** Replaces the reporter's own recorders. */
  readonly events?: (component: string) => EventRecorder;
}

export interface OperatorReporter extends PipelineReporter {
  /** Called once, before anything runs. */
  attach(view: EngineView): void;
  /** For the manager. */
  readonly runnables: readonly Runnable[];
  /** For the engine's controller: its queue is also counted under Stakater's names. */
  readonly queueMetrics: Metrics;
  readonly history: History;
  /** The workloads with a waiting change, and the reasons. */
  readonly held: HeldBack;
}

type Part = Partial<PipelineReporter>;

const UNKNOWN_BUILD: BuildInfo = { releaseVersion: 'unknown', commitHash: '', commitTime: '' };

export function createReporter(options: ReporterOptions): OperatorReporter {
  const { client, metrics, logger, clock, world, settings } = options;
  const now = (): number => clock.now();
  const runnables: Runnable[] = [];
  const recorderOf = options.events ?? ownRecorders(options, runnables);
  const tally = new ReloadTally();
  const held = new HeldBack(metrics, now);
  const events = new ReloadEvents(recorderOf, world, clock);
  const history = new History(now);
  const alertFailures = new AlertFailures(world);
  const statuses =
    options.configs &&
    new ConfigStatuses({
      ...options,
      configs: options.configs,
      tally,
      alertFailures,
      installation: aboutDigestKey(options.keyPlace),
      warn: (config, reason, message) => events.aboutConfig(config, reason, message),
    });
  const hashes = settings.writeSourceHash ? new SourceHashWriter(client, logger) : undefined;
  const { operatorNamespace } = settings;
  const store = new HistoryStore({ client, clock, logger, namespace: operatorNamespace, history });
  const alerts =
    options.alerts &&
    createAlerts({
      ...options,
      alerts: options.alerts,
      events: recorderOf(GENERAL_COMPONENT),
      history,
      failures: alertFailures,
      onFailuresChanged: (config) => statuses?.alertsChanged(config),
      historyRestored: store.restored,
      hasReceivers: () => options.alerts?.global !== undefined || anyAlerts(options.configs),
      records: options.records ?? (() => []),
    });
  const parts: readonly Part[] = [
    new LogLines(logger),
    createReloadMetrics({
      metrics,
      now,
      byNamespace: options.metricsByNamespace ?? false,
      inventory: options.inventory,
      openRollouts: options.openRollouts,
      contested: options.contested,
    }),
    events,
    held,
    history,
    tally,
    ...(statuses ? [statuses] : []),
    ...(hashes ? [hashes] : []),
    ...(alerts ? [alerts.reporter] : []),
    ...(options.also ?? []),
  ];
  runnables.push(events.bursts, ...store.runnables, ...(alerts?.runnables ?? []));
  if (statuses) runnables.push(statuses.controller);
  const { sources, namespaces } = options;
  if (sources) {
    const inScope = (namespace: string): boolean => world.inScope(namespace);
    const general = recorderOf(GENERAL_COMPONENT);
    const { names } = settings;
    runnables.push(
      tellUnknownAnnotations({ sources, namespaces, inScope, names, events: general, clock, logger }),
    );
  }
  if (hashes) runnables.push(hashes);
  const { build = UNKNOWN_BUILD, process = {} } = options;
  runnables.push(metaInfoWriter({ client, logger, settings, build, process }));

  const tell = (say: (part: Part) => void): void => {
    for (const part of parts) {
      try {
        say(part);
      } catch (error) {
        logger.error('A report failed; reloads go on', { error });
      }
    }
  };
  return {
    runnables,
    queueMetrics: mirrorQueue(metrics),
    history,
    held,
    attach(view) {
      held.attach(view);
      events.attach(view);
      statuses?.attach(view);
      alerts?.reporter.attach(view);
      view.onChange((ref) => {
        if (history.of(ref)?.held && !view.deferred(ref)) history.released(ref);
      });
    },
    reloaded: (report) => tell((part) => part.reloaded?.(report)),
    failed: (report, error, final) => tell((part) => part.failed?.(report, error, final)),
    deferred: (workload, want, later) => tell((part) => part.deferred?.(workload, want, later)),
    recorded: (workload, verdict) => tell((part) => part.recorded?.(workload, verdict)),
    wouldReload: (workload, verdict) => tell((part) => part.wouldReload?.(workload, verdict)),
    problems: (workload, problems) => tell((part) => part.problems?.(workload, problems)),
    rolledOut: (workload, seq, result, message, verifiedMs) =>
      tell((part) => part.rolledOut?.(workload, seq, result, message, verifiedMs)),
    evictionBlocked: (workload, configs, blocked) =>
      tell((part) => part.evictionBlocked?.(workload, configs, blocked)),
    restored: (workload, report) => tell((part) => part.restored?.(workload, report)),
    forget: (ref) => tell((part) => part.forget?.(ref)),
    sourceChanged(kind, ref, oldDigest, newDigest, workloads, ownMaking) {
      if (isOwnRecord({ kind, ...ref }, operatorNamespace)) return;
      tell((part) => part.sourceChanged?.(kind, ref, oldDigest, newDigest, workloads, ownMaking));
    },
    manyDoubts: () => tell((part) => part.manyDoubts?.()),
    reconciled: (pass) => tell((part) => part.reconciled?.(pass)),
    unchangedByReload: (ref) => tell((part) => part.unchangedByReload?.(ref)),
  };
}

function anyAlerts(configs: ReporterOptions['configs']): boolean {
  return !configs || [...configs.store.list()].some(({ alerts }) => alerts.length > 0);
}

/** Delays Events, so that a change that concerns a thousand workloads is rolled out first. */
const EVENTS_LAST = { quietMs: 200, queueLimit: 5_000 };

/** One for each component that Events name as their source. */
function ownRecorders(
  { client, clock, logger, metrics }: ReporterOptions,
  runnables: Runnable[],
): (component: string) => EventRecorder {
  const recorders = new Map<string, EventRecorder>();
  for (const component of [GENERAL_COMPONENT, ...Object.values(EVENT_COMPONENTS)]) {
    const recorder = createEventRecorder({ client, component, clock, logger, metrics, ...EVENTS_LAST });
    recorders.set(component, recorder);
    runnables.push(recorder);
  }
  return (component) => {
    const recorder = recorders.get(component);
    if (!recorder) throw new TypeError(`No recorder for Events of "${component}"`);
    return recorder;
  };
}
