/**
 * Connects the parts of alerting: reports become messages, messages find their receivers, and a failed delivery is
 * shown on the ReloaderConfig that asked for it.
 */
import {
  apiVersionOf,
  type Client,
  type Clock,
  type EventRecorder,
  type Logger,
  type Metrics,
  type Runnable,
} from '@reloader/runtime';
import { ReloaderConfigs } from '../crds/reloader-config/resource.ts';
import { inPieces } from '../pace/pieces.ts';
import type { Ledger } from '../reloader/model/ledger.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { WorkloadFacts } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import type { History } from '../reloader/report/history.ts';
import type { AlertSettings } from '../settings/settings.ts';
import type { TemplateRenderer } from '../template/renderer.ts';
import { DeliveryError } from './delivery/error.ts';
import { refuseByUrl } from './delivery/guard.ts';
import type { Post, PostOptions } from './delivery/post.ts';
import { AlertSender, type Destination } from './delivery/sender.ts';
import { Destinations } from './destinations.ts';
import type { AlertFailures } from './failures.ts';
import { AlertReporter } from './reporter.ts';
import { unsentReloads } from './unsent.ts';

export interface AlertsOptions {
  /** Reads Secrets with webhooks. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly world: Pick<World, 'config' | 'namespace'>;
  readonly settings: Pick<ReloaderSettings, 'allowCrossNamespace'>;
  readonly alerts: AlertSettings;
  readonly templates: TemplateRenderer;
  readonly events: EventRecorder;
  readonly failures: AlertFailures;
  readonly onFailuresChanged: (config: NonNullable<Destination['config']>) => void;
  readonly history: Pick<History, 'of' | 'alerted'>;
  /** Resolves when the history of the previous process has been read. */
  readonly historyRestored: Promise<void>;
  /** Whether any receiver is configured. */
  readonly hasReceivers: () => boolean;
  /** All known records, to find reloads that were not reported before a crash. */
  readonly records: () => Iterable<readonly [WorkloadFacts, Ledger]>;
  /** Replaces the function that posts. */
  readonly post?: Post;
}

export interface Alerts {
  readonly reporter: AlertReporter;
  /** For the manager. */
  readonly runnables: readonly Runnable[];
}

const WITHOUT_TEMPLATE = 'its template cannot be used, so the usual message is sent';

export function createAlerts(options: AlertsOptions): Alerts {
  const { clock, logger, metrics, alerts, history } = options;
  const { failures, onFailuresChanged } = options;
  warnOfRefusal(alerts, logger);
  const sender = new AlertSender({
    post: options.post ?? postWhenNeeded({ clock, ...alerts }),
    clock,
    logger,
    metrics,
    additionalInfo: alerts.additionalInfo,
    groupWindowMs: alerts.groupWindowMs,
    onSent: (destination, complaint) => {
      if (complaint !== undefined)
        tellFailure(destination, `${WITHOUT_TEMPLATE}: ${complaint}`, 'was sent without its template');
      else if (failures.sent(destination) && destination.config) onFailuresChanged(destination.config);
    },
    onFailed: (destination, why) => tellFailure(destination, why, 'could not be sent'),
  });
  const tellFailure = (destination: Destination, why: string, what: string): void => {
    if (!destination.config || !failures.failed(destination, why)) return;
    tellConfig(options, destination, `${what}: ${why}`);
    onFailuresChanged(destination.config);
  };
  const reporter = new AlertReporter({
    sender,
    destinations: new Destinations(options),
    now: () => clock.now(),
    onAlerted: (ref, seq) => history.alerted(ref, seq),
  });
  return { reporter, runnables: [sender, afterCrash(options, reporter)] };
}

/** Many operators never send an alert: the code that posts is loaded with the first one. */
function postWhenNeeded(options: PostOptions): Post {
  let post: Promise<Post> | undefined;
  return async (...request) => {
    post ??= import('./delivery/post.ts').then(({ createPost }) => createPost(options));
    return (await post)(...request);
  };
}

/** Warns at the start instead of with the first alert. Names are judged when they are resolved. */
function warnOfRefusal(settings: AlertSettings, logger: Logger): void {
  if (!settings.global) return;
  const url = new URL(settings.global.url.reveal());
  try {
    refuseByUrl({ url, trusted: true }, settings);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    logger.error('No global alert will be sent', { why: error.message });
  }
}

function tellConfig({ world, events }: AlertsOptions, { channel, config }: Destination, what: string): void {
  const facts = config && world.config(config);
  if (!facts) return;
  const { namespace, name, uid, resourceVersion } = facts.metadata;
  const apiVersion = apiVersionOf(ReloaderConfigs);
  const reference = { apiVersion, kind: ReloaderConfigs.kind, namespace, name, uid, resourceVersion };
  events.record(reference, 'Warning', 'AlertFailed', `An alert to ${channel} ${what}`);
}

function afterCrash(
  { clock, logger, history, historyRestored, hasReceivers, records }: AlertsOptions,
  reporter: AlertReporter,
): Runnable {
  return {
    name: 'alerts of the process before',
    needsLeaderElection: true,
    async start({ stopping }) {
      const since = clock.now();
      await Promise.race([historyRestored, aborted(stopping)]);
      if (stopping.aborted || !hasReceivers()) return;
      const unsent = await unsentReloads(records(), history, since);
      await inPieces(unsent, ({ workload, entry }) => reporter.tellAgain(workload, entry));
      if (unsent.length > 0)
        logger.info('Reloads of the process before are told again', { count: unsent.length });
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
